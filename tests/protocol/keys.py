# SPDX-License-Identifier: MIT
"""Ring keys: where a record is stored and what a question reads (docs/protocol-index.md 5)."""
import struct

from schema import SALT, attribute_of, sha256, space_of


TYPES = ["none", "text", "int", "decimal", "date", "ip", "hybrid", "any"]
FOLD = 1  # the number of the folding rules


def ring_key(kind, type_, name, payload):
    name, fold = name.encode(), FOLD if kind in (b"T", b"P", b"H") else 0
    return sha256(b"ix2" + SALT + kind + bytes([TYPES.index(type_), fold, len(name)]) + name + payload)[:20]


def bucket_key(kind, type_, space_name, level, *xy):
    return ring_key(kind, type_, space_name, bytes([level]) + b"".join(struct.pack(">Q", v) for v in xy))


def text_key(name, folded):
    return ring_key(b"T", attribute_of(name)["type"], name, folded.encode())


def prefix_key(name, folded):
    return ring_key(b"P", attribute_of(name)["type"], name, folded[:3].encode()) if len(folded) >= 3 else None


def size_of(space, val):
    lo, hi = val
    return hi - lo + 1 if lo <= hi else space[2] - lo + 1 + hi - space[1] + 1


def touched(space, val, width):
    """The buckets that an interval touches, in its order, and how many there are in all."""
    lo, hi, buckets = (val[0] - space[1]) // width, (val[1] - space[1]) // width, (space[2] - space[1]) // width + 1
    count = hi - lo + 1 if val[0] <= val[1] else buckets - lo + hi + 1
    return [(lo + i) % buckets for i in range(min(count, buckets))], buckets


NOWHERE = ([0], 1)  # the second axis of what has only one


def home_level(ladder, size):
    return next((i for i, width in enumerate(ladder) if width >= size), len(ladder) - 1)


def stored(axes):
    """[(level, x, y, flags, span)] of a number (one axis) or place (two): axes are (space, interval)."""
    ladder = axes[0][0][4]
    at = lambda width: ([touched(space, val, width) for space, val in axes] + [NOWHERE])[:2]
    (x, _), (y, _) = at(ladder[-1])
    if len(x) * len(y) > 16:
        return [(255, 0, 0, 7, 1)]
    home, out = home_level(ladder, max(size_of(*axis) for axis in axes)), []
    for level in range(home, len(ladder)):
        (xs, _), (ys, _) = at(ladder[level])
        out += [(level, x, y, (level == home) + 2 * (i == 0) + 4 * (j == 0), len(xs))
                for i, x in enumerate(xs) for j, y in enumerate(ys)]
    return out


def asked(axes, covers=False):
    """[(level, x, y, wanted, back)], or None if a level has too many."""
    ladder = axes[0][0][4]
    home = home_level(ladder, max(size_of(*axis) for axis in axes))
    seen = [(space, (val[0], val[0]) if covers else val) for space, val in axes]
    at = lambda width: ([touched(space, val, width) for space, val in seen] + [NOWHERE])[:2]
    out = []
    for level in range(home, len(ladder)):
        (xs, columns), (ys, rows) = at(ladder[level])
        if len(xs) * len(ys) > 16:
            return None
        for i, x in enumerate(xs):
            back = min(columns - i if i else 0, 255) if axes[0][0][3] else 255
            out += [(level, x, y, (level != home) + 2 * (i == 0) + 4 * (j == 0), back) for j, y in enumerate(ys)]
    if columns * rows > 16:
        out.append((255, 0, 0, 6, 255))
    return out


def number_keys(name, space, buckets):
    type_ = attribute_of(name)["type"]
    kind = b"H" if type_ == "hybrid" else b"N"
    return [(bucket_key(kind, type_, space[0], b[0], b[1]), b[3], b[4]) for b in buckets]


def cell_keys(cells):
    type_ = attribute_of("longitude")["type"]
    return [(bucket_key(b"G", type_, "geo", c[0], c[1], c[2]), c[3], c[4]) for c in cells]


def meet_stored(a, b):
    span = min(a[1], b[1]) if (a[0] ^ b[0]) & 2 == 0 else (a if a[0] & 2 else b)[1]
    return a[0] | b[0], span


def meet_asked(a, b):
    return (a[0] & b[0] & 1) | (a[0] | b[0]) & 6, max(a[1], b[1])


def merged(keys, meet):
    out = {}
    for key, flags, extra in keys:
        out[key] = meet(out[key], (flags, extra)) if key in out else (flags, extra)
    return [[key.hex(), *out[key]] for key in sorted(out)]


def placements(profile, owner):
    keys = [(ring_key(b"A", "none", "", bytes([owner[0] >> 4])), 7, 1)]
    axis = {}
    for name, values in profile:
        a = attribute_of(name)
        for val in values:
            if val[0] and a["type"] != "ip":
                keys.append((text_key(name, val[0]), 7, 1))
            if a["prefix_keys"] and prefix_key(name, val[0]):
                keys.append((prefix_key(name, val[0]), 7, 1))
            if val[1] is not None and a["axis"]:
                axis[a["axis"]] = space_of(name, val), val[1]
            elif val[1] is not None:
                space = space_of(name, val)
                keys += number_keys(name, space, stored([(space, val[1])]))
    if len(axis) == 2:
        keys += cell_keys(stored([axis["longitude"], axis["latitude"]]))
    return merged(keys, meet_stored)
