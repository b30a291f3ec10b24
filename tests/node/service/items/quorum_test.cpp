// SPDX-License-Identifier: MIT
#include "node/service/items/quorum.h"

#include <doctest/doctest.h>

#include "tests/node/service/items/ring_of_sixteen.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/quorum");

namespace {

ReadAnswer answer(int node, const Holders& set, std::uint64_t x, bool whole = true) {
  return {place(node),
          {.x = x,
           .n = static_cast<std::uint8_t>(set.size()),
           .hash = hash_of(set),
           .votes = static_cast<std::uint8_t>(votes_of(set, holder(node)))},
          whole};
}

bool complete_with(std::initializer_list<ReadAnswer> answers, std::size_t awaited = 0) {
  return complete(std::span(answers.begin(), answers.size()), awaited);
}

}  // namespace

TEST_CASE("a decision and a complete read always share a holder") {
  for (int n = 1; n <= 5; ++n) {
    Holders set;
    for (int i = 0; i < n; ++i) set.push_back(holder(i));
    for (unsigned some = 0; some < 1U << n; ++some) {
      Holders in, out;
      for (int i = 0; i < n; ++i) ((some >> i & 1U) != 0 ? in : out).push_back(holder(i));
      bool decides = votes_of(set, in) >= to_decide(set.size());
      CHECK(decides == (votes_of(set, out) < to_read(set.size())));
    }
  }
}

TEST_CASE("the lead of a pair has two votes and a stranger none") {
  Holders pair = holders({4, 2});
  CHECK(votes_of(pair, holder(4)) == 2);
  CHECK(votes_of(pair, holder(2)) == 1);
  CHECK(votes_of(pair, holder(3)) == 0);
  CHECK(votes_of(pair, {.node = place(4), .disk = 1}) == 0);
  CHECK(votes_of(holders({1, 2, 3}), holder(1)) == 1);
}

TEST_CASE("two of three holders of one set make a read complete") {
  Holders set = holders({1, 2, 3}), other = holders({1, 2, 4});
  CHECK(complete_with({answer(1, set, 5), answer(3, set, 5)}));
  CHECK(complete_with({answer(1, set, 5), answer(3, set, 5)}, 1));
  CHECK(!complete_with({answer(1, set, 5)}));
  CHECK(!complete_with({answer(1, set, 5), answer(1, set, 5)}));
  CHECK(!complete_with({answer(1, set, 5), answer(3, set, 5, false)}));
  CHECK(!complete_with({answer(1, set, 5), answer(3, set, 6)}));
  CHECK(!complete_with({answer(1, set, 5), answer(2, other, 5)}));
  CHECK(!complete_with({answer(1, set, 0), answer(2, set, 0)}));
  CHECK(complete_with({answer(2, other, 4), answer(1, set, 5), answer(3, set, 5)}));
  CHECK(!complete_with({}));
}

TEST_CASE("of a pair the lead is enough, and the other one is not") {
  Holders pair = holders({1, 2});
  CHECK(complete_with({answer(1, pair, 5)}));
  CHECK(!complete_with({answer(2, pair, 5)}));
  CHECK(complete_with({answer(1, pair, 5), answer(2, pair, 5)}));
}

TEST_CASE("a single holder of several is enough only if no second can be asked") {
  Holders pair = holders({1, 2});
  CHECK(!complete_with({answer(1, pair, 5)}, 1));
  CHECK(!complete_with({answer(1, pair, 5), answer(2, pair, 5, false)}));
  CHECK(complete_with({answer(1, pair, 5), answer(2, pair, 0)}));
  CHECK(complete_with({answer(1, holders({1}), 5)}, 3));
}

TEST_CASE("a holder that claims votes it cannot have gets one") {
  ReadAnswer liar = answer(1, holders({1, 2, 3}), 5);
  liar.settled.votes = 200;
  CHECK(!complete_with({liar}));
}

TEST_CASE("a put is safe when all holders have said ok") {
  PutTally put(4, holders({1, 2, 3}));
  put.ok(holder(1));
  put.ok(holder(2));
  put.ok(holder(2));
  put.ok(holder(9));
  CHECK(!put.safe(3));
  put.ok(holder(3));
  CHECK(put.safe(3));
  CHECK(put.safe(1));
  CHECK(!put.safe(4));
}

TEST_SUITE_END();
