# SPDX-License-Identifier: MIT
"""Calls between real nodes: talking, groups, and each way a call can end."""
import signal

import overlay
from overlay import wait_for
from people import People, Running


class Calls(People):
    def ringing(self, node):
        """The number of the one call that rings there."""
        wait_for(lambda: [c for c in node.json("status")["calls"] if c["state"] == "ringing"], 20, "ringing")
        return [c for c in node.json("status")["calls"] if c["state"] == "ringing"][0]["id"]

    def ends(self, call, code, words):
        """It ends with this code and says why in these words."""
        self.assertEqual(call.end(90), code, call.talk)
        call.said(words, 5)

    def test_two_people_talk_and_hang_up(self):
        alice, bob = self.people(["Alice", "Bob"])
        bob.json("profile", "set", "mail=bob@example.net", "visibility.mail=public",
                 "x-phone=tel:+886-2-5550100", "visibility.x-phone=public")
        bob.json("profile", "publish")
        following = Running(bob, "inbox", "--follow")
        for_programs = Running(bob, "inbox", "--follow", "--json")
        following.said("Waiting for messages and calls.")
        self.find(alice, "Bob")
        calling = Running(alice, "call", "@1")
        number = self.ringing(bob)
        following.heard("Alice calls.")
        following.said(f"beckon call --accept {number[:8]}")
        wait_for(lambda: any('"ringing"' in line for line in for_programs.lines), 20, "the ringing as JSON")
        answering = Running(bob, "call", "--accept", number[:8])
        calling.said("Bob is here.")
        calling.say("hello Bob")
        answering.heard("Alice: hello Bob")
        answering.say("hello Alice")
        calling.heard("Bob: hello Alice")
        calling.process.send_signal(signal.SIGINT)
        self.assertEqual(calling.end(), 0)
        self.ends(answering, 0, "Alice hung up.")
        # Other ways to reach Bob, for a real telephone.
        for way in ("sip:bob@example.net", "mailto:bob@example.net", "tel:+886-2-5550100"):
            self.assertTrue(any(way in line for line in calling.talk), (way, calling.talk))
        for follower in (following, for_programs):
            follower.process.send_signal(signal.SIGINT)
            self.assertEqual(follower.end(), 130)

    def test_each_end_of_a_call_has_its_own_words_and_code(self):
        alice, bob, carol, dave = self.people(["Alice", "Bob", "Carol", "Dave"])
        self.find(alice, "Bob")
        unanswered = Running(alice, "call", "@1")  # Bob lets it ring; meanwhile the others go on
        self.ringing(bob)
        self.find(carol, "Dave")
        talking = Running(carol, "call", "@1")
        taking = Running(dave, "call", "--accept", self.ringing(dave))
        talking.said("Dave is here.")
        self.find(bob, "Dave")
        self.ends(Running(bob, "call", "@1"), 10, "Dave is in another call.")
        taking.process.send_signal(signal.SIGINT)
        self.assertEqual(taking.end(), 0)
        self.ends(talking, 0, "Dave hung up.")

        declined = Running(carol, "call", "@1")
        dave.json("call", "--decline", self.ringing(dave))
        self.ends(declined, 5, "Dave declined.")
        dave.json("contact", "policy", "nobody")
        self.ends(Running(carol, "call", "@1"), 5, "Dave takes no calls from you.")
        dave.json("contact", "policy", "everyone")

        lost = Running(carol, "call", "@1")
        taking = Running(dave, "call", "--accept", self.ringing(dave))
        lost.said("Dave is here.")
        dave.kill()
        self.ends(lost, 12, "The link to Dave is lost.")
        self.ends(taking, 3, "beckond has gone, and the call with it")
        self.ends(Running(carol, "call", "@1"), 13, "Dave cannot be reached now.")
        self.ends(unanswered, 11, "Bob does not answer.")

    def test_everybody_who_accepted_a_group_call_sees_everybody(self):
        alice, bob, carol, dave = self.people(["Alice", "Bob", "Carol", "Dave"])
        self.find(alice, "Dave")
        code, _, err = alice.run("call", "hobby=chess")
        self.assertEqual(code, 2)
        self.assertIn("--all", err)
        calling = Running(alice, "call", "hobby=chess", "--all")
        members = {"Alice": calling}
        for node in (bob, carol):
            members[node.name] = Running(node, "call", "--accept", self.ringing(node))
            calling.said(f"{node.name} is here.")
        dave.json("call", "--decline", self.ringing(dave))
        calling.said("Dave declined.")
        members["Bob"].said("Carol is here.")
        for speaker, said in members.items():
            said.say(f"I am {speaker}")
            for listener, call in members.items():
                if listener != speaker:
                    call.heard(f"{speaker}: I am {speaker}")
        # One leaves; the others go on.
        members["Bob"].process.send_signal(signal.SIGINT)
        self.assertEqual(members["Bob"].end(), 0)
        members["Carol"].said("Bob hung up.")
        members["Carol"].say("still there?")
        calling.heard("Carol: still there?")
        calling.process.send_signal(signal.SIGINT)
        self.assertEqual(calling.end(), 0)
        self.ends(members["Carol"], 0, "Alice hung up.")


if __name__ == "__main__":
    overlay.main(__name__)
