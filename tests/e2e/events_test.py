# SPDX-License-Identifier: MIT
"""The stream of events as a program sees it: numbered without holes, resumed where it broke, honest about loss."""
import http.client
import json
import socket
import threading

import overlay
from overlay import wait_for
from people import People


class Stream:
    """GET /v1/events, with what came so far."""

    def __init__(self, node, last=None):
        self.connection = http.client.HTTPConnection("beckond", timeout=60)
        self.connection.sock = socket.socket(socket.AF_UNIX)
        self.connection.sock.connect(str(node.home / "api.sock"))
        self.socket = self.connection.sock
        headers = {"Accept": "text/event-stream"}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        self.connection.request("GET", "/v1/events", headers=headers)
        self.reply = self.connection.getresponse()
        self.events = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        event = {}
        try:
            for line in self.reply:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                elif event:
                    self.events.append({**event, "id": int(event["id"])})
                    event = {}
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed by us or by the end of the node

    def messages(self):
        return [json.loads(e["data"])["text"] for e in self.events if e["event"] == "message"]

    def numbers(self):
        return [e["id"] for e in self.events]

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.connection.close()


class Events(People):
    def test_a_listener_misses_nothing_or_is_told(self):
        alice, bob = self.people(["Alice", "Bob"])
        self.befriend(alice, bob)
        say = lambda text: self.assertEqual(self.send(alice, bob.user[:8], text)[0], 0)
        stream = Stream(bob)
        for text in ("one", "two", "three"):
            say(text)
        wait_for(lambda: stream.messages() == ["one", "two", "three"], 20, f"the messages ({stream.events})")
        first = stream.numbers()[0]
        self.assertEqual(stream.numbers(), list(range(first, first + len(stream.events))))

        # The connection breaks; what came meanwhile is told on return, once and in order.
        stream.close()
        last = stream.numbers()[-1]
        say("four")
        say("five")
        stream = Stream(bob, last)
        say("six")
        wait_for(lambda: stream.messages() == ["four", "five", "six"], 20, f"what was missed ({stream.events})")
        self.assertEqual(stream.numbers(), list(range(last + 1, last + 1 + len(stream.events))))
        self.assertNotIn("gap", [e["event"] for e in stream.events])
        stream.close()

        # The node dies, and with it what it remembered: the listener is told so before anything else.
        last = stream.numbers()[-1]
        bob.kill()
        bob.up()
        stream = Stream(bob, last)
        wait_for(lambda: stream.events, 20, "an event")
        self.assertEqual(stream.events[0]["event"], "gap")
        self.assertGreaterEqual(json.loads(stream.events[0]["data"])["lost"], 1)
        say("seven")
        wait_for(lambda: stream.messages() == ["seven"], 60, f"going on ({stream.events})")
        self.assertEqual(stream.numbers(), list(range(stream.numbers()[0], stream.numbers()[0] + len(stream.events))))
        stream.close()


if __name__ == "__main__":
    overlay.main(__name__)
