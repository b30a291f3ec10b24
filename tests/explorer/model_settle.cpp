// SPDX-License-Identifier: MIT
// Progress: from any state the nodes that are left settle.
#include <algorithm>

#include "tests/explorer/model.h"

namespace beckon::service::explorer {

namespace {

/// The nodes that are not gone, acting one after another by a fixed schedule.
class Settling {
 public:
  Settling(Book& book, const Scope& scope, const State& state, Mask gone)
      : book_(book), state_(state), gone_(gone), claims_(state.claims), record_(state.record) {
    std::vector<int> able;
    for (int q = 0; q < scope.nodes; ++q) {
      if (has(gone, q)) continue;
      live_.push_back(q);
      if (static_cast<int>(able.size()) < scope.copies) able.push_back(q);
    }
    wanted_ = book.list(able);
  }

  /// Whether every set that may still count has a living majority: the latest that a living node
  /// knows, and all that were proposed or decided since.
  bool possible(int sets) const {
    Book::Facts known = latest();
    if (known.x == 0 || !live_majority(known.holders)) return false;
    for (int x = known.x; x < sets; ++x) {
      if (state_.sets[at(x)] != 0 && !live_majority(state_.sets[at(x)])) return false;
      for (const Try& t : state_.tries[at(x - 1)]) {
        if (t.value != 0 && !live_majority(t.value)) return false;
      }
    }
    return true;
  }

  /// Everybody learns the latest set. Whether it is the wanted one, and settled.
  bool quiet() {
    Book::Facts known = latest();
    Mask target = book_.mask_of(wanted_);
    bool out = book_.mask_of(known.holders) == target;
    for (int q : live_) {
      claims_[at(q)] = book_.learn(claims_[at(q)], known.x, known.holders);
      bool settled = book_.facts(claims_[at(q)]).state == ClaimState::settled;
      out = out && (settled || !has(target, q));
    }
    return out;
  }

  bool record_is_there() const {
    Mask target = book_.mask_of(wanted_);
    return !state_.safe || (record_ & target) == target;
  }

  /// The first living holder makes an attempt, which may fail.
  void attempt() {
    Book::Facts known = latest();
    std::vector<int> members;
    for (int q : book_.nodes_of(known.holders)) {
      if (!has(gone_, q)) members.push_back(q);
    }
    int seen = 0, p = members.at(0);
    for (int q : members) seen = std::max<int>(seen, book_.facts(claims_[at(q)]).promised);
    Book::Step begun = book_.begin(claims_[at(p)], seen);
    ENSURE(begun.granted);
    claims_[at(p)] = begun.claims;
    Book::Choice choice = prepare(members, known, begun);
    if (!choice.may) return;
    Book::List value = choice.forced != 0 ? choice.forced : fill(p, known);
    Mask accepted = 0;
    for (int q : members) {
      auto step = book_.accept(claims_[at(q)], p, known.x, begun.number, known.x + 1, value);
      claims_[at(q)] = step.claims;
      if (step.granted) accepted |= bit(q);
    }
    if (!book_.decided(known.holders, begun.number, p, accepted)) return;
    claims_[at(p)] = book_.learn(claims_[at(p)], known.x + 1, value);
  }

 private:
  bool live_majority(Book::List list) const {
    const auto& nodes = book_.nodes_of(list);
    return 2 * votes(nodes, static_cast<Mask>(~gone_)) > all_votes(nodes);
  }

  Book::Facts latest() const {
    Book::Facts best;
    for (int q : live_) {
      const Book::Facts& own = book_.facts(claims_[at(q)]);
      if (own.x > best.x) best = own;
    }
    return best;
  }

  Book::Choice prepare(const std::vector<int>& members, const Book::Facts& known,
                       const Book::Step& begun) {
    int p = members[0];
    std::array<Book::Told, most_nodes> told{};
    told[at(p)] = begun.told;
    for (int q : members) {
      if (q == p || begun.number == 1) continue;
      Book::Step step = book_.prepare(claims_[at(q)], p, known.x, begun.number);
      claims_[at(q)] = step.claims;
      if (step.granted) told[at(q)] = step.told;
    }
    return book_.may_propose(known.holders, begun.number, p, told);
  }

  Book::List fill(int p, const Book::Facts& known) {
    for (int q : book_.nodes_of(wanted_)) {
      if (has(book_.mask_of(known.holders), q)) continue;
      Book::Step step = book_.filled(claims_[at(q)], p, known.x);
      ENSURE(step.granted);
      claims_[at(q)] = step.claims;
      if (has(record_, p)) record_ |= bit(q);
    }
    return book_.in_order(wanted_, known.holders);
  }

  Book& book_;
  const State& state_;
  Mask gone_;
  std::vector<int> live_{};
  Book::List wanted_{};
  std::array<Book::Ref, most_nodes> claims_;
  Mask record_;
};

}  // namespace

std::optional<int> Model::settle(const State& s, Mask gone) {
  constexpr int most_attempts = 8;
  Settling settling(book_, scope_, s, gone);
  if (!settling.possible(scope_.sets)) return std::nullopt;
  for (int attempts = 0; attempts <= most_attempts; ++attempts) {
    if (settling.quiet()) return settling.record_is_there() ? attempts : -1;
    settling.attempt();
  }
  return -1;
}

}  // namespace beckon::service::explorer
