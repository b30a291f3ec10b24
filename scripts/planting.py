#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants a mistake in a source file: a few texts, each of which must occur exactly once, are replaced.

planting.py MISTAKES.json ID OUT  writes the file of mistake ID (tests/mistakes) with its edits to OUT
planting.py --self-test           checks that an edit which fits nowhere or twice is refused

scripts/mutate uses `replace_once` too.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Misfit(Exception):
    """An edit that does not fit its file: the text is not there, or is there more than once."""


def replace_once(text, old, new):
    if old == new or not old:
        raise Misfit("an edit must replace some text by another")
    if (count := text.count(old)) != 1:
        raise Misfit(f"must occur exactly once, occurs {count} times:\n{old}")
    return text.replace(old, new)


def plant(text, edits):
    for edit in edits:
        text = replace_once(text, "\n".join(edit["old"]), "\n".join(edit["new"]))
    return text


def write_planted(mistakes, wanted, out):
    mistake = next(m for m in json.loads(pathlib.Path(mistakes).read_text()) if m["id"] == wanted)
    source = ROOT / mistake["file"]
    try:
        planted = plant(source.read_text(), mistake["edits"])
    except Misfit as misfit:
        return f"mistake {wanted} no longer fits {mistake['file']}, mend {mistakes}: {misfit}"
    out = pathlib.Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(f'#line 1 "{source}"\n{planted}')
    return None


def self_test():
    def refused(*arguments):
        try:
            replace_once(*arguments)
        except Misfit:
            return True
        return False

    fine = (replace_once("a b c", "b", "x") == "a x c"
            and plant("a\nb\nc\n", [{"old": ["a", "b"], "new": ["b"]}, {"old": ["c"], "new": ["d"]}]) == "b\nd\n"
            and refused("a b b", "b", "x") and refused("a", "b", "x") and refused("a", "a", "a")
            and refused("a", "", "x"))
    print("planting: " + ("an edit that does not fit is refused" if fine else "the self-test failed"))
    return 0 if fine else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    return write_planted(*sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
