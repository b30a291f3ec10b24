// SPDX-License-Identifier: MIT
#include "node/service/items/claims.h"

#include <doctest/doctest.h>

#include <map>

#include "base/rng.h"
#include "tests/node/service/items/ring_of_sixteen.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/claims");

namespace {

const Arc ring{};

/// A holder of the set 1, 2, 3 (or another one) with number 5 on the whole ring.
Claims member(int self, std::initializer_list<int> set = {1, 2, 3}) {
  Claims claims(holder(self));
  (void)claims.learn(ring, 5, holders(set));
  return claims;
}

Verdict verdict(const Claims::Answer& answer) {
  REQUIRE(answer.replies.size() == 1);
  return answer.replies[0].verdict;
}

Proposal proposal(std::uint32_t number, int by, std::initializer_list<int> set) {
  return {ring, 5, ballot(number, by), 6, holders(set)};
}

}  // namespace

TEST_CASE("a new node knows nothing and answers nothing") {
  Claims claims(holder(1));
  CHECK(claims.state(place(3)) == ClaimState::unknown);
  CHECK(claims.settled(place(3)) == Settled{});
  CHECK(!claims.begin_put(place(3)));
  CHECK(!claims.begin(ring, 0));
  CHECK(claims.rows().empty());
  CHECK(!claims.may_drop(place(3)));
}

TEST_CASE("only a node without claims can found, and then holds the whole ring") {
  Claims claims(holder(1));
  auto writes = claims.found();
  REQUIRE(writes);
  CHECK(writes->put == claims.rows());
  CHECK(claims.settled(place(9)).x == 1);
  CHECK(claims.settled(place(9)).n == 1);
  CHECK(claims.settled(place(9)).hash == hash_of(holders({1})));
  CHECK(!claims.found());
  Claims told = member(7);
  CHECK(!told.found());
}

TEST_CASE("the state of an arc follows from its row") {
  CHECK(member(1).state(place(0)) == ClaimState::settled);
  CHECK(member(4).state(place(0)) == ClaimState::former);
  Claims filled = member(4);
  CHECK(verdict(filled.on_filled(holder(2), ring, 5)) == Verdict::granted);
  CHECK(filled.state(place(0)) == ClaimState::receiving);
  CHECK(!filled.may_drop(place(0)));
  (void)filled.learn(ring, 6, holders({1, 2}));
  CHECK(filled.state(place(0)) == ClaimState::former);
  CHECK(filled.may_drop(place(0)));
  Claims changing = member(1);
  (void)changing.begin(ring, 0);
  CHECK(changing.state(place(0)) == ClaimState::changing);
  CHECK(name_of(ClaimState::changing) == "changing");
}

TEST_CASE("another disk of the same node is no holder") {
  Claims claims({.node = place(1), .disk = 1});
  (void)claims.learn(ring, 5, holders({1, 2, 3}));
  CHECK(claims.state(place(0)) == ClaimState::former);
}

TEST_CASE("the lead uses ballot 1 once, everybody else a number of 2 or more") {
  Claims lead = member(1), other = member(2);
  auto first = lead.begin(ring, 0);
  REQUIRE(first);
  CHECK(first->attempt.ballot() == ballot(1, 1));
  CHECK(!first->attempt.must_prepare());
  CHECK(lead.at(place(0)).led);
  CHECK(lead.begin(ring, 0)->attempt.ballot() == ballot(2, 1));
  CHECK(lead.begin(ring, 7)->attempt.ballot() == ballot(8, 1));
  CHECK(lead.begin(ring, 3)->attempt.ballot() == ballot(9, 1));
  CHECK(other.begin(ring, 0)->attempt.ballot() == ballot(2, 2));
}

TEST_CASE("a lead that has promised something does not use ballot 1") {
  Claims lead = member(1);
  CHECK(verdict(lead.on_prepare(holder(2), ring, 5, ballot(2, 2))) == Verdict::granted);
  CHECK(lead.begin(ring, 0)->attempt.ballot() == ballot(3, 1));
  CHECK(!lead.at(place(0)).led);
}

