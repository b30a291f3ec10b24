// SPDX-License-Identifier: MIT
#include "node/service/mail/calls.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/node/service/mail/mail_world.h"

using namespace beckon;
using namespace beckon::test::mail;
using State = Call::State;

namespace {

/// A MailWorld in which people call each other.
struct CallWorld : MailWorld {
  explicit CallWorld(std::size_t nodes, const Mail::Options& mail_options = quick())
      : MailWorld(nodes, 1, {}, mail_options) {}

  Calls& calls(std::size_t i) { return at(i).mail.calls(); }

  Letter::Number invite(std::size_t from, const std::vector<std::size_t>& to) {
    Calls::Invite invite{.from = user(from), .name = person(from)};
    for (std::size_t i : to) invite.to.push_back(callee(i));
    auto id = calls(from).invite(invite);
    REQUIRE(id);
    return *id;
  }
  static std::string person(std::size_t i) { return "person " + std::to_string(i); }

  const Call* call(std::size_t i, const Letter::Number& id) { return calls(i).find({user(i), id}); }
  bool in_state(std::size_t i, const Letter::Number& id, State state, Duration limit = 10s) {
    return net.run_until([&] { return call(i, id) != nullptr && call(i, id)->state == state; },
                         limit);
  }
  std::string why(std::size_t i, const Letter::Number& id) { return call(i, id)->why; }

  /// An active call between two.
  Letter::Number connect(std::size_t a, std::size_t b) {
    auto id = invite(a, {b});
    REQUIRE(in_state(b, id, State::ringing));
    REQUIRE(calls(b).accept({user(b), id}, person(b)));
    REQUIRE(in_state(a, id, State::active));
    return id;
  }
  void say(std::size_t i, const Letter::Number& id, const std::string& text) {
    REQUIRE(calls(i).say({user(i), id}, text));
  }

  /// What a person saw of a call: "line", "joined", "gone" ... each with who and text.
  Texts seen(std::size_t i, const std::string& what) {
    Texts out;
    for (const Event& event : net.node(places[i]).events) {
      if (event.name != "call") continue;
      auto json = json_or_null(event.json);
      if (json["user"] != user(i).hex() || json["what"] != what) continue;
      std::string name = json.contains("who") ? json["who"]["name"].get<std::string>() : "";
      std::string text = json.value("text", "");
      out.push_back(name + (text.empty() ? "" : ": " + text));
    }
    return out;
  }
  bool sees(std::size_t i, const std::string& what, const Texts& wanted) {
    return net.run_until([&] { return seen(i, what) == wanted; }, 10s);
  }
};

}  // namespace

TEST_SUITE_BEGIN("service/calls");

TEST_CASE("a call is invited, accepted, and carries lines both ways in order until it is hung up") {
  for (bool caller_hangs_up : {true, false}) {
    CAPTURE(caller_hangs_up);
    CallWorld w(6);
    auto id = w.connect(0, 1);
    CHECK(w.seen(1, "ringing") == Texts{"person 0"});
    CHECK(w.seen(0, "joined") == Texts{"person"});  // as the card named it
    Texts spoken;
    for (int i = 0; i < 50; ++i) {
      w.say(0, id, "there " + std::to_string(i));
      w.say(1, id, "back " + std::to_string(i));
    }
    for (int i = 0; i < 50; ++i) spoken.push_back("person 0: there " + std::to_string(i));
    CHECK(w.sees(1, "line", spoken));
    CHECK(w.net.run_until([&] { return w.seen(0, "line").size() == 50; }, 10s));
    CHECK(w.seen(0, "line").front() == "person: back 0");
    CHECK(w.seen(0, "line").back() == "person: back 49");

    std::size_t leaver = caller_hangs_up ? 0 : 1;
    REQUIRE(w.calls(leaver).hang_up({w.user(leaver), id}));
    CHECK(w.in_state(1 - leaver, id, State::ended));
    CHECK(w.why(1 - leaver, id) == "hung up");
    CHECK_FALSE(w.calls(leaver).say({w.user(leaver), id}, "too late"));
    CHECK_FALSE(w.calls(leaver).hang_up({w.user(leaver), id}));
  }
}

