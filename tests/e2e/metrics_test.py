# SPDX-License-Identifier: MIT
"""What Prometheus reads of a node: strictly in its text format, named by its conventions, and all that the dashboard asks."""
import contextlib
import http.client
import json
import pathlib
import re
import socket

import overlay
from overlay import Overlay, ring_is_ideal, wait_for

DASHBOARD = pathlib.Path(__file__).parents[2] / "docs/grafana-dashboard.json"
NUMBER = r"[-+]?(\d+(\.\d+)?(e[-+]?\d+)?|Inf|NaN)"


def scrape(node):
    connection = http.client.HTTPConnection("beckond", timeout=20)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(node.home / "api.sock"))
    connection.request("GET", "/metrics")
    with contextlib.closing(connection.sock), connection.getresponse() as reply:
        assert reply.getheader("Content-Type").startswith("text/plain; version=0.0.4"), reply.getheaders()
        return reply.read().decode()


def parse(text):
    """{name: (type, {labels: value})}; raises for everything that the format or the conventions do not allow."""
    out = {}
    assert text.endswith("\n")
    for block in re.split(r"^(?=# HELP )", text, flags=re.M)[1:]:
        head, kind, *samples = block.splitlines()
        name = re.fullmatch(r"# HELP (beckon_[a-z][a-z0-9_]*) \S.*", head)[1]
        kind = re.fullmatch(rf"# TYPE {name} (counter|gauge|histogram)", kind)[1]
        assert name not in out, f"{name} twice"
        assert name.endswith("_total") == (kind == "counter"), name
        assert not re.search(r"_(ms|milliseconds|minutes|hours|kb|mb|percent|count|sum|bucket)(_total)?$", name), name
        assert re.search(r"_(seconds|bytes)$", name) or kind != "histogram", name
        values = {}
        for line in samples:
            found = re.fullmatch(rf'{name}(_bucket|_sum|_count)?(\{{le="([^"]+)"\}})? ({NUMBER})', line)
            assert found, line
            assert (found[1] is not None) == (kind == "histogram") and (found[2] is not None) == (found[1] == "_bucket"), line
            key = (found[1] or "", found[3] or "")
            assert key not in values, line
            values[key] = float(found[4])
        assert values, name
        if kind == "histogram":
            check_histogram(name, values)
        out[name] = (kind, values)
    return out


def check_histogram(name, values):
    buckets = [(float(bound), value) for (part, bound), value in values.items() if part == "_bucket"]
    assert buckets == sorted(buckets) and [n for _, n in buckets] == sorted(n for _, n in buckets), name
    assert buckets[-1][0] == float("inf") and buckets[-1][1] == values["_count", ""], name
    assert ("_sum", "") in values, name


class Metrics(Overlay):
    def test_the_text_is_strict_and_histograms_count(self):
        node, other = self.ring(2)
        wait_for(lambda: ring_is_ideal([node, other]), 30, "a ring of two")
        self.assertEqual(other.run("profile", "set", "hobby=chess")[0], 0)
        self.assertEqual(other.run("profile", "publish")[0], 0)
        person = node.json("find", "hobby=chess")["people"][0]["id"]
        self.assertEqual(node.run("send", person, "hello")[0], 0)
        seen = {**parse(scrape(other)), **parse(scrape(node))}
        for name in ("find", "letter", "request"):
            self.assertGreater(seen[f"beckon_{name}_duration_seconds"][1]["_count", ""], 0, name)
        self.assertGreater(seen["beckon_loop_delay_seconds"][1]["_count", ""], 0)
        self.assertGreater(parse(scrape(other))["beckon_put_duration_seconds"][1]["_count", ""], 0)

    def test_the_dashboard_asks_only_for_what_there_is(self):
        node = self.node()
        node.up()
        known = parse(scrape(node))
        names = set(known)
        for name, (kind, _) in known.items():
            if kind == "histogram":
                names |= {name + part for part in ("_bucket", "_sum", "_count")}
        board = json.loads(DASHBOARD.read_text())
        asked = {word for panel in board["panels"] for target in panel.get("targets", [])
                 for word in re.findall(r"beckon_\w+", target["expr"])}
        self.assertGreater(len(asked), 20)
        self.assertEqual(asked - names, set())
        places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in board["panels"]]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual(len({p["id"] for p in board["panels"]}), len(board["panels"]))


if __name__ == "__main__":
    overlay.main(__name__)