TEST_CASE("a beginning fences the proposer until it learns a later set") {
  Claims claims = member(2);
  auto begun = claims.begin(ring, 0);
  CHECK(begun->writes.put == claims.rows());
  CHECK(claims.settled(place(0)).x == 0);
  CHECK(claims.copied(place(0), 5) == CopyVerdict::kept);
  CHECK(claims.learn(ring, 5, holders({1, 2, 3})).empty());
  CHECK(claims.learn(ring, 4, holders({2})).empty());
  CHECK(claims.state(place(0)) == ClaimState::changing);
  CHECK(!claims.learn(ring, 6, holders({2})).empty());
  CHECK(claims.state(place(0)) == ClaimState::settled);
  CHECK(claims.at(place(0)) == Claim{.x = 6, .holders = holders({2})});
}

TEST_CASE("a node that is no holder cannot begin") {
  Claims claims = member(4);
  CHECK(!claims.begin(ring, 0));
  CHECK(claims == member(4));
}

TEST_CASE("a promise is given once, above all given before") {
  Claims claims = member(1);
  auto answer = claims.on_prepare(holder(3), ring, 5, ballot(3, 3));
  CHECK(verdict(answer) == Verdict::granted);
  CHECK(answer.writes.put == claims.rows());
  CHECK(claims.state(place(0)) == ClaimState::changing);
  answer = claims.on_prepare(holder(3), ring, 5, ballot(3, 3));
  CHECK(verdict(answer) == Verdict::refused);
  CHECK(answer.replies[0].claim.promised == ballot(3, 3));
  CHECK(answer.writes.empty());
  CHECK(verdict(claims.on_prepare(holder(2), ring, 5, ballot(3, 2))) == Verdict::refused);
  CHECK(verdict(claims.on_prepare(holder(2), ring, 5, ballot(4, 2))) == Verdict::granted);
}

TEST_CASE("a request about another set is answered behind or ahead, and changes nothing") {
  Claims claims = member(1);
  auto answer = claims.on_prepare(holder(2), ring, 4, ballot(9, 2));
  CHECK(verdict(answer) == Verdict::behind);
  CHECK(answer.replies[0].claim == Claim{.x = 5, .holders = holders({1, 2, 3})});
  CHECK(verdict(claims.on_prepare(holder(2), ring, 6, ballot(9, 2))) == Verdict::ahead);
  Proposal late{ring, 4, ballot(9, 2), 6, holders({2})};
  CHECK(verdict(claims.on_accept(holder(2), late)) == Verdict::behind);
  CHECK(verdict(claims.on_filled(holder(2), ring, 6)) == Verdict::ahead);
  CHECK(claims == member(1));
  Claims unknown(holder(1));
  CHECK(verdict(unknown.on_prepare(holder(2), ring, 0, ballot(9, 2))) == Verdict::refused);
}

TEST_CASE("only a holder may ask, under its own name, and only the lead with ballot 1") {
  Claims claims = member(1, {3, 1, 2});
  CHECK(verdict(claims.on_prepare(holder(4), ring, 5, ballot(9, 4))) == Verdict::refused);
  CHECK(verdict(claims.on_prepare(holder(2), ring, 5, ballot(9, 3))) == Verdict::refused);
  CHECK(verdict(claims.on_prepare({place(2), 1}, ring, 5, ballot(9, 2))) == Verdict::refused);
  CHECK(verdict(claims.on_prepare(holder(3), ring, 5, ballot(1, 3))) == Verdict::refused);
  CHECK(verdict(claims.on_accept(holder(2), proposal(1, 2, {2}))) == Verdict::refused);
  CHECK(verdict(claims.on_accept(holder(4), proposal(9, 4, {4}))) == Verdict::refused);
  CHECK(verdict(claims.on_filled(holder(4), ring, 5)) == Verdict::refused);
  CHECK(claims == member(1, {3, 1, 2}));
  CHECK(verdict(claims.on_accept(holder(3), proposal(1, 3, {2}))) == Verdict::granted);
}

TEST_CASE("who is no holder promises and accepts nothing") {
  Claims claims = member(4);
  CHECK(verdict(claims.on_prepare(holder(2), ring, 5, ballot(2, 2))) == Verdict::refused);
  CHECK(verdict(claims.on_accept(holder(2), proposal(2, 2, {2}))) == Verdict::refused);
  CHECK(claims == member(4));
}

