"""People on real nodes write to each other and call each other: strangers, contacts, groups, somebody who is away."""
import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import threading

import overlay
from overlay import Overlay, ring_is_ideal, wait_for


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("BECKON_")}


def api(node, path):
    """What the daemon of a node answers to a GET, over its Unix socket."""
    connection = http.client.HTTPConnection("beckond", timeout=20)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(node.home / "api.sock"))
    connection.request("GET", path)
    reply = json.loads(connection.getresponse().read())
    connection.close()
    return reply


class Running:
    """A beckon command that goes on, with its lines as they come."""

    def __init__(self, node, *words):
        self.process = subprocess.Popen([overlay.BECKON, "--home", str(node.home), *words], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment(), bufsize=1)
        self.lines = []
        self.talk = []
        for stream, kept in ((self.process.stdout, self.lines), (self.process.stderr, self.talk)):
            threading.Thread(target=lambda s=stream, k=kept: k.extend(iter(s.readline, "")), daemon=True).start()

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def heard(self, line, seconds=20):
        wait_for(lambda: line + "\n" in self.lines, seconds, f"hearing '{line}' (heard {self.lines}, {self.talk})")

    def end(self, seconds=30):
        code = self.process.wait(timeout=seconds)
        self.process.stdin.close()
        return code


class Mail(Overlay):
    def people(self, names, hobby="chess"):
        nodes = self.ring(len(names))
        wait_for(lambda: ring_is_ideal(nodes), 30, "an ideal ring")
        for node, name in zip(nodes, names):
            node.name = name
            node.json("profile", "set", f"name={name}", f"hobby={hobby}", f"sip=sip:{name.lower()}@example.net")
            node.json("profile", "publish")
            node.user = node.json("contact", "list")["user"]
        return nodes

    def find(self, node, name):
        """@1 is that person afterwards."""
        def found():
            code, out, _ = node.run("find", f"name={name}", "--json")
            return code == 0 and len(json.loads(out)["people"]) == 1
        wait_for(found, 30, f"finding {name}")

    def texts(self, node, *flags):
        return [m["text"] for m in node.json("inbox", *flags)["requests" if "--requests" in flags else "messages"]]

    def send(self, node, *words):
        code, out, err = node.run("send", *words, "--json")
        return code, json.loads(out), err

    def befriend(self, a, b):
        self.find(a, b.name)
        a.json("contact", "accept", "@1")
        self.find(b, a.name)
        b.json("contact", "accept", "@1")

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

    def test_a_call(self):
        alice, bob = self.people(["Alice", "Bob"])
        following = Running(bob, "inbox", "--follow", "--json")
        self.find(alice, "Bob")
        calling = Running(alice, "call", "@1")
        wait_for(lambda: bob.json("status")["calls"], 20, "ringing")
        number = bob.json("status")["calls"][0]["id"]
        wait_for(lambda: any('"ringing"' in line for line in following.lines), 20, "the ringing in inbox --follow")
        answering = Running(bob, "call", "--accept", number[:8])
        calling.say("hello Bob")
        answering.heard("Alice: hello Bob")
        answering.say("hello Alice")
        calling.heard("Bob: hello Alice")
        calling.process.send_signal(signal.SIGINT)
        self.assertEqual(calling.end(), 0)
        self.assertEqual(answering.end(), 0)
        following.process.send_signal(signal.SIGINT)
        self.assertEqual(following.end(), 130)

        self.assertTrue(any("sip:bob@example.net" in line for line in calling.talk))
        declined = Running(alice, "call", "@1")
        wait_for(lambda: bob.json("status")["calls"], 20, "ringing again")
        bob.json("call", "--decline", bob.json("status")["calls"][0]["id"])
        self.assertEqual(declined.end(), 5)
        wait_for(lambda: any("declined" in line for line in declined.talk), 5, "a word about it")
        bob.kill()
        self.assertEqual(Running(alice, "call", "@1").end(60), 1)


if __name__ == "__main__":
    overlay.main(__name__)
