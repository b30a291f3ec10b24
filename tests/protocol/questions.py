# SPDX-License-Identifier: MIT
"""Canonical questions, their blind predicates and ways, and the test of a record (docs/protocol-index.md 6)."""
import ipaddress
import re
import struct

from keys import asked, cell_keys, meet_asked, merged, number_keys, prefix_key, text_key
from records import POINT, RANGE, attribute_seed, open_slots, row, text_seed, word
from schema import CLASSES, OWN_SLOT, attribute_of, bound_text, fold, pieces, slot_of, space_of, value


def read_query(query):
    """[[(negated, attribute, operator, items)]] of a query that is good, in its canonical or the friendly form."""
    branches, at = [[]], 0
    term = re.compile(r"(!?)([a-z][a-z0-9_-]*)(!?=|:=|~=)")
    item = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,&| ]+)', re.S)
    while True:
        found = term.match(query, at)
        negated, name, op, items = found[1] == "!", found[2], found[3], []
        while not items or query[at:at + 1] == ",":
            found = item.match(query, at + 1 if items else found.end())
            items.append(re.sub(r"\\(.)", r"\1", found[1]) if found[1] is not None else found[2])
            at = found.end()
        if name == "has":
            name, op, items = items[0], "has", []
        elif op == "~=":
            items = [(fold(i), None) for i in items]
        else:
            items = [value(name, i, True) for i in items]
        branches[-1].append((negated or op == "!=", name, op.lstrip("!"), items))
        if at == len(query):
            return branches
        if query[at] == "|":
            branches.append([])
        at += 1


def ip_text(family, lo, hi):
    def address(n):
        if family == "v4":
            return str(ipaddress.IPv4Address(n))
        return ":".join("%x" % (n >> i & 65535) for i in (48, 32, 16, 0)) + "::"

    host, bits = hi - lo, 32 if family == "v4" else 64
    if host & host + 1 or lo & host:
        return address(lo) + ".." + address(hi)
    length = bits - host.bit_length()
    return address(lo) if length == 32 and bits == 32 else "%s/%d" % (address(lo), length)


def item_text(name, val):
    a, (string, number) = attribute_of(name), val
    if a["type"] == "ip":
        return ip_text(string, *number)
    ends = [bound_text(a, n) for n in number] if number else ["*"]
    digits = ends[0] if ends[0] == ends[-1] else "..".join(ends)
    if string is None:
        return digits
    return string.replace("#", digits) if a["type"] == "hybrid" else string


def quoted(string):
    if not re.search(r'[ ,&|"\\]', string) and string[0] not in "=:!~<>":
        return string
    return '"' + re.sub(r'(["\\])', r"\\\1", string) + '"'


def canonical(branches):
    def item_order(val):
        return (val[0] or "").encode(), val[1] is not None, val[1] or ()

    def term_text(term):
        negated, name, op, items = term
        if op == "has":
            return "!" * negated + "has=" + name
        op, mark = ("!=", "") if op == "=" and negated else (op, "!" * negated)
        texts = [quoted(item_text(name, val) if op != "~=" else val[0]) for val in sorted(set(items), key=item_order)]
        return mark + name + op + ",".join(texts)

    ordered = lambda texts: sorted(set(texts), key=str.encode)
    return "|".join(ordered("&".join(ordered(map(term_text, branch))) for branch in branches))


def tests_of(name, val):
    if val[1] is None:
        return [b"\x01" + struct.pack(">QQ", *text_seed(name, val[0]))]
    space = space_of(name, val)
    return [b"\x02" + struct.pack(">QQQ", attribute_seed(space[0]), lo, hi) for lo, hi in pieces(space, val)]


def clauses_of(branch):
    """[(slot, flags, tests)]"""
    out = []
    for negated, name, op, items in branch:
        slot = slot_of(name)
        if op == "has" or (op == "~=" and not negated):
            if slot == OWN_SLOT and not negated:
                out.append((slot, 0, [b"\x01" + struct.pack(">QQ", *text_seed(name, ""))]))
            elif slot != OWN_SLOT:
                out.append((slot, int(negated), []))
        elif not negated and op == ":=":
            out += [(slot, 2, [test]) for val in items for test in tests_of(name, val)]
        elif not negated:
            out.append((slot, 0, [test for val in items for test in tests_of(name, val)]))
    return out


def predicates(clauses):
    return bytes([len(clauses)]) + b"".join(bytes([slot, flags, len(tests)]) + b"".join(tests)
                                            for slot, flags, tests in clauses)


def item_keys(name, op, val):
    """The keys that lead to everybody of whom one item holds, or None."""
    a = attribute_of(name)
    if op == "~=":
        key = prefix_key(name, val[0]) if a["prefix_keys"] else None
        return [(key, 6, 255)] if key else None
    if val[1] is None:
        return [(text_key(name, val[0]), 6, 255)]
    if a["axis"]:
        return None
    space = space_of(name, val)
    buckets = asked([(space, val[1])], op == ":=")
    return buckets and number_keys(name, space, buckets)


def ways(branch):
    """The keys of every way to answer a branch, without the list of everybody."""
    out = []
    axis = {}
    for negated, name, op, items in branch:
        if negated or op == "has":
            continue
        if attribute_of(name)["axis"]:
            axis[attribute_of(name)["axis"]] = name, items
        for group in ([[i] for i in items] if op == ":=" else [items]):
            found = [item_keys(name, op, val) for val in group]
            if None not in found:
                out.append(merged(sum(found, []), meet_asked))
    if len(axis) == 2:
        (x, xs), (y, ys) = axis["longitude"], axis["latitude"]
        cells = [asked([(space_of(x, i), i[1]), (space_of(y, j), j[1])]) for i in xs for j in ys]
        if None not in cells:
            out.append(merged(cell_keys(sum(cells, [])), meet_asked))
    return [way for way in out if len(way) <= 64]


def passes(cls, slot, covers, test, made):
    bits = len(made) * 8
    is_set = lambda w: made[w % bits // 8] >> w % bits % 8 & 1
    if test[0] == 1:
        return all(is_set(word(struct.unpack(">QQ", test[1:]), j)) for j in range(CLASSES[cls]["k"]))
    seed, lo, hi = struct.unpack(">QQQ", test[1:])
    k = CLASSES[cls]["k"]
    for kind in (RANGE, POINT):
        more, s, count, words = row(cls, slot, seed, kind, lo, hi)
        if kind == POINT and covers and lo != hi:
            continue
        if more >= 256:
            return True
        bits_set = [is_set(w) for w in words()]
        if covers and kind == RANGE:
            if all(bits_set):
                return True
        elif any(all(bits_set[i * s:i * s + k]) for i in range(more + 1)):
            return True
    return False


def may_match(clauses, found, cls, made):
    opened = open_slots(found, cls)
    if any((found[0] >> slot & 1) == (flags & 1) for slot, flags, _ in clauses):
        return False
    return all(not tests or slot in opened or any(passes(cls, slot, flags == 2, test, made) for test in tests)
               for slot, flags, tests in clauses)
