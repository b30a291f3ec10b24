# SPDX-License-Identifier: MIT
"""How the protocol grows (docs/protocol.md): tests/protocol as an older node, a newer one that adds to everything, and
one that sends garbage where additions may be. All of them link, publish, find, are found and write letters."""
import os
import pathlib
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))

import overlay
import peer
from metrics_test import scrape
from schema import sha256
from stranger_test import Stranger

TOP = 1 << 63
UNSUPPORTED = 14


def unknown_messages(node):
    return float(re.search(r"^beckon_messages_unknown_total (\S+)", scrape(node), re.M)[1])


class GrowthTest(overlay.Overlay):
    def test_older_and_newer_nodes_take_part(self):
        nodes = self.ring(3)
        overlay.wait_for(lambda: overlay.ring_is_ideal(nodes), 20, "an ideal ring")
        nodes[0].json("profile", "set", "name=Rita", "hobby=kendo", "age=33")
        nodes[0].json("profile", "publish")
        for manner in (peer.Today(), peer.Older(), peer.Newer(), peer.Garbage()):
            with self.subTest(type(manner).__name__):
                alice = Stranger(nodes[0].listen, {"name": ["Alice Lin"], "hobby": ["Chess"]}, manner)
                self.take_part(alice, nodes)
                self.say_what_nobody_knows(alice.links[bytes.fromhex(nodes[1].id)], nodes[1])
                alice.go()
        self.assertTrue(overlay.ring_is_ideal(nodes))

    def take_part(self, alice, nodes):
        self.assertEqual(len(alice.links), 3)
        self.assertGreater(alice.publish(), 1)
        found = nodes[1].json("find", "hobby=chess")
        self.assertEqual([person["name"] for person in found["people"]], ["Alice Lin"])
        self.assertTrue(found["complete"])
        (rita, card), = alice.find("hobby=kendo age=30..40")
        self.assertEqual(card["name"], "Rita")
        self.assertEqual(alice.write(rita, type(alice.manner).__name__), b"\x00")
        nodes[0].run("contact", "accept", alice.owner.hex(), "al")  # a stranger may write a few letters only
        self.assertIn(type(alice.manner).__name__, [m["text"] for m in nodes[0].json("inbox")["messages"]])

    def say_what_nobody_knows(self, link, node):
        """Requests are answered with unsupported, all else is passed over, and the link stays."""
        before = unknown_messages(node)
        for kind, request, body in ((0x11, TOP | 9001, b"\x01new"), (0x1D, TOP | 9002, os.urandom(90)),
                                    (0x08, TOP | 9003, b"\x02new")):
            answered, answer = link.raw_ask(kind, request, body)
            self.assertEqual((answered, answer[:2]), (peer.RING_ERROR, bytes([1, UNSUPPORTED])))
        answered, answer = link.raw_ask(0x61, 9004, b"new")
        self.assertEqual((answered, answer[0]), (peer.ERROR, UNSUPPORTED))
        for kind, body in ((0x13, b"\x01"), (0x63, b""), (peer.ALIVE, b"\x07")):
            link.send(kind, 0, body)
        self.assertEqual(len(link.ring()), 3)
        self.assertEqual(unknown_messages(node) - before, 6)

    def test_greetings_are_judged_by_version_first(self):
        nodes = self.ring(1)

        class Says(peer.Today):
            def __init__(self, body):
                self.body = body

            def hello(self):
                return self.body

        def refusal(body):
            with self.assertRaises(peer.Refused) as told:
                peer.Link(sha256(b"a guest"), nodes[0].listen, None, manner=Says(body))
            return told.exception.args

        whole = peer.greeting()
        for body in (bytes([1]) + whole[2:34] + bytes(25),  # as version 1 had it
                     bytes([9, 3]) + os.urandom(200), bytes([9, 3]), peer.greeting(newest=1, oldest=1)):
            code, text, cure = refusal(body)
            self.assertEqual(code, 2)
            self.assertIn("version", text)
            self.assertIn("update", cure)
        self.assertEqual(refusal(whole[:2] + bytes(32) + whole[34:])[0], 3)
        for body in (whole[:-1], whole[:40], bytes([1, 2]) + whole[2:], b""):
            self.assertIn(refusal(body)[0], (1, 2))
        link = peer.Link(sha256(b"a guest"), nodes[0].listen, None, manner=Says(whole + b"x"))
        newest, oldest, capabilities, fields = link.greeted
        self.assertEqual((newest, oldest, capabilities), (2, 2, 1))
        self.assertEqual(len([kind for kind in fields if kind >= peer.FIELD_RANDOM]), 1)
        self.assertEqual(fields[peer.FIELD_SCHEMA], [struct.pack(">I", 1)])
        link.close()


if __name__ == "__main__":
    overlay.main(__name__)
