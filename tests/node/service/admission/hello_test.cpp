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
          .revocations = 6,
          .schema = 8,
          .capabilities = 7,
          .addresses = {"127.0.0.1:7000", "[::1]:7"}};
}

}  // namespace

TEST_SUITE_BEGIN("service/hello");

TEST_CASE("HELLO has a fixed layout") {
  CHECK(to_hex(encode(hello())) ==
        "01aa00000000000000000000000000000000000000000000000000000000000000"
        "0000000000000005"
        "0000000000000006"
        "00000008"
        "00000007"
        "02"
        "0e3132372e302e302e313a37303030"
        "075b3a3a315d3a37");
  CHECK(*decode<Hello>(encode(hello())) == hello());
}

TEST_CASE("HELLO is refused when cut, longer, or with addresses out of bounds") {
  Bytes whole = encode(hello());
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(decode<Hello>(ByteView(whole).first(size)));
  whole.push_back(0);
  CHECK_FALSE(decode<Hello>(whole));
  for (const std::string& address : {std::string(), std::string(65, 'a'), std::string("\xff:1")}) {
    Hello bad = hello();
    bad.addresses = {address};
    CHECK_FALSE(decode<Hello>(encode(bad)));
  }
  Hello most = hello();
  most.addresses.assign(4, std::string(64, 'a'));
  CHECK(*decode<Hello>(encode(most)) == most);
  Bytes five = encode(Hello{.addresses = {"a", "a", "a", "a"}});
  five[57] = 5;
  five.insert(five.end(), {1, 'a'});
  CHECK_FALSE(decode<Hello>(five));
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
  later.version = 2;
  Greeting b(Greeting::Side::acceptor, self);
  CHECK_FALSE(b.receive(wire::hello, encode(later)));
  CHECK(b.refusal() == Refusal::version);
  Greeting c(Greeting::Side::acceptor, self);
  CHECK_FALSE(c.receive(0x20, {}));
  CHECK(c.refusal() == Refusal::malformed);
  Greeting d(Greeting::Side::dialler, self);
  auto told = d.receive(wire::refused, encode(Refused{Refusal::revoked}));
  REQUIRE_FALSE(told);
  CHECK(told.error().text == "the peer refused us: the overlay's authority has expelled this node");
}

TEST_CASE("every refusal travels and says something") {
  for (int code = 1; code <= 10; ++code) {
    auto why = static_cast<Refusal>(code);
    CHECK(*decode<Refused>(encode(Refused{why})) == Refused{why});
    CHECK_FALSE(refusal_text(why).empty());
  }
  CHECK(to_hex(encode(Refused{Refusal::revoked})) == "0105");
  Refused stale{.why = Refusal::stale_epoch, .later_at = "h1:1"};
  CHECK(to_hex(encode(stale)) == "01040468313a31");
  CHECK(*decode<Refused>(encode(stale)) == stale);
  for (std::size_t size = 0; size < encode(stale).size(); ++size) {
    CHECK_FALSE(decode<Refused>(ByteView(encode(stale)).first(size)));
  }
  stale.later_at = std::string(65, 'a');
  CHECK_FALSE(decode<Refused>(encode(stale)));
  for (const Bytes& bad : {Bytes{1, 0}, Bytes{1, 11}, Bytes{1}, Bytes{1, 1, 1}, Bytes{2, 1}}) {
    CHECK_FALSE(decode<Refused>(bad));
  }
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
