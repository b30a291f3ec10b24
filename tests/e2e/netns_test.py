# SPDX-License-Identifier: MIT
"""Nodes on hosts of their own, with packets that are late, in the wrong order or lost, and a cut through the middle."""
import hashlib
import json
import sys
import time

import netns
import overlay
from overlay import Node, Overlay, ring_is_ideal, wait_for

SEED = 20260
HOSTS = 8


class HostedNode(Node):
    def __init__(self, home, host):
        super().__init__(home)
        self.listen = f"{netns.Internet.address(host)}:7000"
        self.prefix = ["ip", "netns", "exec", netns.Internet.name(host)]


def owner_of(key, nodes):
    """By the definition: the first id at or after the key, clockwise."""
    ids = sorted(node.id for node in nodes)
    return next((id for id in ids if id >= key), ids[0])


class FaultyNetwork(Overlay):
    def setUp(self):
        super().setUp()
        self.internet = netns.Internet(HOSTS, SEED, delay_ms=(1, 15), loss_percent=3)

    def tearDown(self):
        super().tearDown()
        self.internet.close()

    def node(self, name=None, **options):
        host = len(self.nodes) + 1
        self.nodes.append(HostedNode(self.folder / f"n{host}", host))
        return self.nodes[-1]

    def wait_ideal(self, nodes, seconds, what):
        begin = time.monotonic()
        wait_for(lambda: ring_is_ideal(nodes), seconds, what)
        print(f"{what} after {time.monotonic() - begin:.1f} s", file=sys.stderr)

    def check_lookups(self, nodes):
        """Everybody names the owner that the definition gives. A lookup goes round a peer whose last answer was lost,
        and may then name its neighbour; so a wrong answer is asked for again, and told."""
        again = 0
        for text in ("chess", "rowing", "Prague"):
            right = owner_of(hashlib.sha256(text.encode()).hexdigest()[:40], nodes)
            for node in nodes:
                def found():
                    nonlocal again
                    owner = node.json("net", "trace", text)["owner"]
                    again += 1
                    return owner is not None and owner["id"] == right
                wait_for(found, 15, f"the right owner of {text}, asked at {node.listen}, {right}")
                again -= 1
        print(f"lookups right, {again} of them not at once", file=sys.stderr)

    def publish(self, nodes):
        """One person at every node."""
        for number, node in enumerate(nodes):
            file = self.folder / f"person{number}.jsonl"
            file.write_text(json.dumps({"nickname": f"p{number}", "hobby": ["rowing"]}) + "\n")
            done = node.json("profile", "import", str(file), "--publish")
            self.assertEqual(done, {"imported": 1, "published": 1, "failed": []})

    def check_found(self, askers, count):
        everybody = [f"p{number}" for number in range(count)]
        for node in askers:
            def complete():
                answer = node.json("find", "hobby=rowing", "--timeout", "10s", fine=(0, 4))  # 4: not complete
                found = sorted(p["attrs"]["nickname"] for p in answer["people"] if p["verified"])
                return answer["complete"] and found == everybody
            wait_for(complete, 30, f"{count} people, looked for at {node.listen},")

    def test_loss_delay_and_a_cut_through_the_middle(self):
        print(f"\nseed {SEED}", file=sys.stderr)
        nodes = self.ring(HOSTS)
        self.wait_ideal(nodes, 60, f"an ideal ring of {HOSTS} under loss and delay")
        self.check_lookups(nodes)
        self.publish(nodes)
        self.check_found(nodes[:1], HOSTS)

        half = HOSTS // 2
        hosts = list(self.internet.hosts)
        self.internet.cut(hosts[:half], hosts[half:])
        for side in (nodes[:half], nodes[half:]):
            self.wait_ideal(side, 60, f"an ideal ring of {half} on one side of the cut")

        self.internet.heal()
        self.wait_ideal(nodes, 90, "one ideal ring after the cut healed")
        self.check_lookups(nodes)
        self.check_found([nodes[0], nodes[-1]], HOSTS)
        for node in nodes:
            status = node.json("status")
            self.assertEqual(status["node"]["state"], "joined")
            self.assertEqual(status["ring"]["size_estimate"], HOSTS)

        self.check_faults_happened()

    def check_faults_happened(self):
        counts = {"lost": self.internet.dropped("lost"), "cut": self.internet.dropped("cut"), **self.internet.relayed()}
        print(f"packets: {counts}", file=sys.stderr)
        for count in counts.values():
            self.assertGreater(count, 0)


if __name__ == "__main__":
    netns.enter()
    overlay.main(__name__)