TEST_CASE("a proposal is accepted unless a higher ballot was promised") {
  Claims claims = member(1);
  CHECK(verdict(claims.on_accept(holder(2), proposal(3, 2, {2, 4}))) == Verdict::granted);
  CHECK(claims.at(place(0)).promised == ballot(3, 2));
  CHECK(claims.at(place(0)).accepted == ballot(3, 2));
  CHECK(claims.at(place(0)).x_accepted == 6);
  CHECK(claims.at(place(0)).value == holders({2, 4}));
  CHECK(verdict(claims.on_accept(holder(2), proposal(3, 2, {2, 4}))) == Verdict::granted);
  CHECK(verdict(claims.on_accept(holder(3), proposal(2, 3, {3}))) == Verdict::refused);
  CHECK(claims.at(place(0)).value == holders({2, 4}));
  CHECK(verdict(claims.on_accept(holder(3), proposal(4, 3, {3}))) == Verdict::granted);
}

TEST_CASE("a proposal of nobody, of somebody twice or of an old number is refused") {
  Claims claims = member(1);
  CHECK(verdict(claims.on_accept(holder(2), proposal(3, 2, {}))) == Verdict::refused);
  CHECK(verdict(claims.on_accept(holder(2), proposal(3, 2, {2, 2}))) == Verdict::refused);
  Proposal old{ring, 5, ballot(3, 2), 5, holders({2})};
  CHECK(verdict(claims.on_accept(holder(2), old)) == Verdict::refused);
  CHECK(claims == member(1));
}

TEST_CASE("a promise tells of the proposal accepted before") {
  Claims claims = member(1);
  (void)claims.on_accept(holder(2), proposal(3, 2, {2, 4}));
  auto answer = claims.on_prepare(holder(3), ring, 5, ballot(4, 3));
  CHECK(answer.replies[0].claim ==
        Claim{.accepted = ballot(3, 2), .x_accepted = 6, .value = holders({2, 4})});
}

TEST_CASE("a proposer waits for a majority and keeps the value of the highest ballot") {
  Claims claims = member(3);
  Attempt attempt = claims.begin(ring, 8)->attempt;
  CHECK(attempt.must_prepare());
  CHECK(attempt.may_propose().empty());
  attempt.promised(holder(9), {ring, Verdict::granted, {}});
  attempt.promised(holder(1), {ring, Verdict::refused, {}});
  CHECK(attempt.may_propose().empty());
  Reply low{
      ring, Verdict::granted, {.accepted = ballot(3, 2), .x_accepted = 6, .value = holders({2})}};
  Reply high{
      ring, Verdict::granted, {.accepted = ballot(4, 1), .x_accepted = 7, .value = holders({1})}};
  Attempt both = attempt;
  attempt.promised(holder(1), {ring, Verdict::granted, {}});
  REQUIRE(attempt.may_propose().size() == 1);
  CHECK(attempt.may_propose()[0] == Proposal{ring, 5, ballot(9, 3), 0, {}});
  both.promised(holder(1), high);
  both.promised(holder(2), low);
  CHECK(both.may_propose()[0] == Proposal{ring, 5, ballot(9, 3), 7, holders({1})});
}

TEST_CASE("a proposer keeps the value that it has accepted itself") {
  Claims claims = member(3);
  (void)claims.on_accept(holder(1), proposal(1, 1, {1, 4}));
  Attempt attempt = claims.begin(ring, 0)->attempt;
  attempt.promised(holder(2), {ring, Verdict::granted, {}});
  CHECK(attempt.may_propose()[0] == Proposal{ring, 5, ballot(2, 3), 6, holders({1, 4})});
}

TEST_CASE("a majority of acceptances decides, by votes") {
  Claims claims = member(1);
  Attempt attempt = claims.begin(ring, 0)->attempt;
  CHECK(attempt.may_propose().size() == 1);
  Reply yes{ring, Verdict::granted, {}};
  attempt.accepted(holder(1), yes);
  attempt.accepted(holder(1), yes);
  attempt.accepted(holder(8), yes);
  attempt.accepted(holder(2), {ring, Verdict::refused, {}});
  CHECK(attempt.decided().empty());
  attempt.accepted(holder(2), yes);
  CHECK(attempt.decided() == std::vector<Arc>{ring});

  Claims lead = member(1, {1, 2}), other = member(2, {1, 2});
  Attempt by_lead = lead.begin(ring, 0)->attempt, by_other = other.begin(ring, 0)->attempt;
  by_lead.accepted(holder(1), yes);
  CHECK(by_lead.decided().size() == 1);
  by_other.accepted(holder(2), yes);
  CHECK(by_other.decided().empty());
  CHECK(by_other.may_propose().empty());
}

