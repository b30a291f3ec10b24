# SPDX-License-Identifier: MIT
"""Eight nodes host a thousand people. What find says is held against a look at everybody, in both directions, also with
two nodes killed and after they came back."""
import http.client
import json
import pathlib
import random
import socket
import subprocess
import sys
import time

import naive
import overlay
from overlay import Overlay, ring_is_ideal, wait_for

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "sample_people"
NODES, PEOPLE, QUESTIONS = 8, 1000, 50


def make_people(count, seed):
    lines = subprocess.run([sys.executable, SAMPLES, "--count", str(count), "--seed", str(seed)], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    people = [json.loads(line) for line in lines]
    for number, person in enumerate(people):
        person["nickname"] = f"p{number}"  # by which answers tell who is meant
    return people


def make_questions(people, count, seed):
    rng = random.Random(seed)
    questions = [(q, q.friendly()) for q in (naive.some_question(rng, people) for _ in range(count - 10))]
    while len(questions) < count:  # the rest as LDAP filters, alternatives too
        question = naive.some_question(rng, people)
        if rng.random() < 0.5:
            question = naive.Any(question, naive.some_question(rng, people))
        try:
            questions.append((question, question.ldap()))
        except AttributeError:
            continue  # a place has no LDAP spelling
    return questions


class Find(Overlay):
    def host(self, nodes, people):
        """Every node imports its share; all at once."""
        share = len(people) // len(nodes)
        self.home = {}
        running = []
        for number, node in enumerate(nodes):
            mine = people[number * share:(number + 1) * share]
            self.home.update({person["nickname"]: node for person in mine})
            file = self.folder / f"people{number}.jsonl"
            file.write_text("".join(json.dumps(person, ensure_ascii=False) + "\n" for person in mine))
            running.append(subprocess.Popen(
                [overlay.BECKON, "--home", node.home, "profile", "import", file, "--publish", "--json"],
                stdout=subprocess.PIPE, text=True))
        for process in running:
            done = json.loads(process.communicate(timeout=120)[0])
            self.assertEqual(done, {"imported": share, "published": share, "failed": []})

    def ask(self, node, text, *flags):
        code, out, err = node.run("find", text, "--limit", "10000", "--timeout", "20s", "--json", *flags)
        self.assertIn(code, (0, 1), f"{text}\n{out}{err}")
        return json.loads(out)

    def names(self, answer):
        return sorted(p["attrs"]["nickname"] for p in answer["people"] if p["verified"])

    def compare(self, askers, people, questions, away=()):
        """Exactly the right people whose node is up; the others are counted, not shown."""
        begin = time.monotonic()
        found = refuted = 0
        for number, (question, text) in enumerate(questions):
            answer = self.ask(askers[number % len(askers)], text)
            truth = [p["nickname"] for p in people if question.holds(p)]
            here = sorted(name for name in truth if self.home[name] not in away)
            self.assertEqual(self.names(answer), here, f"{text} {answer['stats']}")
            self.assertTrue(answer["complete"], text)
            self.assertGreaterEqual(answer["stats"]["offline"], len(truth) - len(here), text)
            found += len(here)
            refuted += answer["stats"]["false_positives"]
        print(f"{len(questions)} questions, {found} people found, {refuted} false positives refuted, "
              f"{time.monotonic() - begin:.1f} s", file=sys.stderr)
        return found

    def test_a_thousand_people_are_found_exactly(self):
        people = make_people(PEOPLE, 11)
        questions = make_questions(people, QUESTIONS, 5)
        nodes = self.ring(NODES)
        wait_for(lambda: ring_is_ideal(nodes), 60, "an ideal ring")
        begin = time.monotonic()
        self.host(nodes, people)
        print(f"\n{PEOPLE} people published in {time.monotonic() - begin:.1f} s", file=sys.stderr)
        self.assertGreater(self.compare(nodes, people, questions), QUESTIONS)

        dead = nodes[2:4]
        for node in dead:
            node.kill()
        living = nodes[:2] + nodes[4:]
        wait_for(lambda: ring_is_ideal(living), 60, "an ideal ring of those left")
        self.compare(living, people, questions, away=dead)
        everybody = self.ask(living[0], "age=1..120", "--unverified")
        self.assertTrue(any(not p["verified"] and not p["online"] for p in everybody["people"]))

        for node in dead:
            node.up()
        wait_for(lambda: ring_is_ideal(nodes), 60, "an ideal ring with the two back")
        self.compare(nodes, people, questions)


class Defaults(Overlay):
    """Three nodes as a new user has them: no setting made faster for a test."""

    def test_a_profile_is_published_changed_found_and_withdrawn_with_default_settings(self):
        alice, bo, eve = (self.node(defaults=True) for _ in range(3))
        alice.up()
        for other in (bo, eve):
            other.up("--join", alice.listen)
        self.assertEqual(alice.run("profile", "set", "name=Alice Lin", "hobby=chess,go", "age=24")[0], 0)
        first = alice.json("profile", "publish")
        self.assertEqual(first["records"], first["stored"])
        for asker in (bo, eve, alice):
            self.assertEqual([p["name"] for p in asker.json("find", "hobby=chess age=20..30")["people"]], ["Alice Lin"])
        self.assertEqual(alice.run("profile", "set", "hobby=tennis")[0], 0)
        second = alice.json("profile", "publish")
        self.assertEqual((second["records"], second["stored"]), (first["records"] - 1, first["records"] - 1))
        self.assertEqual((bo.run("find", "hobby=chess")[0], bo.run("find", "hobby=tennis")[0]), (1, 0))
        self.assertEqual(alice.run("profile", "withdraw")[0], 0)
        self.assertEqual(eve.run("find", "hobby=tennis")[0], 1)


class Surface(Overlay):
    """One node, many mistakes: each is told with its cure and leaves nothing behind."""

    def setUp(self):
        super().setUp()
        self.one = self.node()
        self.one.up()

    def refused(self, words, code, *parts):
        got, out, err = self.one.run(*words)
        self.assertEqual(got, code, out + err)
        for part in parts:
            self.assertIn(part, err)
        got, out, _ = self.one.run(*words, "--json")
        self.assertEqual(got, code)
        self.assertIn("error", json.loads(out))

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def test_queries_that_cannot_be_read(self):
        self.refused(["find", "hobbby=chess", "age=20-30"], 2, "cannot read the query\n  hobbby=chess age=20-30\n  ^^^^^^ ",
                     "Close: hobby", "                   ^^^^^ a range is written 20..30")
        self.refused(["find", "age=30..20"], 2, "^")
        self.refused(["find", "age=.."], 2, "^")
        self.refused(["find", "age=two"], 2, "^")
        self.refused(["find", "(&(hobby=chess)"], 2, "^")
        self.refused(["find", "hobby!=chess"], 2, "^")
        self.refused(["find", "hobby=" + "x" * 5000], 2, "4096")
        self.refused(["find", b"hobby=\xff\xfe"], 2, "cannot read the query")
        self.refused(["find", "hobby=chess", "--timeout", "soon"], 2, "--timeout")
        self.refused(["find", "hobby=chess", "--timeout", "2h"], 2, "--timeout")
        self.refused(["find", "hobby=chess", "--limit", "0"], 2, "--limit")

    def test_fields_nobody_has_are_refused(self):
        self.refused(["find", "hobby=chess", "--fields", "city,hobbby"], 2, "--fields", '"hobbby"', "Close: hobby")
        self.refused(["find", "hobby=chess", "--fields", "qqqq"], 2, "--fields", "beckon profile attrs")
        self.assertEqual(self.one.run("find", "hobby=chess", "--fields", "city,x-team")[0], 1)

    def test_whoever_is_alone_is_told(self):
        code, _, err = self.one.run("find", "hobby=chess")
        self.assertEqual(code, 1)
        self.assertIn("This node is alone", err)
        self.assertIn("--join", err)

    def test_an_import_that_publishes_tells_what_others_will_see(self):
        profile = self.file("profile.json", '{"name":"Ann","hobby":"chess","income":40000}')
        code, out, err = self.one.run("profile", "import", profile, "--publish")
        self.assertEqual((code, out), (0, "Imported 1, published 1.\n"), err)
        shown, matched = err.index("see it:"), err.index("not shown:")
        self.assertTrue(shown < err.index("Ann") < matched < err.index("40000"))
        code, out, err = self.one.run("profile", "import", profile)
        self.assertEqual((code, "see it:" in err, "what others find already" in err), (0, False, True), err)
        other = self.file("other.json", '{"name":"Ann","hobby":"go"}')
        code, out, err = self.one.run("profile", "import", other)
        self.assertEqual((code, "others still find what was published before" in err), (0, True), err)
        self.assertEqual((self.one.run("find", "hobby=go")[0], self.one.run("find", "hobby=chess")[0]), (1, 0))
        self.assertEqual(self.one.run("profile", "withdraw")[0], 0)
        code, out, err = self.one.run("profile", "import", other)
        self.assertEqual((code, "nobody finds it" in err), (0, True), err)

    def test_the_json_schema_fits_what_ships_and_what_is_refused(self):
        schema = self.one.json("profile", "schema")
        shipped = json.loads((SAMPLES.parents[1] / "docs" / "profile.schema.json").read_text())
        self.assertEqual(schema, shipped)
        try:
            import jsonschema
        except ImportError:
            return  # not everywhere; what follows is a check of the schema itself
        judge = jsonschema.Draft202012Validator(schema)
        for person in make_people(200, 3):
            judge.validate(person)
        for good in ({"x-height": 1.75}, {"born": "1999-05"}, {"age": "20..30"}, {"hobby": ["chess", "go"]},
                     {"hours": {"min": 22, "max": 6}}, {"visibility": {"*": "match", "x-team": "private"}}):
            self.assertTrue(judge.is_valid(good), good)
        for bad in ({"hobbby": "chess"}, {"age": 500}, {"age": [[1]]}, {"name": True}, {"income": {"min": 1}},
                    {"hobby": [f"h{i}" for i in range(9)]}, {"visibility": {"age": "loud"}}, []):
            self.assertFalse(judge.is_valid(bad), bad)

    def test_profiles_that_cannot_be_read_store_nothing(self):
        self.assertEqual(self.one.run("profile", "set", "name=Ann", "hobby=chess")[0], 0)
        before = self.one.json("profile", "show")
        self.refused(["profile", "set", "hobbby=chess"], 2, "no attribute", "Close: hobby")
        self.refused(["profile", "set", "city=Suva", "age=two"], 2, "age")
        self.refused(["profile", "set", "age=30..20"], 2, "age")
        self.refused(["profile", "set", "age=500"], 2, "age")
        self.refused(["profile", "set", "hobby=" + ",".join(f"h{i}" for i in range(100))], 2, "hobby")
        self.refused(["profile", "set", "age="], 2, "age: no value", "beckon profile unset age")
        self.refused(["profile", "set", "chess"], 2, "ATTRIBUTE=VALUE")
        self.refused(["profile", "set", b"name=\xff\xfe"], 2)
        self.refused(["profile", "set", "visibility.age=loud"], 2, "visibility.age")
        for name, content in {"bomb.json": "[" * 20000, "deep.json": '{"name":' * 2000, "type.json": '{"age":[[1]]}',
                              "twice.json": '{"age":1,"age":2}', "utf8.json": b'{"name":"\xff"}', "empty.json": "",
                              "list.json": "[]", "long.json": '{"name":"' + "x" * 100000 + '"}', "broken.vcf": "BEGIN:VCARD\nFN:A\n"}.items():
            self.refused(["profile", "import", self.file(name, content)], 2)
        self.refused(["profile", "import", str(self.folder / "nothing.json")], 2, "cannot read")
        self.refused(["profile", "import", str(self.folder)], 2, "is a folder; name a file in it")
        self.refused(["profile", "show", "--as", "abcdef0123"], 1, "hosts no user")
        self.assertEqual(self.one.json("profile", "show"), before)
        self.assertEqual(len(self.one.json("profile", "list")["users"]), 1)

    def test_a_bad_line_harms_no_other(self):
        people = '{"name":"A","hobby":"chess"}\n\n{"name":7,"hobby":"go","agee":3}\n{"name":"C","hobby":"chess"}\n'
        code, out, err = self.one.run("profile", "import", self.file("people.jsonl", people), "--publish", "--json")
        self.assertEqual(code, 4, out + err)
        done = json.loads(out)
        self.assertEqual((done["imported"], done["published"], [f["line"] for f in done["failed"]]), (2, 2, [3]))
        self.assertIn("agee", done["failed"][0]["error"])
        self.assertEqual([p["name"] for p in sorted(self.one.json("find", "hobby=chess")["people"],
                                                    key=lambda p: p["name"])], ["A", "C"])

    def test_what_is_seen_what_matches_and_what_stays(self):
        self.assertEqual(self.one.run("profile", "set", "name=Ann Lee", "hobby=chess", "income=40k..60k", "city=Suva",
                                      "visibility.city=private")[0], 0)
        code, out, err = self.one.run("profile", "publish")
        self.assertEqual(code, 0, err)
        shown, matched, private = (err.index(t) for t in ("see it:", "not shown:", "stays on your node:"))
        self.assertTrue(shown < err.index("Ann Lee") < matched < err.index("40000..60000") < private < err.index("Suva"))
        person, = self.one.json("find", "income=50k..55k")["people"]
        self.assertEqual((person["name"], person["attrs"]), ("Ann Lee", {"hobby": "chess"}))
        self.assertEqual(self.one.run("find", "city=Suva")[0], 1)
        user, = self.one.json("status")["users"]
        self.assertEqual((user["name"], user["published"], user["records"] > 2), ("Ann Lee", True, True))

        self.assertEqual(self.one.run("profile", "set", "hobby=go")[0], 0)  # not published yet
        self.assertEqual(self.one.run("find", "hobby=go")[0], 1)
        self.assertEqual(self.one.run("profile", "publish", "-q")[0], 0)
        self.assertEqual((self.one.run("find", "hobby=go")[0], self.one.run("find", "hobby=chess")[0]), (0, 1))
        self.assertEqual(self.one.run("profile", "withdraw")[0], 0)
        code, out, err = self.one.run("find", "hobby=go")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("Nobody.", err)

    def test_limit_table_explanation_and_last_find(self):
        people = "".join(json.dumps({"name": f"P{i}", "hobby": "chess", "age": 20 + i}) + "\n" for i in range(9))
        self.assertEqual(self.one.run("profile", "import", self.file("people.jsonl", people), "--publish")[0], 0)
        code, out, err = self.one.run("find", "hobby=chess age=20..30", "--limit", "4", "--explain")
        self.assertEqual(code, 0, err)
        lines = out.splitlines()
        self.assertEqual(lines[0].split(), ["#", "NAME", "AGE", "HOBBY", "SEEN"])
        self.assertEqual([line.split()[0] for line in lines[1:5]], ["@1", "@2", "@3", "@4"])
        for part in ("Query       age=20..30&hobby=chess", "->", "Candidates", "Cost"):
            self.assertIn(part, out)
        self.assertIn("4 people.", err)
        self.assertIn("--limit", err)
        rows = json.loads((self.one.home / "last_find" / "none.json").read_text())["rows"]
        self.assertEqual([row["name"] for row in rows], [line.split()[1] for line in lines[1:5]])
        self.assertTrue(all(len(row["key"]) == 64 and row["host"] == self.one.id for row in rows))

    def http(self, path, accept="application/json", method="GET", body=None):
        """(status, content type, text) straight from the API."""
        connection = http.client.HTTPConnection("beckond")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(self.one.home / "api.sock"))
        connection.request(method, path, body=body, headers={"Accept": accept})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, reply.headers["Content-Type"], text

    def test_the_api_streams_and_goes_on_behind_the_limit(self):
        people = "".join(json.dumps({"name": f"P{i}", "hobby": "ice skating", "age": 20 + i}) + "\n" for i in range(9))
        status, _, text = self.http("/v1/profile/import?publish=1", method="POST", body=people)
        self.assertEqual((status, json.loads(text)), (200, {"imported": 9, "published": 9, "failed": []}))

        status, kind, text = self.http("/v1/find?hobby=ice%20skating&age=20..28", accept="text/event-stream")
        events = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.strip().split("\n\n")]
        self.assertEqual((status, kind), (200, "text/event-stream"))
        self.assertEqual([e["event"] for e in events if e["event"] != "progress"], ["hit"] * 9 + ["done"])
        done = json.loads(events[-1]["data"])
        self.assertEqual((done["query"], done["complete"], done["found"]), ('age=20..28&hobby="ice skating"', True, 9))

        seen, cookie = [], ""
        while True:  # page by page, nobody twice, nobody lost
            answer = json.loads(self.http("/v1/find?" + (f"_cookie={cookie}" if cookie else "hobby=ice%20skating") + "&_limit=4")[2])
            seen += [p["name"] for p in answer["people"]]
            if not answer["limited"]:
                break
            cookie = answer["cookie"]
        self.assertEqual(sorted(seen), [f"P{i}" for i in range(9)])

        first, second = (json.loads(self.http("/v1/find?hobby=ice%20skating&_limit=1")[2])["cookie"] for _ in range(2))
        self.assertEqual((len(first), len(second)), (32, 32))  # no number that can be guessed
        self.assertNotEqual(first, second)
        for beside in ("hobby=go", "_q=hobby=go", "_unverified=1"):
            status, _, text = self.http(f"/v1/find?_cookie={first}&{beside}")
            self.assertEqual((status, "_cookie" in json.loads(text)["detail"]), (400, True), text)
        self.assertEqual(self.http(f"/v1/find?_cookie={first}")[0], 200)
        self.assertEqual(self.http(f"/v1/find?_cookie={first}")[0], 404)  # it has ended

        status, kind, text = self.http("/v1/find?hobbby=chess")
        problem = json.loads(text)
        self.assertEqual((status, kind, problem["picture"].splitlines()[1]),
                         (400, "application/problem+json", '  ^^^^^^ no attribute "hobbby". Close: hobby'))
        for path in ("/v1/find?hobby=go&_limit=0", "/v1/find?hobby=go&_speed=9", "/v1/find?_cookie=77", "/v1/find",
                     "/v1/find?hobby=go&_q=hobby=go", "/v1/find?hobby=go&_explain=yes"):
            self.assertIn(self.http(path)[0], (400, 404), path)

    def test_watch_tells_nobody_as_new_who_was_there(self):
        people = "".join(json.dumps({"name": f"P{i}", "hobby": "chess"}) + "\n" for i in range(40))
        self.assertEqual(self.one.run("profile", "import", self.file("people.jsonl", people), "--publish")[0], 0)
        watching = subprocess.Popen([overlay.BECKON, "--home", self.one.home, "find", "hobby=chess", "--watch", "--json",
                                     "--limit", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            for _ in range(2):
                self.assertIn("P", json.loads(watching.stdout.readline())["name"])
            self.assertIn("38 more people are there already", watching.stderr.readline())
            line = self.file("people.jsonl", json.dumps({"name": "New", "hobby": "chess"}) + "\n")
            self.assertEqual(self.one.run("profile", "import", line, "--publish")[0], 0)
            self.assertEqual(json.loads(watching.stdout.readline())["name"], "New")
        finally:
            watching.kill()
            watching.communicate()

    def test_watch_tells_of_everybody_once(self):
        watching = subprocess.Popen([overlay.BECKON, "--home", self.one.home, "find", "hobby=chess", "--watch", "--json"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            for name in ("A", "B"):
                line = self.file("people.jsonl", json.dumps({"name": name, "hobby": "chess"}) + "\n")
                self.assertEqual(self.one.run("profile", "import", line, "--publish")[0], 0)
                self.assertEqual(json.loads(watching.stdout.readline())["name"], name)
        finally:
            watching.kill()
            watching.communicate()


if __name__ == "__main__":
    overlay.main(__name__)
