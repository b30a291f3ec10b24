// SPDX-License-Identifier: MIT
#include "node/service/kernel/rpc.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace beckon::service;

namespace {

Id id(std::uint8_t n) {
  Id out;
  out.bytes[0] = n;
  return out;
}

Time at(int seconds) { return Time(std::chrono::seconds(seconds)); }
void ignore(Result<Frame>) {}

}  // namespace

TEST_SUITE("service/rpc") {
  TEST_CASE("a reply counts once, and only from the peer that was asked") {
    Rpc rpc({}, 1);
    auto number = rpc.open(id(1), at(5), ignore);
    REQUIRE(number);
    CHECK_FALSE(rpc.answered(id(2), *number));
    CHECK(rpc.answered(id(1), *number));
    CHECK_FALSE(rpc.answered(id(1), *number));
    CHECK(rpc.size() == 0);
    CHECK(rpc.next_deadline() == Time::max());
  }

  TEST_CASE("requests expire in the order of their deadlines, not of their making") {
    Rpc rpc({}, 1);
    std::string order;
    for (int seconds : {3, 1, 2}) {
      rpc.open(id(1), at(seconds),
               [&order, seconds](Result<Frame>) { order += std::to_string(seconds); });
    }
    CHECK(rpc.next_deadline() == at(1));
    for (auto& done : rpc.expired(at(2))) done(Frame{});
    CHECK(order == "12");
    CHECK(rpc.size() == 1);
  }

  TEST_CASE("a lost peer fails its own requests and no other's") {
    Rpc rpc({}, 1);
    rpc.open(id(1), at(1), ignore);
    rpc.open(id(1), at(1), ignore);
    auto other = rpc.open(id(2), at(1), ignore);
    CHECK(rpc.failed(id(1)).size() == 2);
    CHECK(rpc.failed(id(1)).empty());
    CHECK(rpc.answered(id(2), *other));
  }

  TEST_CASE("the table is bounded in all and per peer") {
    Rpc rpc({.max_open = 3, .max_open_per_peer = 2}, 1);
    CHECK(rpc.open(id(1), at(1), ignore));
    CHECK(rpc.open(id(1), at(1), ignore));
    CHECK_FALSE(rpc.open(id(1), at(1), ignore));
    CHECK(rpc.open(id(2), at(1), ignore));
    CHECK_FALSE(rpc.open(id(3), at(1), ignore));
    CHECK(rpc.failed(id(3)).empty());
  }

  TEST_CASE("numbers of two lives of a node differ, and the ring's bit stays clear") {
    Rpc first({}, 1), second({}, 2), late({}, 0xffffffffffULL);
    CHECK(first.open(id(1), at(1), ignore) != second.open(id(1), at(1), ignore));
    CHECK((*late.open(id(1), at(1), ignore) >> 63) == 0);
  }
}

TEST_SUITE("service/inbound") {
  TEST_CASE("a peer with many open requests is refused more until one is answered") {
    Inbound inbound({.max_open_per_peer = 4});
    for (std::uint64_t n = 1; n <= 4; ++n)
      CHECK(inbound.accept(id(1), n) == Inbound::Verdict::accepted);
    CHECK(inbound.accept(id(1), 5) == Inbound::Verdict::too_many);
    CHECK(inbound.accept(id(2), 5) == Inbound::Verdict::accepted);
    CHECK(inbound.answered(id(1), 3));
    CHECK(inbound.accept(id(1), 5) == Inbound::Verdict::accepted);
  }

  TEST_CASE("whoever opens no more requests than it may is never refused one") {
    Rpc rpc({}, 1);
    Inbound inbound({});
    while (auto number = rpc.open(id(1), at(1), ignore)) {
      REQUIRE(inbound.accept(id(2), *number) == Inbound::Verdict::accepted);
    }
  }

  TEST_CASE("a request is taken once and answered once") {
    Inbound inbound({});
    CHECK(inbound.accept(id(1), 7) == Inbound::Verdict::accepted);
    CHECK(inbound.accept(id(1), 7) == Inbound::Verdict::repeated);
    CHECK(inbound.answered(id(1), 7));
    CHECK_FALSE(inbound.answered(id(1), 7));
    inbound.accept(id(1), 8);
    inbound.gone(id(1));
    CHECK_FALSE(inbound.answered(id(1), 8));
    CHECK(inbound.size() == 0);
  }
}