TEST_CASE("a call can be declined, and taken back before it is answered") {
  CallWorld w(6);
  auto declined = w.invite(0, {1});
  REQUIRE(w.in_state(1, declined, State::ringing));
  REQUIRE(w.calls(1).decline({w.user(1), declined}));
  CHECK(w.in_state(0, declined, State::ended));
  CHECK(w.why(0, declined) == "declined");

  auto taken_back = w.invite(0, {1});
  REQUIRE(w.in_state(1, taken_back, State::ringing));
  REQUIRE(w.calls(0).hang_up({w.user(0), taken_back}));
  CHECK(w.in_state(1, taken_back, State::ended));
  CHECK_FALSE(w.calls(1).accept({w.user(1), taken_back}, "late"));
}

TEST_CASE("who is in a call is busy to a third, and cannot begin or accept another") {
  CallWorld w(6);
  auto waiting = w.invite(3, {1});
  REQUIRE(w.in_state(1, waiting, State::ringing));
  auto first = w.connect(0, 1);
  auto second = w.invite(2, {1});
  CHECK(w.in_state(2, second, State::ended));
  CHECK(w.why(2, second) == "busy");
  CHECK(w.call(1, first)->state == State::active);
  CHECK_FALSE(w.calls(1).accept({w.user(1), waiting}, "me"));
  CHECK_FALSE(w.calls(1).invite({.from = w.user(1), .to = {w.callee(4)}}));
}

TEST_CASE("a call nobody answers ends on both sides, and cannot be accepted afterwards") {
  CallWorld w(6);
  auto id = w.invite(0, {1});
  REQUIRE(w.in_state(1, id, State::ringing));
  CHECK(w.in_state(0, id, State::ended, 60s));
  CHECK(w.why(0, id) == "no answer");
  CHECK(w.in_state(1, id, State::ended, 15s));
  CHECK(w.why(1, id) == "no answer");
  CHECK_FALSE(w.calls(1).accept({w.user(1), id}, "late"));
}

TEST_CASE(
    "an answer that crosses the caller's giving up does not leave the callee alone in a call") {
  Mail::Options options = MailWorld::quick();
  CallWorld w(6, options);
  auto id = w.invite(0, {1});
  REQUIRE(w.in_state(1, id, State::ringing));
  REQUIRE(w.calls(1).accept({w.user(1), id}, "me"));  // on its way while
  REQUIRE(w.calls(0).hang_up({w.user(0), id}));
  CHECK(w.in_state(1, id, State::ended));
}

TEST_CASE("somebody away is unreachable, and a call leaves nothing in a mailbox") {
  CallWorld w(6);
  PersonRef away = w.callee(1);
  w.net.crash(w.places[1]);
  auto id = w.calls(0).invite({.from = w.user(0), .to = {away}});
  REQUIRE(id);
  CHECK(w.in_state(0, *id, State::ended, 30s));
  CHECK(w.why(0, *id) == "unreachable");
  w.net.start(w.places[1]);
  w.net.run_for(60s);
  CHECK(w.calls(1).all().empty());
}

TEST_CASE("a link that drops ends the call with that reason, whoever is cut off") {
  CallWorld w(6);
  auto id = w.connect(0, 1);
  w.net.run_for(2min);  // silence is no reason
  CHECK(w.call(0, id)->state == State::active);
  CHECK(w.call(1, id)->state == State::active);
  w.net.partition({{w.places[1]}});
  CHECK(w.in_state(0, id, State::ended, 60s));
  CHECK(w.in_state(1, id, State::ended, 60s));
  CHECK(w.why(0, id) == "dropped");
  CHECK(w.why(1, id) == "dropped");
}

TEST_CASE("a callee whose node restarts is dropped") {
  CallWorld w(6);
  auto id = w.connect(0, 1);
  w.net.crash(w.places[1]);
  w.net.start(w.places[1]);
  w.say(0, id, "still there?");
  CHECK(w.in_state(0, id, State::ended));
  CHECK(w.why(0, id) == "dropped");
}

