// SPDX-License-Identifier: MIT
#include "chord/requests.h"

#include <doctest/doctest.h>

#include "tests/chord/peers.h"

using namespace beckon;
using namespace beckon::chord;
using namespace beckon::chord::test;

TEST_SUITE_BEGIN("chord/requests");

namespace {

Requests::Pending to(unsigned place, std::int64_t expires_ms) {
  return {.peer = peer(place), .sent = at(0), .expires = at(expires_ms)};
}

}  // namespace

TEST_CASE("a reply is taken once, and only from the peer that was asked") {
  Requests requests(7, 10);
  auto number = requests.add(to(1, 100));
  CHECK(*number == 7);
  CHECK_FALSE(requests.take(*number, id(2)));
  CHECK(requests.take(*number, id(1))->peer == peer(1));
  CHECK_FALSE(requests.take(*number, id(1)));
}

TEST_CASE("more requests than the limit are refused, and numbers are never used again") {
  Requests requests(0, 2);
  auto first = requests.add(to(1, 100));
  CHECK(requests.add(to(1, 100)));
  CHECK_FALSE(requests.add(to(1, 100)));
  (void)requests.take(*first, id(1));
  CHECK(*requests.add(to(1, 100)) == 2);
}

TEST_CASE("each request expires once, at its time, a bounded number at a time") {
  Requests requests(0, 10);
  for (int i = 1; i <= 4; ++i) (void)requests.add(to(1, 10 * i));
  CHECK(requests.next_expiry() == at(10));
  CHECK(requests.take_expired(at(9), 8).empty());
  CHECK(requests.take_expired(at(30), 2).size() == 2);
  CHECK(requests.take_expired(at(30), 2).size() == 1);
  CHECK(requests.take_expired(at(30), 2).empty());
  CHECK(requests.next_expiry() == at(40));
}

TEST_CASE("a lost link expires what was asked over it and nothing else") {
  Requests requests(0, 10);
  (void)requests.add(to(1, 500));
  (void)requests.add(to(2, 500));
  requests.expire_all_to(id(1), at(20));
  auto gone = requests.take_expired(at(20), 8);
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].second.peer == peer(1));
}

TEST_CASE("the clock of waiting requests starts anew when their link comes up") {
  Requests requests(0, 10);
  (void)requests.add(to(1, 100));
  (void)requests.add(to(2, 100));
  requests.restart_clock(id(1), at(90), std::chrono::milliseconds(250));
  CHECK(requests.all().begin()->second.sent == at(90));
  CHECK(requests.all().rbegin()->second.sent == at(0));
  CHECK(requests.take_expired(at(100), 8).size() == 1);
  CHECK(requests.next_expiry() == at(340));
}

TEST_SUITE_END();
