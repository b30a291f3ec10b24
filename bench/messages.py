#!/usr/bin/env python3
"""What does a delivered message cost? Real nodes on loopback, asked over their HTTP API.

messages.py BECKON [--messages N] [--nodes N] [--users N]

1. One message at a time between two nodes until it is delivered, beside round trips of frames over the same TLS link
   (the daemon's own ping) and durable commits of SQLite on the same disk, turn about in one run.
2. Messages per second with 16 under way.
3. A group send by query to everybody on all nodes.
A message needs two commits, one behind the other: the sender's outbox before it goes out, the recipient's inbox before
it counts as delivered. The goal is 3 round trips and one commit; what is above that is said, not hidden.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import socket
import sqlite3
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "e2e"))
import overlay  # noqa: E402
from overlay import Node, ring_is_ideal, wait_for  # noqa: E402


class Api:
    """One kept connection to a node's daemon for each thread that asks."""

    def __init__(self, node):
        self.path = str(node.home / "api.sock")
        self.local = threading.local()

    def call(self, method, path, body=None):
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("beckond", timeout=600)
            self.local.connection.sock = socket.socket(socket.AF_UNIX)
            self.local.connection.sock.connect(self.path)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self.local.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        reply = self.local.connection.getresponse()
        text = reply.read()
        if reply.status != 200:
            raise SystemExit(f"{method} {path}: {reply.status} {text.decode()}")
        return json.loads(text)


def settle(node, file, hobby, count):
    """People on a node, each of them published."""
    file.write_text("".join(json.dumps({"name": f"{hobby} {i}", "hobby": hobby}) + "\n" for i in range(count)))
    made = node.json("profile", "import", str(file), "--publish")
    assert made["published"] == count, made


def found(api, hobby, count):
    people = []
    def complete():
        people[:] = api.call("GET", f"/v1/find?hobby={hobby}&_limit=10000&_timeout=30s")["people"]
        return len(people) == count
    wait_for(complete, 60, f"finding {count} people")
    return people


def callee(person):
    return {"name": person["name"], **{k: person["contact"][k] for k in ("key", "message_key", "host", "address")}}


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def line(name, values):
    print(f"{name:<34} p50 {percentile(values, 0.5) * 1e3:8.2f} ms   quartiles {percentile(values, 0.25) * 1e3:.2f}"
          f" .. {percentile(values, 0.75) * 1e3:.2f}   p99 {percentile(values, 0.99) * 1e3:.2f}")


def timed(action):
    begin = time.perf_counter()
    result = action()
    return time.perf_counter() - begin, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("beckon")
    parser.add_argument("--messages", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=4, help="for the group send")
    parser.add_argument("--users", type=int, default=60, help="for the group send, on all nodes together")
    options = parser.parse_args()
    overlay.BECKON = options.beckon
    with tempfile.TemporaryDirectory(prefix="beckon-bench-") as folder:
        folder = pathlib.Path(folder)
        nodes = [Node(folder / f"n{i}") for i in range(max(2, options.nodes))]
        try:
            nodes[0].up()
            for node in nodes[1:]:
                node.up("--join", nodes[0].listen)
            wait_for(lambda: ring_is_ideal(nodes), 60, "an ideal ring")
            measure_pair(nodes, folder, options.messages)
            measure_group(nodes, folder, options.users)
        finally:
            for node in nodes:
                node.kill()


def measure_pair(nodes, folder, messages):
    pairs = 20  # one sender may send a recipient 200 at once and then 5 a second
    sender, receiver = Api(nodes[0]), Api(nodes[1])
    settle(nodes[0], folder / "a.jsonl", "sending", pairs)
    settle(nodes[1], folder / "b.jsonl", "receiving", pairs)
    senders = found(receiver, "sending", pairs)
    receivers = found(sender, "receiving", pairs)
    for a, b in zip(senders, receivers):
        receiver.call("PUT", f"/v1/contacts/found?_as={b['id']}", {**callee(a), "standing": "accepted"})

    def send(number):
        a, b = senders[number % pairs], receivers[number % pairs]
        reply = sender.call("POST", f"/v1/messages?_as={a['id']}", {"to": [callee(b)], "text": f"message {number}"})
        assert reply["delivered"] == 1, reply

    disk = sqlite3.connect(folder / "disk.db", isolation_level=None)
    disk.execute("pragma journal_mode=wal")
    disk.execute("pragma synchronous=full")
    disk.execute("create table t (k integer primary key, v blob)")

    def commit(number):
        disk.execute("insert into t values (?, ?)", (number, b"x" * 400))

    def ping():
        """None when the node did not answer this one, as happens to more pings than it wants."""
        return sender.call("GET", f"/v1/net/ping?node={nodes[1].id}")["round_trip_ms"]

    costs = {"delivered": [], "trip": [], "commit": [], "api": []}
    for number in range(messages):
        costs["delivered"].append(timed(lambda: send(number))[0])
        took, trip = timed(ping)
        if trip is not None:
            costs["trip"].append(trip / 1e3)
            costs["api"].append(took - trip / 1e3)
        costs["commit"].append(timed(lambda: commit(number))[0])
    print(f"One at a time, {messages} of each, turn about:")
    line("delivered message, by HTTP", costs["delivered"])
    line("round trip on the TLS link (ping)", costs["trip"])
    line("durable commit (SQLite, WAL, full)", costs["commit"])
    line("HTTP and client around it", costs["api"])
    p50 = {name: statistics.median(values) for name, values in costs.items()}
    bare = p50["delivered"] - p50["api"]
    print(f"Without HTTP: {bare * 1e3:.2f} ms; 3 round trips + 1 commit: "
          f"{(3 * p50['trip'] + p50['commit']) * 1e3:.2f} ms; ratio {bare / (3 * p50['trip'] + p50['commit']):.2f}; "
          f"with 2 commits: {bare / (3 * p50['trip'] + 2 * p50['commit']):.2f}")

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        took, _ = timed(lambda: list(pool.map(send, range(messages, 2 * messages))))
    print(f"16 under way: {messages / took:.0f} delivered messages/s")


def measure_group(nodes, folder, users):
    share = users // len(nodes)
    for number, node in enumerate(nodes):
        settle(node, folder / f"g{number}.jsonl", "gathering", share)
    api = Api(nodes[0])
    found(api, "gathering", share * len(nodes))
    took, reply = timed(lambda: api.call("POST", "/v1/messages", {
        "query": "hobby=gathering", "all": True, "text": "to all of you", "timeout": "10m"}))
    print(f"Group of {reply['found']} on {len(nodes)} nodes, found and sent: {took:.2f} s, {reply['delivered'] / took:.0f}"
          f" delivered/s ({reply['delivered']} delivered, {reply['kept']} kept, {reply['refused']} refused,"
          f" {reply['unreachable']} unreachable)")


if __name__ == "__main__":
    main()
