# SPDX-License-Identifier: MIT
"""Sixteen nodes come up, lose four, come back, leave, and are all restarted at once."""
import shutil
import sys
import time

import overlay
from overlay import Overlay, ring_is_ideal, wait_for


class RingOfProcesses(Overlay):
    def test_sixteen_nodes_survive_kills_and_hand_over(self):
        begin = time.monotonic()
        nodes = self.ring(16)
        took = time.monotonic() - begin
        print(f"\n16 nodes up in {took:.1f} s", file=sys.stderr)
        self.assertLess(took, 20)
        wait_for(lambda: ring_is_ideal(nodes), 60, "an ideal ring of 16")

        for node in nodes[4:8]:
            node.kill()
        living = nodes[:4] + nodes[8:]
        begin = time.monotonic()
        wait_for(lambda: ring_is_ideal(living), 60, "an ideal ring of the 12 left")
        print(f"ideal again {time.monotonic() - begin:.1f} s after 4 kills", file=sys.stderr)

        for node in nodes[4:8]:
            self.assertEqual(node.up()["founded"], False)  # without --join: it remembers
        wait_for(lambda: ring_is_ideal(nodes), 60, "an ideal ring with the 4 back")

        code, out, err = nodes[5].run("down")
        self.assertEqual(code, 0, out + err)
        self.assertIsNone(nodes[5].pid())
        wait_for(lambda: ring_is_ideal(nodes[:5] + nodes[6:]), 30, "an ideal ring without the one that left")

        self.restart_at_once(nodes)  # the one that left comes back with the others

    def restart_at_once(self, nodes):
        for node in nodes:
            if node.pid() is not None:
                wait_for(lambda: node.json("net", "stats")["remembered_peers"] > 2, 20, "remembering peers")
                node.kill()
        begin = time.monotonic()
        for node, process in [(node, node.start_up("--timeout", "60s")) for node in nodes]:
            node.finish_up(process)
        wait_for(lambda: ring_is_ideal(nodes), 90, "one ring of all again")
        print(f"{len(nodes)} nodes restarted at once: one ring after {time.monotonic() - begin:.1f} s", file=sys.stderr)


class Restart(Overlay):
    def test_a_node_that_had_peers_founds_no_second_ring(self):
        first, second = self.ring(2)
        wait_for(lambda: ring_is_ideal([first, second]), 30, "a ring of two")
        wait_for(lambda: first.json("net", "stats")["remembered_peers"] > 0, 20, "remembering the peer")
        first.kill()
        second.kill()
        code, _, err = first.run("up", "--listen", first.listen, "--timeout", "6s")
        self.assertEqual(code, 1)
        self.assertIn("Still joining: waiting for the peers this node remembers", err)
        self.assertIn("goes on trying", err)
        self.assertEqual(first.json("status")["node"]["state"], "joining")
        first.kill()
        self.assertTrue(first.up("--create")["founded"])


class Twins(Overlay):
    def test_of_two_processes_with_one_key_the_earlier_gives_way(self):
        first, second, older = self.ring(3)
        wait_for(lambda: ring_is_ideal([first, second, older]), 30, "a ring of three")
        later = self.node()  # somebody copied the key to another disk
        shutil.copy(older.home / "node.key", later.home / "node.key")
        later.up("--join", first.listen)
        self.assertEqual(later.id, older.id)
        wait_for(lambda: older.pid() is None, 60, "the end of the earlier one")
        self.assertIn("another process with this node's key", (older.home / "beckond.log").read_text())
        wait_for(lambda: ring_is_ideal([first, second, later]), 30, "a ring with the later one")


if __name__ == "__main__":
    overlay.main(__name__)
