// SPDX-License-Identifier: MIT
#include "node/service/admission/hello.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/rng.h"
#include "node/service/kernel/frame_splitter.h"

using namespace beckon;
using namespace beckon::service;

namespace {

Hello hello() {
  return {.overlay = {0xaa},
          .epoch = 5,
          .capabilities = 7,
          .revocations = 6,
          .schema = 8,
          .addresses = {"127.0.0.1:7000", "[::1]:7"}};
}

}  // namespace

TEST_SUITE_BEGIN("service/hello");

TEST_CASE("HELLO has a fixed layout") {
  CHECK(to_hex(encode(hello())) ==
        "0202"
        "aa00000000000000000000000000000000000000000000000000000000000000"
        "0000000000000005"
        "0000000000000007"
        "04"
        "0100080000000000000006"
        "02000400000008"
        "03000e3132372e302e302e313a37303030"
        "0300075b3a3a315d3a37");
  CHECK(*decode_hello(encode(hello())) == hello());
  CHECK(to_hex(encode(Hello{.capabilities = 0})) == "0202" + std::string(96, '0') + "00");
}

TEST_CASE("HELLO is refused when cut, or with values out of bounds") {
  Bytes whole = encode(hello());
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(decode_hello(ByteView(whole).first(size)));
  for (const std::string& address : {std::string(), std::string(65, 'a'), std::string("\xff:1")}) {
    Hello bad = hello();
    bad.addresses = {address};
    CHECK_FALSE(decode_hello(encode(bad)));
  }
  for (const HelloField& bad :
       {HelloField{HelloField::revocations, Bytes(7)}, HelloField{HelloField::schema, Bytes(3)}}) {
    Hello plain{.epoch = 1};
    CHECK(decode_hello(encode(plain, {bad})).error().text ==
          "HELLO: bad field of type " + std::to_string(bad.type));
  }
  CHECK_FALSE(decode_hello(encode(hello(), {{HelloField::schema, Bytes(4)}})));  // a second one
}

TEST_CASE("HELLO may grow: unknown fields, longer values and what stands behind are passed over") {
  Hello later = hello();
  later.newest = 9;
  later.capabilities = ~std::uint64_t{0};
  Bytes grown = encode(later, {{0, {}}, {4, Bytes(300, 1)}, {0x7f, {1}}, {0xff, {2, 3}}, {4, {}}});
  grown.insert(grown.end(), {1, 2, 3});
  CHECK(*decode_hello(grown) == later);
  Hello self = hello();
  Greeting acceptor(Greeting::Side::acceptor, self);
  REQUIRE(acceptor.receive(wire::hello, grown));
  CHECK(acceptor.version() == 2);
  CHECK(acceptor.capabilities() == 7);

  Bytes longer_value = {0, 0, 0, 8, 0xff};
  CHECK(decode_hello(encode(Hello{}, {{HelloField::schema, longer_value}}))->schema == 8);
  Hello many = hello();
  many.addresses.assign(6, std::string(64, 'a'));
  auto read = decode_hello(encode(many));
  REQUIRE(read);
  CHECK(read->addresses == std::vector(4, std::string(64, 'a')));
}

TEST_CASE("versions are judged by two bytes, before any layout") {
  Hello self = hello();
  self.newest = 4;
  self.oldest = 3;
  struct Case {
    Bytes body;
    std::optional<Refusal> refusal;
    std::string text;
  };
  const Case cases[] = {
      {{2, 2, 9},
       Refusal::version,
       "the peer speaks version 2 of the protocol, we speak versions 3 to 4; update it"},
      {{1, 0xaa},
       Refusal::version,
       "the peer speaks version 1 of the protocol, we speak versions 3 to 4; update it"},
      {{9, 5},
       Refusal::version,
       "the peer speaks versions 5 to 9 of the protocol, we speak versions 3 to 4; update this "
       "node"},
      {{3, 4}, Refusal::malformed, "HELLO names no version"},
      {{9, 3, 1}, Refusal::malformed, "HELLO is cut short or malformed"},
      {{9}, Refusal::malformed, "HELLO is cut short or malformed"},
      {{}, Refusal::malformed, "HELLO is cut short or malformed"}};
  for (const Case& c : cases) {
    CAPTURE(to_hex(c.body));
    Greeting greeting(Greeting::Side::acceptor, self);
    auto heard = greeting.receive(wire::hello, c.body);
    REQUIRE_FALSE(heard);
    CHECK(greeting.refusal() == c.refusal);
    CHECK(heard.error().text == c.text);
  }
  for (std::uint8_t newest = 3; newest < 7; ++newest) {
    Hello peer = self;
    peer.newest = newest;
    Greeting greeting(Greeting::Side::dialler, self);
    REQUIRE(greeting.receive(wire::hello_ack, encode(peer)));
    CHECK(int(greeting.version()) == std::min<int>(newest, 4));
  }
}

