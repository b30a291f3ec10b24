# SPDX-License-Identifier: MIT
"""A peer that is not ours: tests/protocol, written from docs/protocol.md and docs/protocol-index.md, takes part."""
import json
import pathlib
import struct
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))

import mail
import overlay
import sums
from keys import placements, text_key
from peer import Link, node_id
from questions import canonical, clauses_of, predicates, read_query, ways
from records import choose, ed25519, elements, record
from schema import SALT, sha256, value
from signatures import ed25519_holds

PUT, GET, DIGEST, QUERY, COUNT, VERIFY, DELIVER, MAILBOX = 0x21, 0x23, 0x27, 0x31, 0x33, 0x35, 0x41, 0x43
AUTHOR_RECORD, INDEX_RECORD, MAILBOX_ENTRY = 1, 2, 3
SECRET, USER, SEAL = (sha256(b"a stranger's " + what) for what in (b"node", b"user", b"message key"))
ADDRESS = "192.0.2.1:1"  # nobody is there: the links it has dialled must do


class Stranger:
    """A node outside the ring that hosts one user."""

    def __init__(self, address, profile, manner=None):
        self.profile = [(name, [value(name, v, False) for v in values]) for name, values in sorted(profile.items())]
        self.id = node_id(ed25519(SECRET, b"")[0])
        self.owner = sha256(ed25519(USER, b"")[0])[:20]
        self.questions, self.letters, self.found, self.manner = [], [], {}, manner
        self.come(address)

    def come(self, address):
        """Links to that node and all others."""
        first = Link(SECRET, address, self.serve, manner=self.manner)
        self.links = {first.peer: first}
        for peer, where in first.ring():
            if peer not in self.links:
                self.links[peer] = Link(SECRET, where, self.serve, manner=self.manner)

    def at(self, key):
        """The owner of a key: the first node at or after it."""
        ids = sorted(self.links)
        return self.links[next((i for i in ids if i >= key), ids[0])]

    def go(self):
        for link in self.links.values():
            link.close()

    def put(self, key, kind, item):
        """The version that is stored now."""
        answer = self.at(key).ask(PUT, struct.pack(">HB", 1, 0) + key + struct.pack(">BI", kind, len(item)) + item)
        _, count, status, copies, seq = struct.unpack(">BHBBQ", answer)
        assert (count, status) == (1, 0) and copies >= 2, answer.hex()
        return seq

    def publish(self):
        """How many index entries were stored."""
        found = elements(self.profile)
        version = int(time.time() * 1000)
        person = dict(secret=USER.hex(), message_key=mail.x25519_public(SEAL).hex(), host=self.id.hex(),
                      address=ADDRESS, version=version, expiry=version // 1000 + 3600)
        signed = record(person, found, *choose(found))
        places = placements(self.profile, self.owner)
        for key, flags, span in places:
            assert self.put(bytes.fromhex(key), INDEX_RECORD, bytes([flags, span]) + signed) == version
        self.published = version, sha256(signed)
        here = mail.locator(self.id, ADDRESS, mail.x25519_public(SEAL))
        self.put(mail.author_key(mail.LOCATOR, ed25519(USER, b"")[0]), AUTHOR_RECORD,
                 mail.author_item(USER, mail.LOCATOR, here))
        return len(places)

    def differs(self, key, there):
        """Whether the owner of a key holds anything else under it than our entry, or, if not `there`, than nothing."""
        mine = [sums.entry(key, INDEX_RECORD, self.owner, *self.published)] if there else []
        answer = self.at(key).ask(DIGEST, b"\x00\x01" + sums.at_ring_id(key, sums.total(mine)))
        return {bytes(2): False, b"\x00\x01\x00\x00": True}[answer]

    def write(self, public, body):
        """What becomes of a letter to a user who was found."""
        host, message_key = self.found[public]
        to = sha256(public)[:20]
        written = mail.letter(USER, to, "Alice Lin", body)
        return self.links[host].ask(DELIVER, mail.envelope(USER, to, message_key, written))

    def leave_for(self, public, body):
        """Puts a letter into the mailbox of somebody who was found and is away now."""
        to = sha256(public)[:20]
        written = mail.letter(USER, to, "Alice Lin", body)
        self.put(mail.mailbox_key(to), MAILBOX_ENTRY, mail.envelope(USER, to, self.found[public][1], written))

    def locate(self, public):
        """(host, message key) as the user's locator says."""
        key = mail.author_key(mail.LOCATOR, public)
        answer = self.at(key).ask(GET, key + bytes([AUTHOR_RECORD]) + bytes(8) + b"\x00")
        if answer == bytes(3):
            return None
        size = struct.unpack(">I", answer[3:7])[0]
        author, payload = mail.payload_of(answer[7:7 + size])
        assert answer[:3] == b"\x00\x00\x01" and author == public
        return payload[2:22], payload[23 + payload[22]:][:32]

    def fetch(self):
        """Opens what lies in the user's mailbox."""
        at = self.at(mail.mailbox_key(self.owner))
        answer = at.ask(MAILBOX, mail.mailbox_request(USER, at.peer))
        out, place = [], 3
        for _ in range(struct.unpack(">H", answer[1:3])[0]):
            size = struct.unpack(">I", answer[place:place + 4])[0]
            out.append(mail.open_envelope(SEAL, answer[place + 4:place + 4 + size]))
            place += 4 + size
        return out

    def serve(self, kind, body):
        if kind == DELIVER:
            self.letters.append(mail.open_envelope(SEAL, body))
            return DELIVER + 1, b"\x00"
        if kind != VERIFY:
            return None
        size = struct.unpack(">H", body[:2])[0]
        self.questions.append(body[2:2 + size].decode())
        asked = [body[3 + size + 20 * i:][:20] for i in range(body[2 + size])]
        card = b'{"name":"Alice Lin"}'
        yes = b"\x01" + bytes(8) + struct.pack(">H", len(card)) + card
        return VERIFY + 1, bytes([len(asked)]) + b"".join(yes if who == self.owner else b"\x00" for who in asked)

    def find(self, written):
        """[(owner's key, card)] by the first way of a question with one branch."""
        branch = read_query(written)[0]
        found = {}  # owner's key: host and message key
        for key, wanted, back in ways(branch)[0]:
            key, blind = bytes.fromhex(key), predicates(clauses_of(branch))
            answer = self.at(key).ask(QUERY, key + bytes([wanted, back]) + bytes(20) + b"\x00\x80"
                                      + struct.pack(">H", len(blind)) + blind)
            at = 11
            for _ in range(answer[10]):
                size = struct.unpack(">H", answer[at:at + 2])[0]
                signed = answer[at + 2:at + 2 + size]
                at += 2 + size
                assert ed25519_holds(signed[3:35], b"beckon/record/v2" + SALT + signed[:-64], signed[-64:])
                found[signed[3:35]] = signed[68:88], signed[35:67]
        self.found |= found
        cards = {key: self.verify(written, sha256(key)[:20], host) for key, (host, _) in found.items()}
        return [(key, card) for key, card in cards.items() if card]

    def verify(self, written, owner, host):
        question = canonical(read_query(written)).encode()
        answer = self.links[host].ask(VERIFY, struct.pack(">H", len(question)) + question + b"\x01" + owner)
        assert answer[0] == 1
        return json.loads(answer[12:]) if answer[1] else None


class StrangerTest(overlay.Overlay):
    def test_a_peer_written_from_the_documents_takes_part(self):
        nodes = self.ring(3)
        overlay.wait_for(lambda: overlay.ring_is_ideal(nodes), 20, "an ideal ring")
        nodes[0].json("profile", "set", "name=Rita", "hobby=kendo,Go", "age=33", "hours=22..6", "income=40k..60k")
        nodes[0].json("profile", "publish")
        profile = {"name": ["Alice Lin"], "hobby": ["Chess"], "age": ["20..29"], "hours": ["9..17"],
                   "latitude": ["25.05"], "longitude": ["121.53"], "room": ["EC-312"]}
        alice = Stranger(nodes[0].listen, profile)
        self.assertEqual(len(alice.links), 3)

        self.assertGreater(alice.publish(), 8)
        chess, nobody = (text_key("hobby", text) for text in ("chess", "beagling"))
        compared = [alice.differs(key, there) for key in (chess, nobody) for there in (True, False)]
        self.assertEqual(compared, [False, True, True, False])
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
        self.letters(alice, nodes[0])

    def letters(self, alice, host):
        """Both ways, and through the mailbox while she is away."""
        (rita, _), = alice.find("hobby=kendo age=30..40")
        self.assertEqual(alice.write(rita, "A game tonight?"), b"\x00")
        waiting = host.json("inbox", "--requests")["requests"]
        self.assertEqual([m["text"] for m in waiting], ["A game tonight?"])
        host.run("contact", "accept", alice.owner.hex(), "al")
        self.assertEqual(host.run("send", "al", "At eight.")[0], 0)
        self.assertEqual(alice.letters, [(rita, "Rita", "At eight.")])
        overlay.wait_for(lambda: alice.locate(rita), 10, "Rita's locator")
        alice.found[rita] = alice.locate(rita)  # her newest message key
        self.assertEqual(alice.write(rita, "Fine."), b"\x00")
        self.assertIn("Fine.", [m["text"] for m in host.json("inbox")["messages"]])

        alice.go()
        self.assertEqual(host.run("send", "al", "Where are you?")[0], 0)
        alice.come(host.listen)
        self.assertIn((rita, "Rita", "Where are you?"), alice.fetch())

    def test_strangers_cannot_end_a_node(self):
        nodes = self.ring(2)
        links = [Link(sha256(b"hostile " + name), nodes[0].listen, lambda kind, body: None) for name in (b"1", b"2", b"3")]
        for link in links:
            link.send(0x1F, 0, b"\x01\x0f" + bytes(4))  # once: "a later process with your key is here"
        overlay.wait_for(lambda: overlay.ring_is_ideal(nodes), 30, "a ring of two that goes on")
        self.assertEqual(nodes[0].json("status")["node"]["state"], "joined")
        for link in links:
            link.close()

    def test_a_letter_waits_for_somebody_who_never_wrote_one(self):
        nodes = self.ring(4)
        overlay.wait_for(lambda: overlay.ring_is_ideal(nodes), 20, "an ideal ring")
        nodes[1].json("profile", "set", "name=Rita", "hobby=kendo")
        nodes[1].json("profile", "publish")
        others = [node for node in nodes if node is not nodes[1]]
        alice = Stranger(nodes[0].listen, {"name": ["Alice Lin"]})
        (rita, _), = alice.find("hobby=kendo")
        alice.go()
        nodes[1].run("down")
        overlay.wait_for(lambda: overlay.ring_is_ideal(others), 20, "an ideal ring without her")
        alice.come(nodes[0].listen)
        alice.leave_for(rita, "Welcome back.")
        nodes[1].up()
        texts = lambda: [m["text"] for m in nodes[1].json("inbox", "--requests")["requests"]]
        overlay.wait_for(lambda: texts() == ["Welcome back."], 20, "the letter's way out of the mailbox")


if __name__ == "__main__":
    overlay.main(__name__)