TEST_CASE("in a group everybody who accepted hears everybody, and nobody else hears anything") {
  CallWorld w(8);
  auto id = w.invite(0, {1, 2, 3, 4});
  for (std::size_t i : {1, 2, 3, 4}) REQUIRE(w.in_state(i, id, State::ringing));
  for (std::size_t i : {1, 2, 3}) REQUIRE(w.calls(i).accept({w.user(i), id}, w.person(i)));
  for (std::size_t i : {0, 1, 2, 3}) {
    CAPTURE(i);
    CHECK(w.net.run_until([&] { return w.seen(i, "joined").size() == 3; }, 10s));
  }
  for (std::size_t i : {0, 1, 2, 3}) w.say(i, id, "hello");
  for (std::size_t i : {0, 1, 2, 3}) {
    CAPTURE(i);
    CHECK(w.net.run_until([&] { return w.seen(i, "line").size() == 3; }, 10s));
  }
  CHECK(w.seen(4, "line").empty());

  // One guest leaves: the rest go on, and who still rings goes on ringing.
  REQUIRE(w.calls(3).hang_up({w.user(3), id}));
  for (std::size_t i : {0, 1, 2})
    CHECK(w.net.run_until([&] { return w.seen(i, "gone").size() == 1; }, 10s));
  CHECK(w.call(4, id)->state == State::ringing);
  // The caller leaves: the others keep talking, who rings stops ringing.
  REQUIRE(w.calls(0).hang_up({w.user(0), id}));
  CHECK(w.in_state(4, id, State::ended));
  w.say(1, id, "just us");
  CHECK(w.net.run_until([&] { return w.seen(2, "line").size() == 4; }, 10s));
  REQUIRE(w.calls(1).hang_up({w.user(1), id}));
  CHECK(w.in_state(2, id, State::ended));
}

TEST_CASE("in a group a line that overtakes the word that its speaker joined is heard") {
  CallWorld w(6);
  auto id = w.invite(0, {1, 2});
  REQUIRE(w.in_state(1, id, State::ringing));
  REQUIRE(w.calls(1).accept({w.user(1), id}, w.person(1)));
  REQUIRE(w.in_state(0, id, State::active));
  w.net.run_for(1s);
  std::size_t joined = w.seen(1, "joined").size();
  for (std::uint64_t count : {1, 2}) {
    Letter letter{.from = w.keys[2], .to = w.user(1), .kind = Letter::Kind::call, .thread = id};
    letter.time = w.net.node(w.places[1]).now().wall;
    letter.body = encode(CallMessage{
        .op = CallMessage::Op::line, .text = "line " + std::to_string(count), .count = count});
    CHECK(w.calls(1).take(*w.at(1).users.me(), letter) == Delivery::delivered);
  }
  CHECK(w.seen(1, "joined").size() == joined + 1);
  CHECK(w.seen(1, "line") == Texts{"person: line 1", "person: line 2"});
}

TEST_CASE("a group call goes on without those who decline, are busy or away") {
  CallWorld w(8);
  auto other = w.connect(5, 3);
  auto id = w.invite(0, {1, 2, 3});
  for (std::size_t i : {1, 2}) REQUIRE(w.in_state(i, id, State::ringing));
  REQUIRE(w.calls(1).decline({w.user(1), id}));
  REQUIRE(w.calls(2).accept({w.user(2), id}, "two"));
  CHECK(w.in_state(0, id, State::active));
  CHECK(w.net.run_until([&] { return w.seen(0, "gone").size() == 2; }, 10s));
  CHECK(w.call(0, id)->state == State::active);
  CHECK(w.call(3, other)->state == State::active);
}

TEST_CASE("a blocked caller learns nothing: it rings in vain as for anybody who does not answer") {
  std::vector<Duration> took;
  for (bool blocked : {false, true}) {
    CallWorld w(6);
    if (blocked) {
      REQUIRE(w.at(1).mail.contacts().put(
          w.user(1), {.key = w.keys[0], .standing = Contact::Standing::blocked},
          [](const Result<void>&) {}));
    }
    auto begin = w.net.time();
    auto id = w.invite(0, {1});
    CHECK(w.in_state(0, id, State::ended, 2min));
    CHECK(w.why(0, id) == "no answer");
    CHECK(w.calls(1).all().empty() == blocked);
    CHECK(w.seen(1, "ringing").empty() == blocked);
    took.push_back(w.net.time() - begin);
  }
  CHECK(took[0] == took[1]);
}

