# SPDX-License-Identifier: MIT
"""Real nodes in a young ring: no answer called complete lacks a person that was reported safe before."""
import json
import sys
import threading
import time

import overlay
from overlay import Overlay
from people import api, environment

import subprocess

ROUNDS = 3  # of each case


class Truth(Overlay):
    def setUp(self):
        super().setUp()
        self.safe = []  # nicknames, in the order in which they were reported safe
        self.lock = threading.Lock()
        self.answers = self.open = 0
        self.wrong = []

    def host(self, node, names):
        """Imports people; those of a wholly successful import are safe from now on."""
        lines = "".join(json.dumps({"nickname": name, "hobby": ["chess"]}) + "\n" for name in names)
        file = self.folder / f"{names[0]}.jsonl"
        file.write_text(lines)
        done = subprocess.run(node.command("profile", "import", str(file), "--publish", "--json"), text=True,
                              capture_output=True, timeout=60, env=environment())
        if done.returncode == 0 and json.loads(done.stdout)["published"] == len(names):
            with self.lock:
                self.safe += names

    def ask(self, node):
        """One question, judged against what was safe when it began."""
        with self.lock:
            wanted = set(self.safe)
        answer = api(node, "/v1/find?hobby=chess&_limit=10000&_explain=1")
        names = {person["attrs"].get("nickname") for person in answer["people"]}
        with self.lock:
            self.answers += 1
            if not answer["complete"]:
                self.open += 1
            elif wanted - names:
                self.wrong.append(f"{node.home.name}: {len(wanted - names)} of {len(wanted)} missing, "
                                  f"{answer['explain']['reads']}")

    def judge(self, what):
        print(f"{what}: {self.answers} answers, {self.open} open, {len(self.wrong)} wrong, {len(self.safe)} safe people",
              file=sys.stderr)
        self.assertEqual(self.wrong, [])
        self.assertLess(self.open, self.answers)
        self.assertTrue(self.safe)

    def test_nodes_that_join_one_after_another_give_no_wrong_complete_answer(self):
        for round in range(ROUNDS):
            nodes = [self.node(defaults=True) for _ in range(6)]
            self.safe = []
            for i, node in enumerate(nodes):
                node.up(*(["--join", nodes[0].listen] if i else []))
                self.host(node, [f"r{round}n{i}p{j}" for j in range(4)])
            for node in nodes:
                for _ in range(4):
                    self.ask(node)
            for node in nodes:
                node.kill()
        self.judge("joins in a row")

    def test_a_start_storm_that_is_asked_meanwhile_gives_no_wrong_complete_answer(self):
        for round in range(ROUNDS):
            nodes = [self.node(defaults=True) for _ in range(8)]
            self.safe = []
            nodes[0].up()
            self.host(nodes[0], [f"r{round}first{j}" for j in range(4)])
            end = time.monotonic() + 8

            def live(i, node):
                if i:
                    node.finish_up(node.start_up("--join", nodes[0].listen))
                    self.host(node, [f"r{round}n{i}p{j}" for j in range(4)])
                while time.monotonic() < end:
                    self.ask(node)

            lives = [threading.Thread(target=live, args=pair) for pair in enumerate(nodes)]
            for one in lives:
                one.start()
            for one in lives:
                one.join(120)
            for node in nodes:
                node.kill()
        self.judge("start storm")


if __name__ == "__main__":
    overlay.main(__name__)
