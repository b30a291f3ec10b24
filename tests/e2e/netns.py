# SPDX-License-Identifier: MIT
"""A small internet inside this process's own namespaces: one hub that routes, and any number of hosts behind it.

Packets between hosts pass the relay (delay, reordering) and then nftables (loss, cuts). All of it, the processes too,
ends with the process: enter() puts it into namespaces of its own, as the first process of a new process namespace.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

SKIPPED = 77  # ctest's SKIP_RETURN_CODE
INSIDE = "BECKON_E2E_INSIDE"
HERE = pathlib.Path(__file__).parent


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(SKIPPED)


def enter():
    """Becomes this program again inside new namespaces, or skips. Returns once inside."""
    if os.environ.get(INSIDE):
        return
    for program, package in (("unshare", "util-linux"), ("ip", "iproute2"), ("nft", "nftables")):
        if shutil.which(program) is None:
            skip(f"{program} is missing; install the package {package}")
    unshare = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0:
        unshare.append("--map-root-user")
    probe = ("mount -t tmpfs tmpfs /run && mkdir /run/netns && ip link set lo up && ip netns add probe && "
             "ip -n probe tuntap add dev probe0 mode tun && ip netns exec probe nft add table inet probe")
    tried = subprocess.run([*unshare, "sh", "-c", probe], capture_output=True, text=True)
    if tried.returncode != 0:
        skip(f"network namespaces, TUN or nftables are not permitted here: {tried.stderr.strip()}")
    inside = 'mount -t tmpfs tmpfs /run && mkdir /run/netns /run/homes && exec "$@"'
    os.environ.update({INSIDE: "1", "TMPDIR": "/run/homes"})
    os.execvp("unshare", [*unshare, "sh", "-c", inside, "sh", sys.executable, *sys.argv])


def must(*words, text=None):
    subprocess.run(words, input=text, text=True, check=True)


class Internet:
    """Host i has the address 10.88.i.2; nothing of it is visible outside."""

    def __init__(self, hosts, seed, delay_ms, loss_percent):
        self.hosts = range(1, hosts + 1)
        must("ip", "netns", "add", "hub")
        self.set("ip_forward", 1)
        for i in self.hosts:
            self.add_host(i)
        self.add_relay(seed, delay_ms)
        self.nft(f"""table inet faults {{
                       counter lost {{ }}
                       counter cut {{ }}
                       chain cuts {{ }}
                       chain passing {{
                         type filter hook forward priority 0; policy accept;
                         oifname "chaos" accept
                         numgen random mod 100 < {loss_percent} counter name lost drop
                         jump cuts
                       }}
                     }}""")

    @staticmethod
    def name(i):
        return f"host{i}"

    @staticmethod
    def address(i):
        return f"10.88.{i}.2"

    @staticmethod
    def set(name, value):
        must("ip", "netns", "exec", "hub", "sh", "-c", f"echo {value} > /proc/sys/net/ipv4/{name}")

    def add_host(self, i):
        name = self.name(i)
        must("ip", "netns", "add", name)
        must("ip", "-n", "hub", "link", "add", f"to{i}", "type", "veth", "peer", "name", "eth0", "netns", name)
        must("ip", "-n", "hub", "address", "add", f"10.88.{i}.1/24", "dev", f"to{i}")
        must("ip", "-n", "hub", "link", "set", f"to{i}", "up")
        must("ip", "-n", name, "address", "add", f"{self.address(i)}/24", "dev", "eth0")
        must("ip", "-n", name, "link", "set", "lo", "up")
        must("ip", "-n", name, "link", "set", "eth0", "up")
        must("ip", "-n", name, "route", "add", "default", "via", f"10.88.{i}.1")

    def add_relay(self, seed, delay_ms):
        """What did not come out of the relay goes into it."""
        must("ip", "-n", "hub", "tuntap", "add", "dev", "chaos", "mode", "tun")
        self.relay = subprocess.Popen(
            ["ip", "netns", "exec", "hub", sys.executable, str(HERE / "relay.py"), "chaos", "--seed", str(seed),
             "--delay-ms", *map(str, delay_ms)], stdout=subprocess.PIPE, text=True)
        assert self.relay.stdout.readline() == "ready\n"
        must("ip", "-n", "hub", "link", "set", "chaos", "up")
        for kind in ("all", "chaos"):  # its packets have senders that live elsewhere
            self.set(f"conf/{kind}/rp_filter", 0)
        must("ip", "-n", "hub", "route", "add", "default", "dev", "chaos", "table", "100")
        must("ip", "-n", "hub", "rule", "add", "not", "iif", "chaos", "to", "10.88.0.0/16", "lookup", "100")

    def nft(self, text):
        must("ip", "netns", "exec", "hub", "nft", "-f", "-", text=text)

    def cut(self, left, right):
        """No packet passes between the two groups of hosts until heal()."""
        sides = ["{ " + ", ".join(self.address(i) for i in side) + " }" for side in (left, right)]
        for a, b in (sides, reversed(sides)):
            self.nft(f"add rule inet faults cuts ip saddr {a} ip daddr {b} counter name cut drop")

    def heal(self):
        self.nft("flush chain inet faults cuts")

    def dropped(self, counter):
        listed = subprocess.run(["ip", "netns", "exec", "hub", "nft", "-j", "list", "counter", "inet", "faults", counter],
                                capture_output=True, text=True, check=True).stdout
        return next(part["counter"]["packets"] for part in json.loads(listed)["nftables"] if "counter" in part)

    def relayed(self):
        """What the relay has counted so far."""
        self.relay.send_signal(signal.SIGUSR1)
        return json.loads(self.relay.stdout.readline())

    def close(self):
        self.relay.kill()
        self.relay.communicate()
        for name in ["hub", *map(self.name, self.hosts)]:
            subprocess.run(["ip", "netns", "delete", name], check=False)
