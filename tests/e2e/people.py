# SPDX-License-Identifier: MIT
"""People on real nodes, each with a name and a home, and what they do with messages."""
import http.client
import json
import os
import pty
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


def post(node, path, body):
    """The status of the answer to a POST. A server may refuse a body before it has read all of it."""
    connection = http.client.HTTPConnection("beckond", timeout=20)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(node.home / "api.sock"))
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
    except BrokenPipeError:
        pass
    status = connection.getresponse().status
    connection.close()
    return status


class Running:
    """A beckon command that goes on, with its lines as they come."""

    def __init__(self, node, *words):
        self.process = subprocess.Popen([overlay.BECKON, "--home", str(node.home), *words], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment(), bufsize=1)
        self.lines = []
        self.talk = []
        self.readers = []
        for stream, kept in ((self.process.stdout, self.lines), (self.process.stderr, self.talk)):
            self.readers.append(threading.Thread(target=self.read, args=(stream, kept), daemon=True))
            self.readers[-1].start()

    @staticmethod
    def read(stream, kept):
        with stream:
            kept.extend(iter(stream.readline, ""))

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def said(self, words, seconds=20):
        """Until a line on standard error holds these words."""
        wait_for(lambda: any(words in line for line in self.talk), seconds,
                 f"hearing that '{words}' (heard {self.lines}, {self.talk})")

    def heard(self, line, seconds=20):
        wait_for(lambda: line + "\n" in self.lines, seconds, f"hearing '{line}' (heard {self.lines}, {self.talk})")

    def end(self, seconds=30):
        code = self.process.wait(timeout=seconds)
        self.process.stdin.close()
        for reader in self.readers:
            reader.join(seconds)
        return code


class People(Overlay):
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


class Terminal:
    """A beckon command that believes a person sits in front of it."""

    def __init__(self, node, *words):
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen([overlay.BECKON, "--home", str(node.home), *words], stdin=theirs,
                                        stdout=theirs, stderr=theirs, env=environment(), start_new_session=True)
        os.close(theirs)
        self.fd = ours
        self.text = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while True:
            try:
                self.text += os.read(self.fd, 4096).decode(errors="replace")
            except OSError:  # the other end is closed, and all that was written to it is read
                return

    def shows(self, words, seconds=20):
        wait_for(lambda: words in self.text, seconds, f"showing '{words}' (shown: {self.text!r})")

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self, seconds=30):
        """The exit code. The last lines may still be on their way when the process is gone: waits for them, too."""
        code = self.process.wait(timeout=seconds)
        self.reader.join(seconds)
        if self.reader.is_alive():
            raise AssertionError(f"the terminal is still open {seconds} s after the command ended")
        os.close(self.fd)
        return code