TEST_CASE(
    "on a link counts what both ends can, and a peer that lacks what the overlay needs is told") {
  Hello self = hello(), peer = hello();
  self.capabilities = 0b0110;
  peer.capabilities = 0b1011;
  Greeting both(Greeting::Side::acceptor, self, 0b0010);
  REQUIRE(both.receive(wire::hello, encode(peer)));
  CHECK(both.capabilities() == 0b0010);
  Greeting needy(Greeting::Side::acceptor, self, 0b0110);
  auto heard = needy.receive(wire::hello, encode(peer));
  REQUIRE_FALSE(heard);
  CHECK(needy.refusal() == Refusal::capability);
  CHECK(heard.error().text == "the peer lacks capability 2, which the overlay needs; update it");

  Overlay overlay = builtin_overlay();
  CHECK(needed_capabilities(overlay) == 0);
  CHECK(check_capabilities(overlay));
  overlay.limits["capabilities"] = capability::ours;
  CHECK(check_capabilities(overlay));
  overlay.limits["capabilities"] = capability::ours | std::uint64_t{1} << 40;
  CHECK(check_capabilities(overlay).error().text ==
        "the overlay needs capability 40, which this version of Beckon does not have; update it");
}

TEST_CASE("the field that nobody knows is another one each time, and the same with the same seed") {
  std::vector<HelloField> fields;
  std::size_t longest = 0;
  Rng rng(1), again(1);
  for (int i = 0; i < 200; ++i) {
    fields.push_back(HelloField::random(rng));
    CHECK(fields.back() == HelloField::random(again));
    CHECK(fields.back().type >= HelloField::first_random);
    CHECK(*decode_hello(encode(hello(), {fields.back()})) == hello());
    longest = std::max(longest, fields.back().value.size());
  }
  CHECK(longest == 16);
  CHECK(fields[0] != fields[1]);
}

TEST_CASE("each side greets with its own word, once") {
  Hello self = hello();
  Greeting acceptor(Greeting::Side::acceptor, self);
  REQUIRE(acceptor.receive(wire::hello, encode(self)));
  CHECK(acceptor.done());
  CHECK(acceptor.peer() == self);
  CHECK_FALSE(acceptor.receive(wire::hello, encode(self)));

  Greeting dialler(Greeting::Side::dialler, self);
  CHECK_FALSE(dialler.receive(wire::hello, encode(self)));
  CHECK_FALSE(dialler.done());
  Greeting second(Greeting::Side::dialler, self);
  CHECK(second.receive(wire::hello_ack, encode(self)));
}

TEST_CASE("a greeting from elsewhere is refused with the reason to tell") {
  Hello self = hello();
  Hello other = self;
  other.overlay = {0xbb};
  Greeting a(Greeting::Side::acceptor, self);
  CHECK_FALSE(a.receive(wire::hello, encode(other)));
  CHECK(a.refusal() == Refusal::overlay);
  Hello later = self;
  later.newest = later.oldest = 3;
  Greeting b(Greeting::Side::acceptor, self);
  CHECK_FALSE(b.receive(wire::hello, encode(later)));
  CHECK(b.refusal() == Refusal::version);
  Greeting c(Greeting::Side::acceptor, self);
  CHECK_FALSE(c.receive(0x20, {}));
  CHECK(c.refusal() == Refusal::malformed);
  Greeting d(Greeting::Side::dialler, self);
  auto told = d.receive(wire::refused, encode(Refused::of(Refusal::revoked)));
  REQUIRE_FALSE(told);
  CHECK(told.error().text == "the peer refused us: the overlay's authority has expelled this node");
}

TEST_CASE("every refusal travels with its words") {
  for (std::uint16_t code = 1; code <= 11; ++code) {
    auto refused = Refused::of(static_cast<Refusal>(code));
    CHECK(*decode<Refused>(encode(refused)) == refused);
    CHECK_FALSE(refused.text.empty());
    CHECK(refused.shown().starts_with(refused.text));
    CHECK(refused.shown().ends_with(refused.cure));
  }
  CHECK(to_hex(encode(Refused{Refusal::revoked, "no", "ask"})) == "0005026e6f0361736b00");
  Refused stale{.why = Refusal::stale_epoch, .later_at = "h1:1"};
  CHECK(to_hex(encode(stale)) == "000400000468313a31");
  for (std::size_t size = 0; size < encode(stale).size(); ++size) {
    CHECK_FALSE(decode<Refused>(ByteView(encode(stale)).first(size)));
  }
  stale.later_at = std::string(65, 'a');
  CHECK_FALSE(decode<Refused>(encode(stale)));
}

