# SPDX-License-Identifier: MIT
"""Delays every packet that passes a TUN device by an amount drawn from one seed, so that packets overtake each other.

Stands in for netem, which not every kernel has. The packets come back out of the same device; routing rules send each
of them through it once. On SIGUSR1 it prints one line of JSON: how many passed and how many were overtaken.
"""
import argparse
import fcntl
import heapq
import json
import os
import random
import select
import signal
import struct
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x1, 0x1000
LARGEST_PACKET = 65535
MOST_WAITING = 20000  # a full queue drops, as a router's does


def open_tun(name):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return fd


class Relay:
    def __init__(self, fd, rng, shortest, longest):
        self.fd, self.rng, self.shortest, self.longest = fd, rng, shortest, longest
        self.waiting = []  # (due, number, packet)
        self.taken = self.newest_given = self.overtaken = 0

    def delay(self):
        """Mostly even between the bounds; one packet in fifty is caught in a queue somewhere."""
        return self.rng.uniform(self.shortest, self.longest) * (5 if self.rng.random() < 0.02 else 1)

    def take(self):
        try:
            packet = os.read(self.fd, LARGEST_PACKET)
        except BlockingIOError:
            return
        if len(self.waiting) < MOST_WAITING:
            self.taken += 1
            heapq.heappush(self.waiting, (time.monotonic() + self.delay(), self.taken, packet))

    def give(self):
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            _, number, packet = heapq.heappop(self.waiting)
            self.overtaken += number < self.newest_given
            self.newest_given = max(self.newest_given, number)
            try:
                os.write(self.fd, packet)
            except OSError:
                pass  # a full or vanishing device loses the packet, as a wire would

    def run(self):
        while True:
            pause = max(0, self.waiting[0][0] - time.monotonic()) if self.waiting else None
            if select.select([self.fd], [], [], pause)[0]:
                self.take()
            self.give()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--delay-ms", nargs=2, type=float, default=(1, 20), metavar=("SHORTEST", "LONGEST"))
    options = parser.parse_args()
    shortest, longest = (ms / 1000 for ms in options.delay_ms)
    relay = Relay(open_tun(options.device), random.Random(options.seed), shortest, longest)

    def report(*_):
        print(json.dumps({"passed": relay.taken, "overtaken": relay.overtaken}), flush=True)

    signal.signal(signal.SIGUSR1, report)
    print("ready", flush=True)
    relay.run()


if __name__ == "__main__":
    main()