TEST_CASE("a blocked caller is answered as a stranger is whose calls nobody takes") {
  for (Policy policy : {Policy::everyone, Policy::contacts, Policy::nobody}) {
    std::vector<Texts> outcomes;
    for (bool blocked : {false, true}) {
      CallWorld w(6);
      User user = *w.at(1).users.me();
      user.policy = policy;
      REQUIRE(w.at(1).users.change(user, [](const Result<void>&) {}));
      if (blocked) {
        REQUIRE(w.at(1).mail.contacts().put(
            w.user(1), {.key = w.keys[0], .standing = Contact::Standing::blocked},
            [](const Result<void>&) {}));
      }
      Texts seen;
      std::vector<Delivery> answers;
      for (std::uint8_t n = 0; n < 4; ++n) {  // more at once than one caller may have
        Letter letter{.from = w.keys[0], .to = w.user(1), .kind = Letter::Kind::call};
        letter.thread[0] = n;
        letter.time = w.net.node(w.places[1]).now().wall;
        letter.body = encode(CallMessage{.op = CallMessage::Op::invite, .count = 1});
        seen.push_back(
            std::to_string(static_cast<int>(w.calls(1).take(*w.at(1).users.me(), letter))));
        letter.body = encode(CallMessage{.op = CallMessage::Op::hangup, .count = 2});
        if (n > 1) {
          seen.push_back(
              std::to_string(static_cast<int>(w.calls(1).take(*w.at(1).users.me(), letter))));
        }
        w.net.run_for(1s);
      }
      auto id = w.invite(0, {1});
      CHECK(w.in_state(0, id, State::ended, 2min));
      seen.push_back(w.why(0, id));
      outcomes.push_back(seen);
    }
    CAPTURE(static_cast<int>(policy));
    CHECK(outcomes[0] == outcomes[1]);
  }
}

TEST_CASE("however many calls come and go, one timer watches them") {
  CallWorld w(4);
  std::size_t before = w.net.node(w.places[1]).timers();
  for (int i = 0; i < 50; ++i) {
    auto id = w.invite(0, {1});
    REQUIRE(w.in_state(1, id, State::ringing));
    REQUIRE(w.calls(1).decline({w.user(1), id}));
    REQUIRE(w.in_state(0, id, State::ended));
  }
  CHECK(w.net.node(w.places[1]).timers() <= before + 2);
  w.net.run_for(15min);
  CHECK(w.calls(1).all().empty());
  CHECK(w.calls(0).all().empty());
}

TEST_CASE("the callee's policy decides who may call") {
  for (Policy policy : {Policy::contacts, Policy::nobody}) {
    CAPTURE(static_cast<int>(policy));
    CallWorld w(6);
    User user = *w.at(1).users.me();
    user.policy = policy;
    REQUIRE(w.at(1).users.change(user, [](const Result<void>&) {}));
    auto id = w.invite(0, {1});
    CHECK(w.in_state(0, id, State::ended));
    CHECK(w.why(0, id) == "refused");
    CHECK(w.calls(1).all().empty());
    w.befriend(1, 2);
    auto friends = w.invite(2, {1});
    bool rings = policy == Policy::contacts;
    CHECK(w.in_state(2, friends, rings ? State::inviting : State::ended));
    w.net.run_for(1s);
    CHECK(w.calls(1).all().size() == (rings ? 1 : 0));
  }
}

TEST_CASE("limits hold: calls per caller, lines, members, and ended calls that are remembered") {
  Mail::Options options = MailWorld::quick();
  options.calls.max_ended = 4;
  CallWorld w(6, options);
  for (int i = 0; i < 10; ++i) {  // one caller in a hurry
    auto id = w.invite(0, {1});
    w.net.run_for(1s);
    REQUIRE(w.calls(0).hang_up({w.user(0), id}));
    w.net.run_for(1s);
  }
  CHECK(w.calls(1).all().size() <= 5);
  CHECK(w.calls(0).all().size() <= 5);

  auto id = w.connect(0, 1);
  CHECK_FALSE(w.calls(0).say({w.user(0), id}, std::string(CallMessage::max_line + 1, 'x')));
  CHECK_FALSE(w.calls(0).say({w.user(0), id}, "\xff"));
  CHECK_FALSE(w.calls(2).invite({.from = w.user(2)}));
  CHECK_FALSE(w.calls(2).invite({.from = w.user(2), .to = {w.callee(2)}}));
  std::vector<PersonRef> crowd(CallMessage::max_members, w.callee(3));
  CHECK_FALSE(w.calls(2).invite({.from = w.user(2), .to = crowd}));
  CHECK_FALSE(w.calls(2).accept({w.user(2), id}, "a stranger to this call"));
}