TEST_CASE("a refusal that only later versions know is shown with its number, text and cure") {
  Hello self = hello();
  auto told = [&](const Refused& refused) {
    Greeting greeting(Greeting::Side::dialler, self);
    Bytes body = encode(refused);
    body.push_back(7);  // and says more
    return greeting.receive(wire::refused, body).error().text;
  };
  CHECK(told({static_cast<Refusal>(700), "the moon is full", "wait"}) ==
        "the peer refused us: code 700, which this version does not know: the moon is full; wait");
  CHECK(told({static_cast<Refusal>(700)}) ==
        "the peer refused us: code 700, which this version does not know: it does not say why");
  CHECK(told({static_cast<Refusal>(0), "\x1b[2J"}).find('\x1b') == std::string::npos);
  CHECK(told({Refusal::self, "the peer's own words", "rm -rf /"}) ==
        "the peer refused us: it is this node itself");
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("service/frame_splitter");

TEST_CASE("a frame has a fixed layout") {
  Bytes out;
  append_frame(out, 0x21, 0x0102030405060708, Bytes{0xaa, 0xbb});
  CHECK(to_hex(out) ==
        "0000000b"
        "21"
        "0102030405060708"
        "aabb");
}

TEST_CASE("frames come out as they went in, however the stream is cut") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    std::vector<chord::Frame> frames;
    Bytes stream;
    for (int i = 0; i < 40; ++i) {
      chord::Frame f{.type = static_cast<std::uint8_t>(rng.next()), .request = rng.next()};
      f.body.resize(rng.below(rng.chance(0.1) ? 5000 : 50));
      rng.fill(f.body);
      append_frame(stream, f.type, f.request, f.body);
      frames.push_back(f);
    }
    FrameSplitter splitter(5000);
    std::size_t at = 0, seen = 0;
    while (at < stream.size()) {
      std::size_t count =
          std::min<std::size_t>(1 + rng.below(rng.chance(0.5) ? 8 : 4000), stream.size() - at);
      splitter.feed(ByteView(stream).subspan(at, count));
      at += count;
      for (auto next = splitter.next(); next && *next; next = splitter.next()) {
        REQUIRE(seen < frames.size());
        CHECK((*next)->type == frames[seen].type);
        CHECK((*next)->request == frames[seen].request);
        CHECK(std::ranges::equal((*next)->body, frames[seen].body));
        ++seen;
      }
    }
    CHECK(seen == frames.size());
    CHECK_FALSE(splitter.partial());
  }
}

TEST_CASE("a claim of 4 GiB costs nothing and ends the stream") {
  FrameSplitter splitter(chord::max_frame_body);
  splitter.feed(Bytes{0xff, 0xff, 0xff, 0xff});
  CHECK_FALSE(splitter.next());
  splitter.feed(Bytes(1 << 20, 0));
  CHECK_FALSE(splitter.next());
  CHECK(splitter.held() < 64 * 1024);
}

TEST_CASE("memory grows with what came, not with what was announced") {
  FrameSplitter splitter(chord::max_frame_body);
  splitter.feed(Bytes{0, 4, 0, 0, 1, 2, 3});
  auto next = splitter.next();
  REQUIRE(next);
  CHECK_FALSE(*next);
  CHECK(splitter.partial());
  CHECK(splitter.held() < 64);
}

TEST_CASE("the limit counts from the frame after it was set") {
  Bytes stream;
  append_frame(stream, 1, 0, Bytes(10, 0));
  append_frame(stream, 0x20, 0, Bytes(100, 0));
  FrameSplitter splitter(10);
  splitter.feed(stream);
  REQUIRE(splitter.next());
  splitter.set_limit(100);
  auto next = splitter.next();
  REQUIRE(next);
  CHECK((*next)->body.size() == 100);
  for (std::uint8_t length = 0; length < 9; ++length) {
    FrameSplitter fresh(10);
    fresh.feed(Bytes{0, 0, 0, length});
    CHECK_FALSE(fresh.next());
  }
  for (std::size_t size : {9U, 10U, 11U}) {  // of the body, at a limit of 10
    CAPTURE(size);
    Bytes one;
    append_frame(one, 1, 0, Bytes(size, 0));
    FrameSplitter fresh(10);
    fresh.feed(one);
    CHECK(fresh.next().has_value() == (size <= 10));
  }
}

TEST_SUITE_END();
