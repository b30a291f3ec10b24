#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Profiles on the ring a second time, written from docs/protocol-index.md alone: no code of Beckon is in it.

    second_implementation.py vectors.json     computes every vector again, and the examples of the page; exit code 1
                                              if one differs

The vectors are those that vectors_test.cpp holds against the shipped code.
"""
import json
import sys

sys.dont_write_bytecode = True

import sums
from keys import bucket_key, placements, prefix_key, ring_key, text_key
from puzzle import first_solution, zero_bits
from questions import canonical, clauses_of, may_match, predicates, read_query, ways
from records import (LENGTHS, attribute_seed, choose, counted32, ed25519, elements, filter_of, group_seed, record, text_seed,
                            word, word_set)
from schema import (BUILT_IN, CLASSES, DOCS, SALT, attribute_of, canonical_text, fold, overlay_id, schema_vector, sha256,
                    value)
from signatures import ed25519_holds


def read_profile(person):
    return [(name, list(dict.fromkeys(value(name, v, False) for v in values)))
            for name, values in sorted(person["profile"].items())
            if attribute_of(name)["visibility"] != "private"]


def person_vectors(person):
    profile = read_profile(person)
    found = elements(profile)
    cls, made = choose(found)
    every = b"".join(filter_of(words, bits) for words in (word_set(found, c) for c in range(8)) for bits in LENGTHS)
    owner = sha256(ed25519(bytes.fromhex(person["secret"]), b"")[0])[:20]
    return (found, cls, made), {
        "owner": owner.hex(), "record": record(person, found, cls, made).hex(),
        "withdrawal": record(person, found, cls, made, True).hex(), "every_filter": sha256(every).hex(),
        "keys": placements(profile, owner)}


def branch_vectors(branch, records):
    clauses = clauses_of(branch)
    return {"predicates": predicates(clauses).hex(), "ways": ways(branch),
            "may": [name for name, record_ in records if may_match(clauses, *record_)]}


def overlay_vector(secret, file):
    """The id, and, if the authority's secret is given, the schema document that it signs."""
    text = b"" if file["schema"] == "default" else counted32(canonical_text(file["schema"]))
    signed = secret and ed25519(bytes.fromhex(secret), b"beckon/schema/1" + overlay_id(file) + text)[1]
    return [secret, file, overlay_id(file).hex(), (b"\x01" + text + signed).hex() if secret else ""]


def computed(given):
    out = {"overlay": {"id": overlay_id().hex(), "salt": SALT.hex()},
           "everybody": [ring_key(b"A", "none", "", bytes([i])).hex() for i in range(16)]}
    out["schema"], out["classes"] = schema_vector(BUILT_IN)
    out["schemas"] = [[text, *schema_vector(text)] for text, *_ in given["schemas"]]
    out["overlays"] = [overlay_vector(secret, file) for secret, file, *_ in given["overlays"]]
    out["folds"] = [[written, fold(written)] for written, _ in given["folds"]]
    out["texts"] = [[name, string, "%016x%016x" % text_seed(name, string)] for name, string, _ in given["texts"]]
    out["groups"] = [[name, kind, group, "%016x%016x" % group_seed(attribute_seed(name), kind, int(group))]
                     for name, kind, group, _ in given["groups"]]
    out["words"] = [[seed, [word((int(seed[:16], 16), int(seed[16:], 16)), j) for j in range(len(words))]]
                    for seed, words in given["words"]]
    out["puzzles"] = [[key, solution, zero_bits(bytes.fromhex(key), int(solution))]
                      for key, solution, _ in given["puzzles"]]
    out["solutions"] = [[key, bits, str(first_solution(bytes.fromhex(key), bits))]
                        for key, bits, _ in given["solutions"]]
    out["signatures"] = [[what, *parts, ed25519_holds(*map(bytes.fromhex, parts))]
                         for what, *parts, _ in given["signatures"]]
    records, out["people"], out["queries"] = [], [], []
    for person in given["people"]:
        record_, vectors = person_vectors(person)
        records.append((person["name"], record_))
        out["people"].append({**person, **vectors})
    for query in given["queries"]:
        ldap = query["written"].startswith("(")  # how such a filter is rewritten is not the protocol's business
        spelled = canonical(read_query(query["canonical"] if ldap else query["written"]))
        branches = [branch_vectors(branch, records) for branch in read_query(spelled)]
        out["queries"].append({"written": query["written"], "canonical": spelled, "branches": branches})
    return out


def examples():
    """The worked examples, as the page prints them."""
    chess, age = text_seed("hobby", "chess"), attribute_seed("age")
    group = group_seed(age, 3, 23)
    lines = ["salt       " + SALT.hex(), "classes    " + " ".join(c["name"].hex() for c in CLASSES[:4]),
             "text seed        hobby, chess        %016x %016x" % chess,
             "  words          " + " ".join("%08x" % word(chess, j) for j in range(6)) + " ...",
             "  in 1536 bits   " + " ".join(str(word(chess, j) % 1536) for j in range(6)) + " ...",
             "  in 96 bits     " + " ".join(str(word(chess, j) % 96) for j in range(6)) + " ...",
             "attribute seed   age                 %016x" % age,
             "group seed       age, range, 23      %016x %016x" % group,
             "  words          " + " ".join("%08x" % word(group, j) for j in range(6)) + " ..."]
    for label, key in (("T  hobby=chess", text_key("hobby", "chess")),
                       ("T  room=EC-312", text_key("room", "ec-#")),
                       ("H  room=EC-312, level 0, bucket 4", bucket_key(b"H", "hybrid", "room|ec-#", 0, 4)),
                       ("P  name=Alice Lin", prefix_key("name", fold("Alice Lin"))),
                       ("N  age=24, level 0, bucket 1", bucket_key(b"N", "int", "age", 0, 1)),
                       ("N  ip=0.0.0.0/0, wide", bucket_key(b"N", "ip", "ip|v4", 255, 0)),
                       ("G  25.05, 121.53, level 0, 2944, 1123", bucket_key(b"G", "decimal", "geo", 0, 2944, 1123)),
                       ("A  owner id 5c..., shard 5", ring_key(b"A", "none", "", b"\x05"))):
        lines.append("%-39s %s" % (label, key.hex()))
    for query in ("age=20..30&hobby=chess", "!has=sip&hours:=23..2"):
        digits = predicates(clauses_of(read_query(query)[0])).hex()
        lines.append("\n    ".join([query] + [digits[i:i + 80] for i in range(0, len(digits), 80)]) + "\n")
    return lines


def differences(want, have, where=""):
    if isinstance(want, dict) and isinstance(have, dict) and want.keys() == have.keys():
        return sum((differences(want[k], have[k], f"{where}.{k}") for k in want), [])
    if isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        return sum((differences(w, h, f"{where}[{i}]") for i, (w, h) in enumerate(zip(want, have))), [])
    return [] if want == have else [f"{where[1:]}\n  vectors: {want}\n  computed: {have}"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    wrong = differences(given, computed(given))
    for page, lines in (("protocol-index.md", examples()), ("protocol.md", sums.examples())):
        text = (DOCS / page).read_text(encoding="utf-8")
        wrong += [f"not in {page}: {line}" for line in lines if line not in text]
    print("\n".join(wrong) if wrong else f"{len(given['people'])} people and {len(given['queries'])} queries agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
