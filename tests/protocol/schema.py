# SPDX-License-Identifier: MIT
"""The overlay, its schema, texts and values (docs/protocol-index.md 1, 2).

A value is (text, (lo, hi)); either part may be None.
"""
import calendar
import datetime
import hashlib
import ipaddress
import json
import math
import pathlib
import re
import struct
import unicodedata
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext


def sha256(data):
    return hashlib.sha256(data).digest()


SALT = sha256(b"beckon/overlay/1/builtin")[:16]


def counted8(string):
    return bytes([len(string)]) + string.encode()


def overlay_id(file=dict(name="beckon", salt=SALT.hex(), admission="open", schema="default")):
    """The id of an overlay file (docs/protocol.md, "Overlay file"); of the built-in one if none is given."""
    authority, limits = bytes.fromhex(file.get("authority", "")), file.get("limits", {})
    kind = 0 if file["schema"] == "default" else 2 if authority else 1
    out = b"beckon/overlay/2" + counted8(file["name"]) + bytes.fromhex(file["salt"])
    out += bytes([file["admission"] == "closed", bool(authority)]) + authority
    out += bytes([file.get("puzzle", 0), len(limits)])
    out += b"".join(counted8(name) + struct.pack(">Q", limits[name]) for name in sorted(limits)) + bytes([kind])
    return sha256(out + (sha256(canonical_text(file["schema"])) if kind == 1 else b""))


def day(string, last=False):
    """Days since 1970 of a day, or of the first or last day of a month or year."""
    parts = [int(p) for p in string.split("-")]
    year, month, date = (parts + [1, 1])[:3]
    if last and len(parts) == 1:
        month, date = 12, 31
    elif last and len(parts) == 2:
        date = calendar.monthrange(year, month)[1]
    return (datetime.date(year, month, date) - datetime.date(1970, 1, 1)).days


def fixed(string, scale, rounding):
    factor = {"k": 1000, "M": 1000000}.get(string[-1:], 1)
    with localcontext() as context:
        context.prec = 60
        return int((Decimal(string.rstrip("kM")) * factor * 10**scale).to_integral_value(rounding))


def bound_text(a, number):
    if a["type"] == "date":
        return (datetime.date(1970, 1, 1) + datetime.timedelta(days=number)).isoformat()
    whole, part = divmod(abs(number), 10 ** a["scale"])
    part = str(part).rjust(a["scale"], "0").rstrip("0") if a["scale"] else ""
    return ("-" if number < 0 else "") + str(whole) + ("." + part if part else "")


def attribute(entry):
    """An attribute of a schema's text with numbers as units and what it leaves out filled in."""
    a = dict(visibility="public", max_values=8 if entry["type"] == "text" else 1, prefix_keys=False, scale=0, unit="",
             min="0", max="999999999" if entry["type"] == "hybrid" else "0", circular=False, axis=None, ladder=[],
             published_width=1, queried_width=1, point_group=1) | entry
    if a["type"] != "text":
        read = day if a["type"] == "date" else lambda number: fixed(str(number), a["scale"], ROUND_FLOOR)
        a["min"], a["max"] = read(a["min"]), read(a["max"])
    return a


def attribute_json(a):
    out = '{"name":"%(name)s","type":"%(type)s","visibility":"%(visibility)s","max_values":%(max_values)s' % a
    out += ',"prefix_keys":true' if a["prefix_keys"] else ""
    if a["type"] == "text":
        return out + "}"
    out += ',"scale":%d' % a["scale"] if a["scale"] else ""
    out += ',"unit":"%s"' % a["unit"] if a["unit"] else ""
    quote = '"' if a["type"] == "date" else ""
    out += "".join(',"%s":%s%s%s' % (end, quote, bound_text(a, a[end]), quote) for end in ("min", "max"))
    out += ',"circular":true' if a["circular"] else ""
    out += ',"axis":"%s"' % a["axis"] if a["axis"] else ""
    out += ',"ladder":[%s]' % ",".join(map(str, a["ladder"]))
    widths = "published_width", "queried_width", "point_group"
    return out + "".join(',"%s":%d' % (name, a[name]) for name in widths) + "}"


