"""A peer that is not ours: tests/protocol, written from docs/protocol.md and docs/protocol-index.md, takes part."""
import json
import pathlib
import struct
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))

import overlay
from keys import placements
from peer import Link, node_id
from questions import canonical, clauses_of, predicates, read_query, ways
from records import choose, ed25519, elements, ed25519_holds, record
from schema import SALT, SCHEMA_ID, sha256, value

PUT, QUERY, COUNT, VERIFY = 0x21, 0x31, 0x33, 0x35
INDEX_RECORD = 2
SECRET, USER = sha256(b"a stranger's node"), sha256(b"a stranger's user")


class Stranger:
    """A node outside the ring that hosts one user."""

    def __init__(self, address, profile):
        self.profile = [(name, [value(name, v, False) for v in values]) for name, values in sorted(profile.items())]
        self.id = node_id(ed25519(SECRET, b"")[0])
        self.owner = sha256(ed25519(USER, b"")[0])[:20]
        self.questions = []
        first = Link(SECRET, address, self.serve)
        self.links = {first.peer: first}
        for peer, where in first.ring():
            if peer not in self.links:
                self.links[peer] = Link(SECRET, where, self.serve)

    def at(self, key):
        """The owner of a key: the first node at or after it."""
        ids = sorted(self.links)
        return self.links[next((i for i in ids if i >= key), ids[0])]

    def publish(self):
        """How many entries each node has stored."""
        found = elements(self.profile)
        version = int(time.time() * 1000)
        person = dict(secret=USER.hex(), message_key=bytes(range(32)).hex(), host=self.id.hex(),
                      address="192.0.2.1:1", version=version, expiry=version // 1000 + 3600)
        signed = record(person, found, *choose(found))
        stored = 0
        for key, flags, span in placements(self.profile, self.owner):
            key, entry = bytes.fromhex(key), bytes([flags, span]) + signed
            put = struct.pack(">HB", 1, 0) + key + struct.pack(">BI", INDEX_RECORD, len(entry)) + entry
            answer = self.at(key).ask(PUT, put)
            _, count, status, copies, seq = struct.unpack(">BHBBQ", answer)
            assert (count, status, seq) == (1, 0, version) and copies >= 2, answer.hex()
            stored += 1
        return stored

    def serve(self, kind, body):
        if kind != VERIFY:
            return None
        size = struct.unpack(">H", body[:2])[0]
        self.questions.append(body[2:2 + size].decode())
        asked = [body[3 + size + 20 * i:][:20] for i in range(body[2 + size])]
        card = b'{"name":"Alice Lin"}'
        yes = b"\x01" + bytes(8) + struct.pack(">H", len(card)) + card
        return VERIFY + 1, bytes([len(asked)]) + b"".join(yes if who == self.owner else b"\x00" for who in asked)

    def find(self, written):
        """[(owner id, card)] by the first way of a question with one branch."""
        branch = read_query(written)[0]
        found = {}
        for key, wanted, back in ways(branch)[0]:
            key, blind = bytes.fromhex(key), predicates(clauses_of(branch))
            answer = self.at(key).ask(QUERY, key + bytes([wanted, back]) + bytes(20) + b"\x00\x80"
                                      + struct.pack(">H", len(blind)) + blind)
            at = 11
            for _ in range(answer[10]):
                size = struct.unpack(">H", answer[at:at + 2])[0]
                signed = answer[at + 2:at + 2 + size]
                at += 2 + size
                assert ed25519_holds(signed[2:34], b"beckon/record/v1" + SCHEMA_ID + SALT + signed[:-64], signed[-64:])
                found[sha256(signed[2:34])[:20]] = signed[66:86]
        return [(owner, card) for owner, host in found.items() if (card := self.verify(written, owner, host))]

    def verify(self, written, owner, host):
        question = canonical(read_query(written)).encode()
        answer = self.links[host].ask(VERIFY, struct.pack(">H", len(question)) + question + b"\x01" + owner)
        assert answer[0] == 1
        return json.loads(answer[12:]) if answer[1] else None


class StrangerTest(overlay.Overlay):
    def test_a_peer_written_from_the_documents_publishes_and_finds(self):
        nodes = self.ring(3)
        overlay.wait_for(lambda: overlay.ring_is_ideal(nodes), 20, "an ideal ring")
        nodes[0].json("profile", "set", "name=Rita", "hobby=kendo,Go", "age=33", "hours=22..6", "income=40k..60k")
        nodes[0].json("profile", "publish")
        alice = Stranger(nodes[0].listen, {"name": ["Alice Lin"], "hobby": ["Chess"], "age": ["20..29"], "hours": ["9..17"],
                                           "latitude": ["25.05"], "longitude": ["121.53"], "room": ["EC-312"]})
        self.assertEqual(len(alice.links), 3)

        self.assertGreater(alice.publish(), 8)
        for question in ("hobby=chess age=24..40", "hours:=10..16", "near=25.05,121.53,5km", "room=EC-300..399",
                         "name~=ali age=25", "age=28..31"):
            with self.subTest(question):
                found = nodes[1].json("find", question)
                self.assertEqual([person["name"] for person in found["people"]], ["Alice Lin"])
                self.assertTrue(found["complete"])
        self.assertIn("age=24..40&hobby=chess", alice.questions)
        code, out, _ = nodes[2].run("find", "hobby=chess age=31..40", "--json")
        self.assertEqual((code, json.loads(out)["people"]), (1, []))

        for question in ("hobby=kendo age=30..40", "hours=23..1", "income=45k..47k", "hours:=23..2 hobby=go"):
            with self.subTest(question):
                self.assertEqual([card["name"] for _, card in alice.find(question)], ["Rita"])
        self.assertEqual(alice.find("hobby=kendo age=40..50"), [])
        counted = b"".join(bytes.fromhex(key) for key, _, _ in ways(read_query("hobby=go")[0])[0])
        at = alice.at(counted)
        self.assertEqual(at.ask(COUNT, b"\x01" + counted), b"\x01" + struct.pack(">I", 1))


if __name__ == "__main__":
    overlay.main(__name__)