TEST_CASE("an attempt is under way until a higher ballot or a later set comes") {
  Claims claims = member(1);
  Attempt attempt = claims.begin(ring, 0)->attempt;
  CHECK(claims.under_way(attempt));
  Claims learned = claims;
  (void)learned.learn(between(3, 4), 6, holders({1}));
  CHECK(!learned.under_way(attempt));
  (void)claims.on_prepare(holder(2), between(7, 9), 5, ballot(2, 2));
  CHECK(!claims.under_way(attempt));
}

TEST_CASE("a copy counts only if it is durable while settled in the same set") {
  Claims claims = member(1);
  CHECK(claims.begin_put(place(0))->x() == 5);
  CHECK(claims.copied(place(0), 5) == CopyVerdict::ok);
  CHECK(claims.copied(place(0), 4) == CopyVerdict::behind);
  CHECK(claims.copied(place(0), 6) == CopyVerdict::kept);
  CHECK(member(4).copied(place(0), 5) == CopyVerdict::kept);
  CHECK(Claims(holder(1)).copied(place(0), 0) == CopyVerdict::kept);
}

TEST_CASE("of a pair the one that was a holder before leads") {
  CHECK(Claims::in_order(holders({4, 1}), holders({1, 2, 3})) == holders({1, 4}));
  CHECK(Claims::in_order(holders({1, 4}), holders({1})) == holders({1, 4}));
  CHECK(Claims::in_order(holders({2, 1}), holders({1, 2})) == holders({2, 1}));
  CHECK(Claims::in_order(holders({4, 1, 2}), holders({1})) == holders({4, 1, 2}));
}

TEST_CASE("a forgotten disk counts as having agreed, and holds nothing") {
  Claims claims = member(1);
  claims.forget(holder(3));
  claims.forget(holder(2));
  claims.forget(holder(3));
  CHECK(claims.forgotten() == holders({2, 3}));
  (void)claims.begin(ring, 0);
  Attempt attempt = claims.begin(ring, 0)->attempt;
  CHECK(attempt.may_propose().size() == 1);
  CHECK(attempt.decided().size() == 1);
  claims.forget(holder(1));
  CHECK(claims.state(place(0)) == ClaimState::former);
  CHECK(claims.settled(place(0)).x == 0);
}

TEST_CASE("of two sets with one number the same one wins everywhere") {
  Holders a = holders({1, 2}), b = holders({3, 2});
  Claims one(holder(2)), two(holder(2));
  (void)one.learn(ring, 5, a);
  (void)one.learn(ring, 5, b);
  (void)two.learn(ring, 5, b);
  (void)two.learn(ring, 5, a);
  CHECK(one == two);
}

TEST_CASE("requests over an arc in pieces are answered piece by piece") {
  Claims claims = member(1);
  (void)claims.learn(between(4, 8), 7, holders({1, 9}));
  auto answer = claims.on_prepare(holder(2), between(2, 10), 5, ballot(2, 2));
  REQUIRE(answer.replies.size() == 3);
  std::map<Id, Verdict> by_end;
  for (const Reply& reply : answer.replies) by_end[reply.arc.upto] = reply.verdict;
  CHECK(by_end == std::map<Id, Verdict>{{place(4), Verdict::granted},
                                        {place(8), Verdict::behind},
                                        {place(10), Verdict::granted}});
  CHECK(claims.rows().size() == 4);
  CHECK(!claims.begin(between(2, 5), 0));
  CHECK(claims.begin(between(2, 3), 0));
}

TEST_CASE("the keys of one attempt may go different ways") {
  Claims proposer = member(3);
  Attempt attempt = proposer.begin(ring, 0)->attempt;
  Claims peer = member(1);
  (void)peer.on_accept(holder(1), {between(2, 6), 5, ballot(1, 1), 6, holders({1, 8})});
  for (const Reply& reply : peer.on_prepare(holder(3), ring, 5, ballot(2, 3)).replies) {
    attempt.promised(holder(1), reply);
  }
  bool kept = false;
  for (const Proposal& p : attempt.may_propose()) {
    bool inside = p.arc == between(2, 6);
    kept = kept || inside;
    CHECK(p.holders == (inside ? holders({1, 8}) : Holders{}));
  }
  CHECK(kept);
  attempt.accepted(holder(3), {ring, Verdict::granted, {}});
  attempt.accepted(holder(1), {between(6, 9), Verdict::granted, {}});
  CHECK(attempt.decided() == std::vector<Arc>{between(6, 9)});
}