TEST_CASE("replayed letters of a call do nothing") {
  CallWorld w(6);
  std::vector<Bytes> to_callee;
  std::vector<Bytes> to_caller;
  w.net.tap = [&](const Id&, const Id& to, std::uint8_t type, const Bytes& body) {
    if (type != raw(FrameType::deliver_req)) return;
    if (to == w.places[1]) to_callee.push_back(body);
    if (to == w.places[0]) to_caller.push_back(body);
  };
  auto id = w.connect(0, 1);
  w.say(0, id, "once");
  w.say(1, id, "and back");
  REQUIRE(w.sees(1, "line", {"person 0: once"}));
  auto replay = [&] {
    for (const Bytes& body : std::vector(to_callee))
      w.net.inject(w.places[2], w.places[1], raw(FrameType::deliver_req), body);
    for (const Bytes& body : std::vector(to_caller))
      w.net.inject(w.places[2], w.places[0], raw(FrameType::deliver_req), body);
    w.net.run_for(1s);
  };
  replay();
  CHECK(w.call(0, id)->state == State::active);
  CHECK(w.seen(1, "line").size() == 1);
  CHECK(w.seen(0, "line").size() == 1);
  CHECK(w.seen(1, "ringing").size() == 1);
  REQUIRE(w.calls(0).hang_up({w.user(0), id}));
  REQUIRE(w.in_state(1, id, State::ended));
  replay();
  w.net.run_for(20min);  // both have forgotten the call
  CHECK(w.calls(1).all().empty());
  replay();
  CHECK(w.calls(1).all().empty());
  CHECK(w.seen(1, "ringing").size() == 1);
}

TEST_CASE("a replayed sign of life does not hide that the other side is gone") {
  CallWorld w(6);
  Bytes alive;
  w.net.tap = [&](const Id&, const Id& to, std::uint8_t type, const Bytes& body) {
    if (type == raw(FrameType::deliver_req) && to == w.places[1]) alive = body;
  };
  auto id = w.connect(0, 1);
  w.net.run_for(15s);
  REQUIRE_FALSE(alive.empty());
  Bytes last = alive;
  w.net.partition({{w.places[0]}});
  for (int i = 0; i < 10; ++i) {
    w.net.inject(w.places[2], w.places[1], raw(FrameType::deliver_req), last);
    w.net.run_for(5s);
  }
  CHECK(w.call(1, id)->state == State::ended);
}

TEST_CASE("a call's messages survive encoding, and malformed ones are refused") {
  PersonRef member{.name = "Zoë \"Z\"", .host = {.id = {}, .address = "127.0.0.1:7"}};
  member.key[3] = 7;
  member.message_key[31] = 9;
  for (auto op : {CallMessage::Op::invite, CallMessage::Op::accept, CallMessage::Op::decline,
                  CallMessage::Op::roster, CallMessage::Op::line, CallMessage::Op::alive,
                  CallMessage::Op::hangup}) {
    CallMessage message{.op = op, .text = "a\n\"b\"", .count = 1ULL << 60, .members = {member, {}}};
    auto back = decode_call_message(encode(message));
    REQUIRE(back);
    CHECK(*back == message);
  }
  CHECK(encode(CallMessage{.op = CallMessage::Op::line, .text = "hi", .count = 3}) ==
        R"({"count":3,"op":"line","text":"hi"})");

  std::string good = encode(CallMessage{.op = CallMessage::Op::invite, .members = {member}});
  for (std::size_t i = 0; i < good.size(); ++i)
    CHECK_FALSE(decode_call_message(std::string_view(good).substr(0, i)));
  for (const char* bad :
       {"", "[]", "7", "{}", R"({"op":7})", R"({"op":"sing"})", R"({"op":"line","text":7})",
        R"({"op":"line","count":-1})", R"({"op":"line","count":1.5})",
        R"({"op":"roster","members":{}})", R"({"op":"roster","members":[7]})",
        R"({"op":"roster","members":[{"key":"00"}]})", R"({"op":"line","op":"hangup"})"}) {
    CAPTURE(bad);
    CHECK_FALSE(decode_call_message(bad));
  }
  CallMessage crowd{.op = CallMessage::Op::roster};
  crowd.members.resize(CallMessage::max_members);
  CHECK(decode_call_message(encode(crowd)));
  crowd.members.emplace_back();
  CHECK_FALSE(decode_call_message(encode(crowd)));
  CallMessage line{.op = CallMessage::Op::line, .text = std::string(CallMessage::max_line, 'x')};
  CHECK(decode_call_message(encode(line)));
  line.text += 'x';
  CHECK_FALSE(decode_call_message(encode(line)));
}

TEST_SUITE_END();
