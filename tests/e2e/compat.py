# SPDX-License-Identifier: MIT
"""Nodes of two versions in one ring; started by scripts/compat with the programs of both."""
import os
import sys

import overlay


class MixedRing(overlay.Overlay):
    def test_both_versions_share_a_ring(self):
        for first, others in ((EARLIER, (overlay.BECKON, EARLIER, overlay.BECKON)),
                              (overlay.BECKON, (EARLIER, overlay.BECKON, EARLIER))):
            with self.subTest(first=first):
                self.share(first, others)

    def share(self, first, others):
        nodes = [self.node(program=first)]
        nodes[0].up()
        for program in others:  # join
            node = self.node(program=program)
            node.up("--join", nodes[0].listen)
            nodes.append(node)
        overlay.wait_for(lambda: overlay.ring_is_ideal(nodes), 60, "an ideal ring of both versions")

        for at, node in enumerate(nodes):  # publish
            node.json("profile", "set", f"name=Person {at}", "hobby=compat", f"age={30 + at}")
            node.json("profile", "publish")
        everybody = {f"Person {at}" for at in range(len(nodes))}
        for node in nodes:  # find
            found = node.json("find", "hobby=compat age=20..40")
            self.assertEqual({person["name"] for person in found["people"]} | {self.own(nodes, node)}, everybody)
            self.assertTrue(found["complete"])

        for writer, reader in ((0, 1), (1, 0)):  # letters, to the other version
            nodes[writer].json("send", f"hobby=compat age={30 + reader}", f"from {writer}", "--all")
            waiting = lambda: [m["text"] for m in self.letters(nodes[reader])]
            overlay.wait_for(lambda: f"from {writer}" in waiting(), 30, "a letter to the other version")

        nodes[0].run("down")  # leave
        nodes[1].run("down")
        overlay.wait_for(lambda: overlay.ring_is_ideal(nodes[2:]), 60, "an ideal ring without those that left")
        for node in nodes[2:]:
            node.run("down")

    @staticmethod
    def own(nodes, node):
        return f"Person {nodes.index(node)}"

    @staticmethod
    def letters(node):
        return node.json("inbox", "--requests")["requests"] + node.json("inbox")["messages"]


if __name__ == "__main__":
    EARLIER = os.path.abspath(sys.argv.pop(2))
    overlay.main(__name__)
