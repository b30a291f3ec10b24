# SPDX-License-Identifier: MIT
"""What people read when something is not as it should be, and the shapes scripts rely on."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import sqlite3
import stat
import subprocess

import overlay
from overlay import Overlay, ring_is_ideal, wait_for


class Sentences(Overlay):
    def expect(self, node, words, code, *parts):
        got, out, err = node.run(*words)
        self.assertEqual(got, code, out + err)
        for part in parts:
            self.assertIn(part, err)
        got, out, _ = node.run(*words, "--json")
        self.assertEqual(got, code)
        error = json.loads(out)["error"]
        self.assertEqual({"code", "message", "hint"}, set(error))

    def test_no_daemon(self):
        node = self.node()
        sentence = f"beckond is not running (no socket at {node.home}/api.sock). Start it: beckon up\n"
        for words in (["status"], ["net", "ring"], ["down"], ["overlay", "show"]):
            code, out, err = node.run(*words)
            self.assertEqual((code, out, err), (3, "", sentence))

    def test_second_up_on_one_home(self):
        node = self.node()
        node.up()
        self.expect(node, ["up"], 1, "runs already for this home", "beckon down")

    def test_dead_bootstrap_peer(self):
        self.expect(self.node(), ["up", "--listen", "127.0.0.1:0", "--join", "127.0.0.1:9"], 1,
                    "127.0.0.1:9", "refused", "beckon status tells its address")
        self.assertIsNone(self.nodes[0].pid())

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.expect(self.node(), ["up", "--listen", f"127.0.0.1:{taken.getsockname()[1]}"], 1,
                        "in use", "--listen")

    def test_key_that_others_may_read(self):
        node = self.node()
        node.up()
        self.assertEqual(node.run("down")[0], 0)
        os.chmod(node.home / "node.key", 0o644)
        self.expect(node, ["up", "--listen", "127.0.0.1:0"], 1, "node.key", "chmod 600")

    def test_broken_key(self):
        node = self.node()
        (node.home / "node.key").write_text("not a key\n")
        os.chmod(node.home / "node.key", 0o600)
        self.expect(node, ["up", "--listen", "127.0.0.1:0"], 1, "node.key")

    def test_wrong_overlay(self):
        member = self.node()
        member.up()
        stranger = self.node()
        self.assertEqual(stranger.run("overlay", "create", "club")[0], 0)
        self.expect(stranger, ["up", "--listen", "127.0.0.1:0", "--join", member.listen], 1, "overlay")

    def test_slips_of_the_finger(self):
        node = self.node()
        self.expect(node, ["staus"], 2, "Did you mean: beckon status")
        self.expect(node, ["net", "rign"], 2, "Did you mean: beckon net ring")
        self.expect(node, ["up", "--lisen", "x"], 2, "Did you mean: beckon up --listen")
        self.expect(node, ["config", "get", "listn"], 2, "Close: listen")
        self.expect(node, ["up", "--listen", "nowhere"], 2, "--listen", "HOST:PORT")
        self.expect(node, ["up", "--join", "nowhere"], 2, "--join", "HOST:PORT")
        self.expect(node, ["up", "--invite", "nowhere"], 2, "--invite")
        self.expect(node, ["up", "--create", "--join", "127.0.0.1:9"], 2, "--create", "--join", "one of them")
        self.assertIsNone(node.pid())
        self.expect(node, ["config", "set", "ring.stabilize", "soon"], 2, "5s")
        self.expect(node, ["net", "bogus"], 2, "'beckon net' has no command 'bogus'", "peers, ring, stats")
        self.expect(node, ["net"], 2, "'beckon net' needs a command", "peers, ring, stats")

    def test_an_empty_value_is_never_the_default(self):
        node = self.node()
        for flag in ("--join", "--invite", "--listen", "--advertise", "--timeout", "--home"):
            self.expect(node, ["up", flag, ""], 2, flag, "empty")
            self.expect(node, ["up", flag + "="], 2, flag, "empty")
        beckond = overlay.BECKON.replace("cli/beckon", "node/beckond")
        for flag in ("--join", "--invite", "--home"):
            done = subprocess.run([beckond, "--home", str(node.home), flag, ""], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("empty", done.stderr)
        self.assertIsNone(node.pid())

    def test_an_address_that_nobody_can_dial_is_not_told_to_others(self):
        node = self.node()
        for address in ("0.0.0.0:0", "192.0.2.2:0", "0.0.0.0:4290", "[::]:4290"):
            self.expect(node, ["up", "--listen", "127.0.0.1:0", "--advertise", address], 2, "--advertise", "cannot dial")

    def test_a_home_that_is_a_file(self):
        node = self.node()
        (node.home / "file").write_text("")
        for home in (node.home / "file", node.home / "file" / "below"):
            node.home = home
            self.expect(node, ["up"], 2, "is a file", "--home DIR")

    def test_remembered_peers_that_cannot_be_read_found_no_second_ring(self):
        first, second = self.ring(2)
        wait_for(lambda: ring_is_ideal([first, second]), 30, "a ring of two")
        second.kill()
        with contextlib.closing(sqlite3.connect(second.home / "beckon.db")) as db, db:
            db.execute("update peers set value = x'ff' where key = cast('known' as blob)")
            self.assertEqual(db.total_changes, 1)
        self.expect(second, ["up", "--listen", second.listen], 1, "second ring", "--join HOST:PORT", "--create")
        second.up("--join", first.listen)
        wait_for(lambda: ring_is_ideal([first, second]), 30, "its return")

    def test_a_disk_that_cannot_be_written_is_named(self):
        for mount, words in (("size=40k", ["is full", "make room"]), ("ro", ["read-only", "mount it for writing"])):
            node = self.node(mount)
            script = f'mount -t tmpfs -o {mount},mode=700 tmpfs "$0" || exit 77; exec "$@"'
            done = subprocess.run(["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c",
                                   script, str(node.home), *node.command("up", "--listen", "127.0.0.1:0")],
                                  capture_output=True, text=True, timeout=60)
            if done.returncode == 77 or "unshare" in done.stderr:
                self.skipTest("mount namespaces are not permitted here")
            self.assertEqual(done.returncode, 1, done.stderr)
            for word in [*words, "--home DIR"]:
                self.assertIn(word, done.stderr)

    def test_down_claims_no_more_than_was_done(self):
        member, other = self.ring(2)
        lost = self.node()
        wait_for(lambda: ring_is_ideal([member, other]), 30, "a ring of two")
        self.assertIn("Handed over and left", member.run("down")[1])
        wait_for(lambda: "this node alone" in other.run("status")[1], 30, "the other alone")
        self.assertEqual(other.run("net", "ring")[2], "This node is alone; it goes on looking for the peers it knows.\n")
        self.assertIn("Left a ring of one", other.run("down")[1])
        trying = subprocess.Popen(lost.command("up", "--foreground", "--listen", "127.0.0.1:0", "--join", "127.0.0.1:9"),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: lost.run("status")[0] == 0, 30, "its start")
        wait_for(lambda: "Trouble  127.0.0.1:9" in lost.run("status")[1], 30, "the reason in its status")
        self.assertIn("Ring     not joined yet", lost.run("status")[1])
        self.assertIn("still joining", lost.run("net", "ring")[2])
        code, out, err = lost.run("down")
        self.assertEqual(code, 0, err)
        self.assertIn("It had not joined", out)
        self.assertEqual(trying.wait(timeout=60), 0)

    def test_down_tells_when_the_neighbours_did_not_take_over(self):
        member, other = self.node(stabilize="5s"), self.node(stabilize="5s")  # slow to notice
        member.up()
        other.up("--join", member.listen)
        wait_for(lambda: ring_is_ideal([member, other]), 60, "a ring of two")
        self.assertEqual(member.run("profile", "set", "hobby=chess")[0], 0)
        self.assertEqual(member.run("profile", "publish")[0], 0)
        os.kill(other.pid(), signal.SIGSTOP)
        code, out, err = member.run("down")
        self.assertEqual(code, 4, out + err)
        self.assertIn("not every record was handed over", out)

    def test_a_node_that_lost_its_peers_says_so_and_that_it_looks_for_them(self):
        node, other = self.ring(2)
        wait_for(lambda: ring_is_ideal([node, other]), 30, "a ring of two")
        self.assertEqual(node.run("profile", "set", "hobby=chess")[0], 0)
        self.assertEqual(node.run("profile", "publish")[0], 0)
        other.kill()
        wait_for(lambda: node.json("status")["ring"]["degraded"] and
                 node.json("status")["ring"]["predecessor"] is None, 60, "being alone")
        self.assertIn("this node alone: none of the 1 peer it knows answers; it goes on looking", node.run("status")[1])
        for query in ("hobby=chess", "hobby=go"):
            _, _, err = node.run("find", query)
            self.assertIn("goes on looking", err)
            self.assertNotIn("beckon down", err)
        code, out, _ = node.run("doctor")
        self.assertEqual(code, 1, out)
        self.assertIn("alone: none of the peers it knows (1) answers", out)
        self.assertIn("this node goes on looking", out)
        other.up()
        wait_for(lambda: not node.json("status")["ring"]["degraded"], 60, "company")
        self.assertEqual(node.run("doctor")[0], 0)

    def test_doctor_claims_no_file_that_is_not_there(self):
        node = self.node(defaults=True)
        self.assertIn(f"config    defaults: there is no file {node.home}/config.toml", node.run("doctor")[1])
        (node.home / "config.toml").write_text('[log]\nlevel = "info"\n')
        self.assertIn(f"config    {node.home}/config.toml", node.run("doctor")[1])
        (node.home / "config.toml").write_text('[log]\nlevel = "loud"\n')
        code, out, _ = node.run("doctor")
        self.assertEqual(code, 1)
        self.assertIn("log.level", out)

    def test_limits_are_settings_with_a_default_and_a_range(self):
        node = self.node()
        limits = {s["name"]: s for s in node.json("config", "list")["settings"]}
        self.assertEqual(limits["limits.connections_per_address"]["default"], "128")
        self.assertEqual(limits["limits.connections_per_address"]["range"], "1..32768")
        self.expect(node, ["config", "set", "limits.connections", "8"], 2, "16..32768")
        for name, value in (("limits.connections_per_address", "400"), ("limits.upload", "1M"), ("metered", "yes")):
            self.assertEqual(node.run("config", "set", name, value)[0], 0)
            self.assertEqual(node.run("config", "get", name)[1], value + "\n")
        node.up()
        self.assertEqual(node.run("down")[0], 0)
        node.prefix = ["prlimit", "--nofile=600:600"]
        self.expect(node, ["up", "--listen", "127.0.0.1:0"], 1, "limits.connections is 512", "600 open files", "LimitNOFILE")

    def test_a_hangup_leaves(self):
        member, other = self.ring(2)
        wait_for(lambda: ring_is_ideal([member, other]), 30, "a ring of two")
        os.kill(other.pid(), signal.SIGHUP)
        wait_for(lambda: other.pid() is None, 20, "its end")
        self.assertIn("this node is left", (other.home / "beckond.log").read_text())

    def test_a_restart_listens_where_the_last_start_was_told_to(self):
        node = self.node()
        node.up()
        listen = node.listen
        self.assertEqual(node.run("down")[0], 0)
        node.json("up", "--listen", listen)
        node.kill()
        self.assertEqual(node.json("up")["node"]["listen"], listen)
        setting = [s for s in node.json("config", "list")["settings"] if s["name"] == "listen"][0]
        self.assertEqual((setting["value"], setting["origin"]), (listen, "the last start that said it"))


class Shapes(Overlay):
    def test_records_carry_an_address_that_others_can_dial(self):
        node = self.node()
        self.assertEqual(node.run("up", "--listen", "0.0.0.0:0")[0], 0)
        self.assertEqual(node.run("profile", "set", "hobby=chess")[0], 0)
        self.assertEqual(node.run("profile", "publish")[0], 0)
        person = node.json("find", "hobby=chess")["people"][0]
        self.assertFalse(person["contact"]["address"].startswith("0.0.0.0"), person)

    def test_status_ring_and_config(self):
        first, second = self.ring(2)
        wait_for(lambda: ring_is_ideal([first, second]), 30, "a ring of two")
        status = first.json("status")
        self.assertEqual(status["node"]["state"], "joined")
        self.assertEqual(status["ring"]["predecessor"], second.id)
        self.assertEqual(status["ring"]["size_estimate"], 2)
        self.assertEqual([user["published"] for user in status["users"]], [False])  # `me`, who is there from the start
        self.assertEqual(status["inbox"], {"unread": 0, "requests": 0})
        self.assertEqual(first.json("net", "ping", second.id)["id"], second.id)
        self.assertEqual(first.json("net", "trace", second.id)["owner"]["id"], second.id)
        listen = [s for s in first.json("config", "list")["settings"] if s["name"] == "ring.stabilize"][0]
        self.assertEqual(listen["origin"], f"{first.home}/config.toml")
        for words in (["status"], ["net", "ring"], ["net", "peers"], ["net", "stats"], ["doctor"], ["overlay", "show"]):
            code, out, err = first.run(*words)
            self.assertEqual(code, 0, err)
            self.assertNotIn("\x1b", out)

    def test_files_are_private_and_the_end_is_clean(self):
        node = self.node("fresh")
        node.up()
        for name in ("", "api.sock", "node.key", "beckon.db", "beckond.log"):
            mode = stat.S_IMODE(os.stat(node.home / name).st_mode)
            self.assertEqual(mode & 0o077, 0, name)
        os.kill(node.pid(), 15)  # SIGTERM leaves and ends
        wait_for(lambda: node.pid() is None, 15, "the end")
        self.assertFalse((node.home / "api.sock").exists())

    def test_completion_scripts_are_sound_bash(self):
        code, out, _ = self.node().run("completion", "bash")
        self.assertEqual(code, 0)
        subprocess.run(["bash", "-n"], input=out, text=True, check=True)
        done = subprocess.run(["bash", "-c", out + "\nCOMP_WORDS=(beckon net r); COMP_CWORD=2; _beckon; echo ${COMPREPLY[@]}"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split(), ["ring"])


class ClosedOverlay(Overlay):
    def test_create_invite_join_revoke(self):
        founder, guest, stranger = self.node(), self.node(), self.node()
        self.assertEqual(founder.json("overlay", "create", "club")["name"], "club")
        founder.up()
        invite = founder.json("overlay", "invite")["invite"]
        guest.up("--invite", invite)
        self.assertNotIn(invite.encode(), pathlib.Path(f"/proc/{guest.pid()}/cmdline").read_bytes())
        wait_for(lambda: ring_is_ideal([founder, guest]), 30, "a closed ring of two")
        code, _, err = stranger.run("up", "--listen", "127.0.0.1:0", "--invite", invite)
        self.assertEqual(code, 1, "an invite is good once")
        self.assertTrue(err)
        self.assertEqual(len(founder.json("overlay", "show")["members"]), 2)
        for node in (founder, guest):
            credential = node.json("status")["credential"]
            self.assertLess(credential["renewal_ms"], credential["until_ms"])
            self.assertNotIn("trouble", credential)
            self.assertIn("Admitted for 29 days more", node.run("status")[1])
        founder.json("overlay", "revoke", guest.id[:8])
        wait_for(lambda: founder.json("status")["ring"]["successors"] == [], 30, "the guest's end")
        self.expelled_is_told_and_comes_back(founder, guest)

    def expelled_is_told_and_comes_back(self, founder, guest):
        wait_for(lambda: guest.json("status")["credential"].get("expelled"), 30, "its hearing of it")
        _, out, err = guest.run("status")
        self.assertIn("Expelled by the overlay's authority", out)
        self.assertIn(", expelled, up", out)
        self.assertNotIn("nodes; predecessor", out)
        self.assertEqual(guest.json("net", "ring")["state"], "expelled")
        self.assertNotIn("Admitted", out)
        self.assertIn("--invite", err)
        code, out, _ = guest.run("down")
        self.assertEqual(code, 0)
        self.assertIn("It was expelled", out)
        code, _, err = guest.run("up", timeout=20)
        self.assertEqual(code, 1)
        self.assertIn("has expelled this node", err)
        self.assertIn("--invite", err)
        expelled = guest.id
        guest.up("--invite", founder.json("overlay", "invite")["invite"])
        self.assertNotEqual(guest.id, expelled)
        wait_for(lambda: ring_is_ideal([founder, guest]), 30, "the guest's return")

    def test_expelled_while_away(self):
        founder, guest = self.node(), self.node()
        founder.json("overlay", "create", "club")
        founder.up()
        invite = founder.json("overlay", "invite")["invite"]
        guest.up("--invite", invite)
        self.assertEqual(guest.run("down")[0], 0)
        guest.up("--invite", invite)  # used up, but the guest is a member
        self.assertEqual(guest.run("down")[0], 0)
        founder.json("overlay", "revoke", guest.id[:8])
        code, _, err = guest.run("up", "--listen", guest.listen, "--timeout", "8s")
        self.assertEqual(code, 1)
        self.assertIn("has expelled this node", err)
        self.assertEqual(guest.run("down")[0], 0)
        expelled = guest.id
        guest.up("--invite", founder.json("overlay", "invite")["invite"])
        self.assertNotEqual(guest.id, expelled)
        wait_for(lambda: ring_is_ideal([founder, guest]), 30, "the guest's return")

    def test_a_stranger_is_told_to_ask_for_an_invite_and_can_use_it(self):
        founder, stranger = self.node(), self.node()
        founder.json("overlay", "create", "club")
        code, _, err = founder.run("up", "--listen", "0.0.0.0:0")
        self.assertEqual(code, 0, err)
        self.assertIn("beckon overlay invite", err)
        self.assertNotIn("--join", err)
        port = founder.json("status")["node"]["listen"].split(":")[1]
        code, _, err = stranger.run("up", "--listen", "127.0.0.1:0", "--join", f"127.0.0.1:{port}")
        self.assertEqual(code, 1)
        self.assertIn("the overlay there is closed", err)
        self.assertIn("--invite STRING", err)
        self.assertNotIn("Is a node up there", err)
        made = founder.json("overlay", "invite")
        self.assertFalse([a for a in made["addresses"] if a.startswith("0.0.0.0")], "an address for others")
        self.assertTrue(made["addresses"])
        stranger.up("--invite", made["invite"])
        self.assertEqual(stranger.json("overlay", "show")["name"], "club")


class GrowingSchema(Overlay):
    TEAM = [{"name": "hobby", "type": "text"}, {"name": "team", "type": "text"}]
    WEIGHT = {"name": "weight", "type": "int", "min": 0, "max": 300, "ladder": [16]}

    def schema_file(self, node, number, attributes):
        path = pathlib.Path(node.home) / f"schema{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"number": number, "fold": "1", "attributes": attributes}))
        return str(path)

    def publish(self, node, *words):
        node.json("profile", "set", *words)
        published = node.json("profile", "publish")
        self.assertEqual(published["records"], published["stored"])

    def test_a_schema_grows_from_node_to_node(self):
        founder, guest, third = self.node(), self.node(), self.node()
        self.assertEqual(founder.json("overlay", "create", "club", "--schema", self.schema_file(founder, 1, self.TEAM))["name"],
                         "club")
        founder.up()
        for node in (guest, third):
            node.up("--invite", founder.json("overlay", "invite")["invite"])
        wait_for(lambda: ring_is_ideal([founder, guest, third]), 30, "a ring of three")
        self.publish(founder, "hobby=chess", "team=red")
        self.publish(guest, "hobby=go", "team=red")
        self.refusals(founder, guest)
        grown = self.schema_file(founder, 2, self.TEAM + [self.WEIGHT])
        self.assertEqual(founder.json("overlay", "schema", grown), {"kind": "signed", "number": 1, "next": 2})
        for node in (guest, third):
            wait_for(lambda: node.json("status")["schema"].get("next") == 2, 20, "the new schema")
            self.assertIn("number 2", node.run("status")[1])
            self.assertIn("next start", node.run("overlay", "show")[1])
        self.assertEqual(guest.run("down")[0], 0)
        guest.up()
        wait_for(lambda: ring_is_ideal([founder, guest, third]), 30, "the guest's return")
        self.assertEqual(guest.json("overlay", "show")["schema"], {"kind": "signed", "number": 2})
        self.publish(guest, "hobby=go", "team=red", "weight=70")
        for node in (founder, guest, third):
            self.assertEqual(len(node.json("find", "team=red")["people"]), 2)
        self.assertEqual(len(guest.json("find", "weight=65..75")["people"]), 1)
        self.assertEqual(len(guest.json("find", "team=red !has=weight")["people"]), 1)
        code, _, err = third.run("find", "weight=70")
        self.assertEqual(code, 2)
        self.assertIn("no attribute", err)

    def refusals(self, founder, guest):
        bad = self.schema_file(founder, 3, self.TEAM[:1] + [self.WEIGHT])
        code, _, err = founder.run("overlay", "schema", bad)
        self.assertNotEqual(code, 0)
        self.assertIn("attribute 2 must be team", err)
        same = self.schema_file(founder, 1, self.TEAM + [self.WEIGHT])
        self.assertIn("greater than 1", founder.run("overlay", "schema", same)[2])
        code, _, err = guest.run("overlay", "schema", self.schema_file(guest, 4, self.TEAM + [self.WEIGHT]))
        self.assertNotEqual(code, 0)
        self.assertIn("authority's key", err)

    def test_an_open_overlay_with_a_schema_of_its_own(self):
        founder, guest, plain = self.node(), self.node(), self.node()
        founder.json("overlay", "create", "town", "--open", "--schema", self.schema_file(founder, 1, self.TEAM))
        founder.up()
        guest.up("--invite", founder.json("overlay", "invite")["invite"])
        wait_for(lambda: ring_is_ideal([founder, guest]), 30, "an open ring of two")
        self.assertEqual(guest.json("overlay", "show")["schema"], {"kind": "signed", "number": 1})
        founder.json("overlay", "schema", self.schema_file(founder, 7, self.TEAM + [self.WEIGHT]))
        wait_for(lambda: guest.json("overlay", "show")["schema"].get("next") == 7, 20, "the new schema")
        plain.up()
        self.assertIn("grows with releases", plain.run("overlay", "schema", self.schema_file(plain, 2, self.TEAM))[2])

    def test_a_home_of_the_first_protocol_is_told_what_to_do(self):
        node = self.node()
        node.json("overlay", "create", "club")
        path = next(pathlib.Path(node.home).rglob("overlay.json"))
        file = json.loads(path.read_text())
        del file["version"]
        path.write_text(json.dumps(file))
        code, _, err = node.run("up", "--listen", "127.0.0.1:0")
        self.assertEqual(code, 1)
        self.assertIn("protocol version 2", err)
        self.assertIn("new invite", err)


if __name__ == "__main__":
    overlay.main(__name__)
