# SPDX-License-Identifier: MIT
"""People on real nodes write to each other: strangers, contacts, groups, somebody who is away."""
import hashlib
import json
import subprocess

import overlay
from overlay import wait_for
from people import People, Running, Terminal, api, environment, post


class Mail(People):
    def test_strangers_contacts_groups_and_blocks(self):
        alice, bob, carol = self.people(["Alice", "Bob", "Carol"])
        self.find(alice, "Bob")
        code, sent, _ = self.send(alice, "@1", "a game tonight?")
        self.assertEqual((code, sent["delivered"], sent["to"][0]["user"]), (0, 1, bob.user))
        # A stranger's words wait in the requests until accepted.
        self.assertEqual(self.texts(bob), [])
        self.assertEqual(self.texts(bob, "--requests"), ["a game tonight?"])
        self.assertEqual(bob.json("status")["inbox"], {"unread": 0, "requests": 1})
        self.assertEqual(bob.json("contact", "accept", alice.user[:8], "ali")["name"], "Alice")
        self.assertEqual(bob.json("status")["inbox"], {"unread": 1, "requests": 0})
        inbox = bob.json("inbox")
        self.assertEqual(inbox["messages"][0]["from"]["name"], "Alice")
        self.assertTrue(inbox["messages"][0]["unread"])
        self.assertEqual(bob.json("status")["inbox"], {"unread": 0, "requests": 0})
        # The answer goes by alias, and is no stranger's.
        self.assertEqual(self.send(bob, "ali", "at eight")[0], 0)
        self.assertEqual(self.texts(alice), ["at eight"])
        # Nothing of a message is executed by a terminal.
        self.assertEqual(self.send(bob, "ali", "\x1b[2J\x07boo")[0], 0)
        self.assertNotIn("\x1b[2J", alice.run("inbox")[1])

        # A group by query: only with --all; the sender is none of it.
        code, reply, err = self.send(alice, "hobby=chess", "club meets at six")
        self.assertEqual((code, "error" in reply), (2, True))
        self.assertIn("--all", err)
        code, sent, _ = self.send(alice, "hobby=chess", "club meets at six", "--all")
        self.assertEqual((code, sent["delivered"]), (0, 2))
        self.assertEqual(self.texts(bob)[-1], "club meets at six")
        self.assertEqual(self.texts(carol, "--requests"), ["club meets at six"])
        self.assertEqual(self.send(alice, "hobby=falconry", "hello", "--all")[0], 1)
        self.assertEqual(alice.run("send", "hobbby=chess", "hello")[0], 2)

        # Who is blocked sees what everybody sees, and is never shown.
        self.find(bob, "Carol")
        bob.json("contact", "block", "@1")
        self.find(carol, "Bob")
        self.assertEqual(self.send(carol, "@1", "let me in")[1]["delivered"], 1)
        self.assertNotIn("let me in", self.texts(bob) + self.texts(bob, "--requests"))
        # Policies refuse.
        bob.json("contact", "policy", "nobody")
        code, sent, _ = self.send(alice, bob.user[:8], "are you there?")
        self.assertEqual((code, sent["refused"]), (5, 1))

        # Ten megabytes are refused with a sentence.
        done = subprocess.run([overlay.BECKON, "--home", str(alice.home), "send", bob.user[:8], "-"],
                              input="x" * 10_000_000, capture_output=True, text=True, timeout=60, env=environment())
        self.assertEqual(done.returncode, 2)
        self.assertIn("at most 65536 bytes", done.stderr)
        # So are they when a program says them, and the node goes on.
        for size in (65_537, 10_000_000):
            body = json.dumps({"to": [bob.user], "text": "x" * size})
            self.assertIn(post(alice, "/v1/messages", body), (400, 413))
        self.assertEqual(alice.json("status")["node"]["state"], "joined")

    def test_somebody_away_gets_it_once_although_a_mailbox_dies(self):
        alice, bob, *others = self.people(["Alice", "Bob", "Carol", "Dave", "Eve"])
        self.befriend(alice, bob)
        bob.kill()
        sending = Running(alice, "send", bob.user[:8], "when you are back", "--wait", "--timeout", "3m", "--json")
        kept = lambda: api(alice, "/v1/messages?sent=1")["sent"][-1:]
        wait_for(lambda: kept() and kept()[0]["kept"] == 1, 60, "keeping the message")

        # The first node that keeps the mailbox, by the rule that all agree on, dies.
        whole = bytes.fromhex(alice.json("overlay", "show")["id"])
        place = hashlib.sha256(b"mbox" + whole + bytes.fromhex(bob.user)).hexdigest()[:40]
        living = sorted([alice, *others], key=lambda node: (node.id < place, node.id))
        keeper = next(node for node in living[:2] if node is not alice)
        keeper.kill()

        bob.listen = "127.0.0.1:0"  # another port: another address
        bob.up()
        wait_for(lambda: self.texts(bob) == ["when you are back"], 90, "fetching the message")
        self.assertEqual(sending.end(90), 0)
        self.assertEqual(json.loads(sending.lines[-1])["delivered"], 1)
        self.assertEqual(self.texts(bob), ["when you are back"])

    def test_more_than_five_people_are_asked_about_first(self):
        alice, bob = self.people(["Alice", "Bob"])
        crowd = self.folder / "crowd.jsonl"
        crowd.write_text("".join(json.dumps({"name": f"Guest {i}", "hobby": "go"}) + "\n" for i in range(7)))
        self.assertEqual(bob.json("profile", "import", str(crowd), "--publish")["published"], 7)
        wait_for(lambda: len(json.loads(alice.run("find", "hobby=go", "--json")[1])["people"]) == 7, 30, "finding all")
        sent = lambda: api(alice, "/v1/messages?sent=1")["sent"]

        asked = Terminal(alice, "send", "hobby=go", "hello all", "--all")
        asked.shows("7 people fit. Write to all of them?")
        asked.type("n\n")
        self.assertEqual(asked.end(), 2)
        self.assertIn("nothing was sent", asked.text)
        self.assertEqual(sent(), [])
        # Without a terminal nobody can be asked: a script must say so itself.
        code, _, err = alice.run("send", "hobby=go", "hello all", "--all")
        self.assertEqual(code, 2)
        self.assertIn("--yes", err)
        self.assertEqual(sent(), [])

        asked = Terminal(alice, "send", "hobby=go", "hello all", "--all")
        asked.shows("Write to all of them?")
        asked.type("y\n")
        self.assertEqual(asked.end(), 0, asked.text)
        self.assertIn("7 people: 7 delivered", asked.text)
        self.assertEqual(sent()[0]["delivered"], 7)


if __name__ == "__main__":
    overlay.main(__name__)
