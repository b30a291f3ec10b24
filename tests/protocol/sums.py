# SPDX-License-Identifier: MIT
"""How holders compare items: entries, their numbers and sums (docs/protocol.md, Comparison)."""
import struct

from schema import sha256


def entry(ring, kind, sub, seq, item_hash):
    return ring + bytes([kind]) + sub + struct.pack(">Q", seq) + item_hash[:8]


def number(entry_):
    return int.from_bytes(sha256(b"beckon/entry/v1" + entry_)[:16], "big")


def total(entries):
    return (sum(map(number, entries)) % (1 << 128)).to_bytes(16, "big")


def at_ring_id(ring, sum_):
    """A part for SYNC_DIGEST: all that is under one ring id."""
    return ring + bytes(21) + ring + b"\xff" * 21 + sum_


def examples():
    """As the page prints them."""
    one, other = (entry(b"\x11" * 20, 2, b"\x22" * 20, seq, bytes(range(1, 9))) for seq in (5, 10))
    return ["number, seq 5   " + total([one]).hex(), "number, seq 10  " + total([other]).hex(),
            "sum of both     " + total([one, other]).hex()]
