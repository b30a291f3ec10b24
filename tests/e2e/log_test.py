# SPDX-License-Identifier: MIT
"""What the log tells of a ring that changes, and that its level changes while the node runs."""
import re

import overlay
from overlay import Overlay, ring_is_ideal, wait_for

LINE = re.compile(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (debug|info|warning|error) [^="]+'
                  r'( [a-z_]+=("([^"\\]|\\.)*"|[^ "=]+))*')


def lines(node):
    return (node.home / "beckond.log").read_text().splitlines()


def some(node, level, sentence, *parts):
    """The lines of that level whose sentence begins so and which contain all the parts."""
    return [line for line in lines(node) if f" {level} {sentence}" in line and all(part in line for part in parts)]


class Log(Overlay):
    def test_the_log_tells_of_a_peer_that_was_killed(self):
        first, second = self.ring(2)
        wait_for(lambda: ring_is_ideal([first, second]), 30, "a ring of two")
        code, _, err = first.run("config", "set", "log.level", "debug")
        self.assertEqual(code, 0)
        self.assertIn("takes effect now", err)
        before = len(lines(first))
        second.kill()
        peer = f"peer={second.id[:8]}"
        wait_for(lambda: some(first, "debug", "link down", peer, "reason="), 30, "the end of the link")
        wait_for(lambda: some(first, "debug", "a peer counts as dead", peer), 30, "the verdict")
        wait_for(lambda: some(first, "info", "predecessor changed", f"from={second.id[:8]} to=none"), 30, "no predecessor")
        wait_for(lambda: some(first, "info", "successor changed", f"from={second.id[:8]} to=none"), 30, "no successor")
        wait_for(lambda: some(first, "warning", "this node is alone", "known=1"), 30, "being alone")
        second.up("--join", first.listen)
        wait_for(lambda: some(first, "info", "this node is no longer alone"), 30, "company again")
        wait_for(lambda: some(first, "debug", "link up", peer, "address="), 30, "the link")
        wait_for(lambda: some(first, "debug", "comparison of records ended", peer, "outcome=agreed"), 30, "a comparison")
        wait_for(lambda: some(first, "info", "repair of records ended"), 30, "the end of the repair")
        for line in lines(first)[before:]:
            self.assertTrue(LINE.fullmatch(line), line)

    def test_the_level_is_changed_while_the_node_runs(self):
        node = self.node()
        code, _, err = node.run("config", "set", "log.level", "error")
        self.assertEqual(code, 0)
        self.assertIn("next start", err)
        node.up()
        self.assertFalse(some(node, "info", ""))
        self.assertEqual(node.run("config", "set", "log.level", "info")[0], 0)
        self.assertTrue(some(node, "info", "the log level was changed", "from=error to=info"))
        self.assertEqual(node.run("config", "set", "log.level", "loud")[0], 2)


if __name__ == "__main__":
    overlay.main(__name__)