TEST_CASE("a new number is above those of neighbours that this node leads") {
  Claims claims = member(1);
  CHECK(claims.next_x(between(2, 4)) == 6);
  (void)claims.learn(between(4, 6), 9, holders({1, 2}));
  CHECK(claims.next_x(between(2, 4)) == 10);
  (void)claims.learn(between(0, 2), 20, holders({2, 1}));
  CHECK(claims.next_x(between(2, 4)) == 10);
}

TEST_CASE("rows that overlap are not restored") {
  Claim claim{.x = 1, .holders = holders({1})};
  CHECK(Claims::restore(holder(1), {{between(1, 5), claim}, {between(5, 1), claim}}));
  CHECK(!Claims::restore(holder(1), {{between(1, 5), claim}, {between(4, 6), claim}}));
  CHECK(!Claims::restore(holder(1), {{ring, claim}, {between(4, 6), claim}}));
}

namespace {

/// Beside the class one Claims for each place, of which only that place is asked, and a store that
/// gets the writes and nothing else.
struct Twin {
  Claims whole{holder(1)};
  std::vector<Claims> single{std::vector<Claims>(places, Claims(holder(1)))};
  std::map<Id, ClaimRow> store{};

  void write(const ClaimWrites& writes) {
    for (const Id& end : writes.erase) CHECK(store.erase(end) == 1);
    for (const ClaimRow& row : writes.put) store[row.arc.upto] = *decode_claim(encode_claim(row));
  }

  /// Does the same to the arc in the class and to each of its places in the twin.
  template <typename Act>
  void act(int after, int upto, Act&& act) {
    write(act(whole, between(after, upto)));
    for (int k : places_of(after, upto)) {
      (void)act(single[static_cast<std::size_t>(k)], between(k - 1, k));
    }
  }

  void check() const {
    std::size_t changes = 0;
    for (int k = 0; k < places; ++k) {
      const Claim& claim = single[static_cast<std::size_t>(k)].at(place(k));
      CHECK(whole.at(place(k)) == claim);
      const Claim& next = single[static_cast<std::size_t>((k + 1) % places)].at(place(k + 1));
      changes += claim != next && claim.x > 0 ? 1 : 0;
      CHECK(whole.state(place(k)) == single[static_cast<std::size_t>(k)].state(place(k)));
    }
    bool everywhere = changes == 0 && whole.at(place(0)).x > 0;
    CHECK(whole.rows().size() == (everywhere ? 1 : changes));
    std::vector<ClaimRow> stored;
    for (const auto& [end, row] : store) stored.push_back(row);
    CHECK(stored == whole.rows());
    CHECK(*Claims::restore(holder(1), stored) == whole);
  }
};

}  // namespace

TEST_CASE("the class agrees with one row for each key, and the store with the class") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Twin twin;
    auto some = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint64_t>(n))); };
    for (int step = 0; step < 40; ++step) {
      int after = some(places), upto = rng.chance(0.2) ? after : some(places);
      int from = 1 + some(3);
      std::uint64_t x = 1 + rng.below(3);
      Ballot b = ballot(1 + static_cast<std::uint32_t>(rng.below(4)), from);
      Holders set = holders({1, 2});
      if (rng.chance(0.5)) set = rng.chance(0.5) ? holders({2, 3}) : holders({3, 1, 2});
      switch (some(5)) {
        case 0:
          twin.act(after, upto, [&](Claims& c, const Arc& arc) { return c.learn(arc, x, set); });
          break;
        case 1:
          twin.act(after, upto, [&](Claims& c, const Arc& arc) {
            return c.on_prepare(holder(from), arc, x, b).writes;
          });
          break;
        case 2:
          twin.act(after, upto, [&](Claims& c, const Arc& arc) {
            return c.on_accept(holder(from), {arc, x, b, x + 1, set}).writes;
          });
          break;
        case 3:
          twin.act(after, upto, [&](Claims& c, const Arc& arc) {
            return c.on_filled(holder(from), arc, x).writes;
          });
          break;
        default:
          // An arc in several rows is not begun, so begin one place.
          twin.act(upto - 1 + places, upto, [&](Claims& c, const Arc& arc) {
            auto begun = c.begin(arc, 0);
            return begun ? begun->writes : ClaimWrites{};
          });
      }
      twin.check();
    }
  }
}

TEST_SUITE_END();