def rounded(number):
    return math.floor(number + 0.5)  # of what is not negative a half goes up


def default_shapes(k, attributes):
    slots = {"x-": (1000, 1)}
    for a in attributes:
        if a["type"] != "text":
            values = (2**32 if a["type"] == "ip" else a["max"] - a["min"] + 1) * max(a["published_width"], 2)
            d = max(1, -(-a["queried_width"] // 128), rounded(math.sqrt(values / 3 / 2 ** (k + 1))))
            slots[a["name"]] = d, min(k, max(1, rounded(max(0, k + 1 - math.log2(values)))))
    return slots


def read_schema(text):
    """(attributes, classes, canonical text); a class has its "name", and a shape for every number"""
    given = json.loads(text, parse_float=str)
    attributes = [attribute(entry) for entry in given["attributes"]]
    names = [a["name"] for a in attributes if a["type"] != "text"] + ["x-"]
    classes, lines = [], []
    for c in given.get("classes") or [{"k": k, "slots": {}} for k in (8, 12, 16, 24)]:
        said = ",".join('"%s":[%d,%d]' % (n, *c["slots"][n]) for n in names if n in c["slots"])
        lines.append('{"k":%d,"slots":{%s}}' % (c["k"], said))
        classes.append({"k": c["k"], "slots": default_shapes(c["k"], attributes) | c["slots"],
                        "name": sha256(lines[-1].encode())[:4]})
    canonical = ('{"number":%d,"fold":"1","attributes":[\n' % given.get("number", 1)
                 + ",\n".join(map(attribute_json, attributes))
                 + '],\n"classes":[\n' + ",\n".join(lines) + "]}\n")
    return attributes, classes, canonical


def canonical_text(schema):
    return read_schema(json.dumps(schema))[2].encode()


def schema_vector(text):
    """The hash of its canonical text, and the names of its classes."""
    _, classes, canonical = read_schema(text)
    return [sha256(canonical.encode()).hex(), [c["name"].hex() for c in classes]]


DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
BUILT_IN = (DOCS / "built-in-schema.json").read_text()
ATTRIBUTES, CLASSES, _ = read_schema(BUILT_IN)
OWN = dict(name="x-", type="any", visibility="public", prefix_keys=False, scale=3, min=-10**15, max=10**15,
           circular=False, axis=None, ladder=[2**14, 2**22, 2**30], point_group=100)
OWN_SLOT = 31
SLOT = {a["name"]: i for i, a in enumerate(ATTRIBUTES)}


def attribute_of(name):
    return OWN if name.startswith("x-") else ATTRIBUTES[SLOT[name]]


def slot_of(name):
    return OWN_SLOT if name.startswith("x-") else SLOT[name]


def attribute_at(slot):
    return OWN if slot == OWN_SLOT else ATTRIBUTES[slot]


# Texts

IGNORABLE = [(0xAD,), (0x34F,), (0x61C,), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
             (0x202A, 0x202E), (0x2060, 0x206F), (0x3164,), (0xFE00, 0xFE0F), (0xFEFF,), (0xFFA0,), (0xFFF0, 0xFFF8),
             (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)]
ACCENTS = [(0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F)]
WHITE = set(map(chr, [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F,
                      0x3000]))
# The table of the page: code point -> what is put in its place.
SPELLINGS = {int(code, 16): put
             for block in (DOCS / "protocol-index.md").read_text(encoding="utf-8").split("\n```\n") if block[:2] == "' "
             for put, *codes in map(str.split, block.splitlines()) for code in codes}


def without(string, ranges):
    return "".join(c for c in string if not any(r[0] <= ord(c) <= r[-1] for r in ranges))


def nfkc_casefold(string):
    """NFKC_Casefold of the Unicode standard: each character on its own until nothing changes, then NFC."""
    def one(c):
        while (after := without(unicodedata.normalize("NFKC", c.casefold()), IGNORABLE)) != c:
            c = after
        return c
    return unicodedata.normalize("NFC", "".join(map(one, string)))


def fold(string):
    """The folded text, or None if it is refused."""
    if len(string.encode()) > 256 or any(unicodedata.category(c) == "Cc" and c not in WHITE for c in string):
        return None
    for _ in range(2):
        string = without(unicodedata.normalize("NFD", nfkc_casefold(string.translate(SPELLINGS))), ACCENTS)
    string = nfkc_casefold(string.translate(SPELLINGS))
    string = re.sub(" +", " ", "".join(" " if c in WHITE else c for c in string)).strip(" ")
    return string if string and len(string.encode()) <= 256 else None


# Values

def interval(a, string, asked):
    lo, dots, hi = string.partition("..")
    hi = hi if dots else lo
    down, up = (ROUND_FLOOR, ROUND_CEILING) if asked else (ROUND_HALF_EVEN, ROUND_HALF_EVEN)
    if a["type"] == "date":
        lo, hi = day(lo, False) if lo else a["min"], day(hi, True) if hi else a["max"]
    else:
        lo = fixed(lo, a["scale"], down) if lo else a["min"]
        hi = fixed(hi, a["scale"], up) if hi else a["max"]
    if a["circular"]:
        if (lo <= hi and hi - lo >= a["max"] - a["min"]) or lo == hi + 1:
            return a["min"], a["max"]
        return (a["min"] if v == a["max"] + 1 else v for v in (lo, hi))
    return max(lo, a["min"]), min(hi, a["max"])


def ip_value(string):
    ends = []
    for part in string.split(".."):
        net = ipaddress.ip_network(part, strict=False)
        shift = 0 if net.version == 4 else 64  # of IPv6 the upper half counts
        ends.append((net.version, int(net[0]) >> shift, int(net[-1]) >> shift))
    return "v%d" % ends[0][0], (ends[0][1], ends[-1][2])


def hybrid_value(string):
    """The last run of digits (or lo..hi) gives way to #, with the pairs of brackets around it."""
    folded = fold(string)
    star = re.search(r"\*", folded)
    found = star or re.search(r"(?:(?<![0-9])([0-9]+)\.\.)?(?<![0-9])([0-9]+)(?=[^0-9]*$)", folded)
    if not found:
        return folded, None
    start, end = found.span()
    while folded[start - 1:start] == "[" and folded[end:end + 1] == "]":
        start, end = start - 1, end + 1
    lo, hi = (None, None) if star else (found[1] or found[2], found[2])
    return folded[:start] + "#" + folded[end:], None if star else (int(lo), int(hi))


def value(name, string, asked):
    a = attribute_of(name)
    if a["type"] == "text":
        return fold(string), None
    if a["type"] == "hybrid":
        return hybrid_value(string)
    if a["type"] == "ip":
        return ip_value(string)
    if a["type"] == "any" and not re.fullmatch(r"[-+]?[\d.]*\d[kM]?(\.\.([-+]?[\d.]*\d[kM]?)?)?", string):
        return fold(string), None
    return None, tuple(interval(a, string, asked))


def space_of(name, val):
    """What numbers are called that can be compared: (name, least, greatest, circular, ladder)."""
    a = attribute_of(name)
    if a["type"] == "ip":
        bits, wider = (64, 24) if val[0] == "v6" else (32, 0)
        return name + "|" + val[0], 0, 2**bits - 1, False, [width << wider for width in a["ladder"]]
    full = name + "|" + val[0] if val[0] else name
    return full, a["min"], a["max"], a["circular"], a["ladder"]


def pieces(space, val):
    """A number as offsets that do not wrap, in rising order."""
    _, least, greatest, _, _ = space
    lo, hi = val[1]
    if lo <= hi:
        return [(lo - least, hi - least)]
    return [(0, hi - least), (lo - least, greatest - least)]
