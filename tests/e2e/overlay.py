# SPDX-License-Identifier: MIT
"""Real nodes on loopback, started and asked only through the programs that users have."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

BECKON = None  # set by main()


class Node:
    def __init__(self, home, stabilize="300ms", defaults=False, program=None):
        self.home = pathlib.Path(home)
        self.program = program  # instead of BECKON
        self.listen = "127.0.0.1:0"
        self.prefix = []  # what the node must be started under
        if not self.home.exists():
            self.home.mkdir(mode=0o700, parents=True)
            if defaults:  # as a new user's
                return
            (self.home / "config.toml").write_text(
                f'[ring]\nstabilize = "{stabilize}"\nprobe = "1s"\nfinger = "1s"\n[store]\nsync = "2s"\n')

    def command(self, *words):
        return [*(self.prefix if words[0] == "up" else []), self.program or BECKON, "--home", str(self.home), *words]

    def run(self, *words, timeout=60):
        """(exit code, stdout, stderr) of one command."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("BECKON_")}
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=timeout, env=environment)
        return done.returncode, done.stdout, done.stderr

    def json(self, *words, fine=(0,)):
        code, out, err = self.run(*words, "--json")
        if code not in fine:
            raise AssertionError(f"beckon {' '.join(words)}: exit {code}\n{out}{err}")
        return json.loads(out)

    def up(self, *words):
        """Starts the node and keeps its port for later starts."""
        made = self.json("up", "--listen", self.listen, *words)
        self.listen = made["node"]["listen"]
        self.id = made["node"]["id"]
        return made

    def start_up(self, *words):
        """The same without waiting; the caller waits for the process."""
        return subprocess.Popen(self.command("up", "--listen", self.listen, "--json", *words),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish_up(self, process):
        out, err = process.communicate(timeout=60)
        if process.returncode != 0:
            raise AssertionError(f"beckon up: exit {process.returncode}\n{out}{err}")
        node = json.loads(out)["node"]
        self.listen, self.id = node["listen"], node["id"]

    def pid(self):
        """Of the beckond that serves this home, found by the home it was started with."""
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            if words[0].endswith("beckond") and str(self.home) in words:
                return int(entry.name)
        return None

    def kill(self):
        pid = self.pid()
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda: not pathlib.Path(f"/proc/{pid}").exists() or self.pid() is None, 10, "the kill")


def wait_for(condition, seconds, what):
    """Asks again and again until it holds; the pause only spares the processor."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not happen within {seconds} s")
        time.sleep(0.05)


def ring_is_ideal(nodes):
    """Every node's predecessor and successor list are exactly the living nodes in order."""
    ids = sorted(node.id for node in nodes)
    for node in nodes:
        code, out, _ = node.run("net", "ring", "--json")
        if code != 0:
            return False
        ring = json.loads(out)
        at = ids.index(node.id)
        after = [ids[(at + i) % len(ids)] for i in range(1, len(ids))][:16]
        if [peer["id"] for peer in ring["successors"]] != after:
            return False
        if len(ids) > 1 and ring["predecessor"] != ids[at - 1]:
            return False
    return True


class Overlay(unittest.TestCase):
    """A folder for homes; whatever is left running at the end is killed."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="beckon-e2e-"))
        self.nodes = []

    def tearDown(self):
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def node(self, name=None, **options):
        node = Node(self.folder / (name or f"n{len(self.nodes)}"), **options)
        self.nodes.append(node)
        return node

    def ring(self, count):
        nodes = [self.node() for _ in range(count)]
        nodes[0].up()
        joining = [(node, node.start_up("--join", nodes[0].listen)) for node in nodes[1:]]
        for node, process in joining:
            node.finish_up(process)
        return nodes


def main(module):
    """First argument: the beckon program; the rest goes to unittest."""
    import sys
    global BECKON
    BECKON = os.path.abspath(sys.argv.pop(1))
    unittest.main(module=module, verbosity=2)
