// SPDX-License-Identifier: MIT
#include "tests/explorer/model.h"

#include <algorithm>

namespace beckon::service::explorer {

int votes(const std::vector<int>& nodes, Mask some) {
  int sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (has(some, nodes[i])) sum += nodes.size() == 2 && i == 0 ? 2 : 1;
  }
  return sum;
}
int all_votes(const std::vector<int>& nodes) {
  return nodes.size() == 2 ? 3 : static_cast<int>(nodes.size());
}

Model::Model(const Scope& scope) : scope_(scope), book_(scope.nodes, scope.first) {
  ENSURE(scope.nodes <= most_nodes && scope.sets - 1 <= most_links);
  ENSURE(scope.attempts + 1 <= most_ballots && scope.first <= scope.copies);
  for (unsigned mask = 1; mask < 1U << scope.nodes; ++mask) {
    for (int lead = 0; lead < scope.nodes; ++lead) {
      if (!has(static_cast<Mask>(mask), lead)) continue;
      std::vector<int> nodes{lead};
      for (int i = 0; i < scope.nodes; ++i) {
        if (i != lead && has(static_cast<Mask>(mask), i)) nodes.push_back(i);
      }
      if (static_cast<int>(nodes.size()) <= scope.copies) all_lists_.push_back(book_.list(nodes));
    }
  }
  std::vector<std::uint8_t> bytes;
  write(first_state(), bytes);
  packed_size_ = bytes.size();
}

State Model::first_state() {
  State s;
  std::vector<int> nodes;
  for (int i = 0; i < scope_.first; ++i) nodes.push_back(i);
  s.sets[0] = book_.list(nodes);
  for (int i = 0; i < scope_.nodes; ++i) {
    s.claims[at(i)] = book_.unknown(i);
    if (i < scope_.first) s.claims[at(i)] = book_.learn(s.claims[at(i)], 1, s.sets[0]);
  }
  if (scope_.first == 1) s.claims[0] = book_.founder(0);
  return s;
}

int Model::newest(const State& s) const {
  int x = 1;
  while (x <= most_links && s.sets[at(x)] != 0) ++x;
  return x;
}

void Model::moves(const State& s, const Emit& emit) {
  for (int x = 1; x < scope_.sets; ++x) {
    for (int number = 1; number <= scope_.attempts + 1; ++number) {
      const Try& t = try_of(s, x, number);
      if (t.by == 0) continue;
      for (int q = 0; q < scope_.nodes; ++q) answers(s, x, number, q, emit);
      if (t.value == 0) {
        if (!scope_.fill_at_once) fills(s, x, number, emit);
        proposes(s, x, number, emit);
      } else {
        decides(s, x, number, emit);
      }
    }
  }
  for (int q = 0; q < scope_.nodes; ++q) {
    begins(s, q, emit);
    learns(s, q, emit);
    records(s, q, emit);
    reads(s, q, emit);
    if (Book::Ref again = book_.restarted(s.claims[at(q)]); again != s.claims[at(q)]) {
      State next = s;
      next.claims[at(q)] = again;
      emit({"restarts", q}, next, nullptr);
    }
    if (!scope_.mistake.empty()) mistakes(s, q, emit);
  }
}

/// A holder takes any number that it may take and nobody has. That no two take one number loses
/// nothing: which of two ballots is the higher one is all that matters.
void Model::begins(const State& s, int p, const Emit& emit) {
  int x = book_.facts(s.claims[at(p)]).x;
  if (x == 0 || x >= scope_.sets) return;
  int used = 0;
  for (const Try& t : s.tries[at(x - 1)]) used += t.by != 0 ? 1 : 0;
  if (used >= scope_.attempts) return;
  for (int number = 1; number <= scope_.attempts + 1; ++number) {
    Book::Step step = book_.begin(s.claims[at(p)], std::max(0, number - 1));
    if (!step.granted) return;
    if (step.number != number || try_of(s, x, number).by != 0) continue;
    State next = s;
    next.claims[at(p)] = step.claims;
    Try& t = try_of(next, x, number);
    t.by = static_cast<std::uint8_t>(p + 1);
    t.promise[at(p)] = step.told;
    t.filled = s.early[at(p)];
    emit({"begins with ballot", p, number}, next, nullptr);
  }
}

void Model::answers(const State& s, int x, int number, int q, const Emit& emit) {
  const Try& t = try_of(s, x, number);
  int p = t.by - 1;
  if (q == p) return;
  if (number > 1 && t.promise[at(q)] == 0) {
    Book::Step step = book_.prepare(s.claims[at(q)], p, x, number);
    if (step.granted) {
      State next = s;
      next.claims[at(q)] = step.claims;
      try_of(next, x, number).promise[at(q)] = step.told;
      emit({"promises ballot", q, number}, next, nullptr);
    }
  }
  if (t.value != 0 && !has(t.accepted, q)) {
    Book::Step step = book_.accept(s.claims[at(q)], p, x, number, x + 1, t.value);
    if (step.granted) {
      State next = s;
      next.claims[at(q)] = step.claims;
      try_of(next, x, number).accepted |= bit(q);
      emit({"accepts ballot", q, number, t.value}, next, nullptr);
    }
  }
}

/// A fill brings the row, too. `source`: whose records are sent.
bool Model::fill(State& s, int x, int by, int newcomer, Mask source) {
  Book::Ref learned = book_.learn(s.claims[at(newcomer)], x, set_of(s, x));
  Book::Step step = book_.filled(learned, by, x);
  if (!step.granted) return false;
  s.claims[at(newcomer)] = step.claims;
  if ((s.record & source) != 0) s.record |= bit(newcomer);
  return true;
}

void Model::fills(const State& s, int x, int number, const Emit& emit) {
  const Try& t = try_of(s, x, number);
  int p = t.by - 1;
  const Book::Facts& own = book_.facts(s.claims[at(p)]);
  if (own.x != x || own.promised != number) return;  // not under way
  Mask holders = book_.mask_of(set_of(s, x));
  for (int q = 0; q < scope_.nodes; ++q) {
    if (has(holders, q) || has(t.filled, q)) continue;
    for (int from = 0; from < scope_.nodes; ++from) {
      if (from != p && (!wrong("unsettled_peer") || from == q)) continue;
      State next = s;
      Try& after = try_of(next, x, number);
      if (scope_.slow_fill && !has(t.filling, q)) {
        if ((s.record & bit(from)) != 0) next.record |= bit(q);
        after.filling |= bit(q);
        emit({"is compared with", q, -1, 0, from}, next, nullptr);
        continue;
      }
      Mask source = wrong("timer") || scope_.slow_fill ? Mask{} : bit(from);
      if (!fill(next, x, p, q, source)) continue;
      after.filled |= bit(q);
      after.filling &= static_cast<Mask>(~bit(q));
      emit({"is filled by", q, -1, 0, from}, next, nullptr);
    }
  }
}

void Model::proposes(const State& s, int x, int number, const Emit& emit) {
  const Try& t = try_of(s, x, number);
  int p = t.by - 1;
  Book::List holders = set_of(s, x);
  Mask promised = 0;
  for (int q = 0; q < scope_.nodes; ++q) {
    if (t.promise[at(q)] != 0) promised |= bit(q);
  }
  std::set<int> forced;  // what every choice of promises that came allows: a list, 0: free
  for (Mask some = promised;; some = static_cast<Mask>((some - 1) & promised)) {
    if (has(some, p)) {
      std::array<Book::Told, most_nodes> told{};
      for (int q = 0; q < scope_.nodes; ++q)
        told[at(q)] = has(some, q) ? t.promise[at(q)] : Book::Told{};
      Book::Choice choice = book_.may_propose(holders, number, p, told);
      if (choice.may) forced.insert(choice.forced);
    }
    if (some == 0) break;
  }
  for (int list : forced) {
    if (list != 0) {
      propose(s, x, number, static_cast<Book::List>(list), emit);
      continue;
    }
    for (Book::List wanted : all_lists_) {
      if (book_.in_order(wanted, holders) != wanted) continue;
      // Nobody begins anything from the last set, so who of three leads it matters to nobody.
      const auto& nodes = book_.nodes_of(wanted);
      bool member = has(book_.mask_of(wanted), p);
      if (x + 1 == scope_.sets && nodes.size() > 2 && member && nodes[0] != p) continue;
      Mask newcomers = book_.mask_of(wanted) & static_cast<Mask>(~book_.mask_of(holders));
      if (!scope_.fill_at_once && (newcomers & ~t.filled) != 0) continue;
      State next = s;
      bool full = true;
      for (int q = 0; q < scope_.nodes && scope_.fill_at_once; ++q) {
        if (has(newcomers, q)) full = full && fill(next, x, p, q, bit(p));
      }
      if (full) propose(next, x, number, wanted, emit);
    }
  }
}

void Model::propose(const State& s, int x, int number, Book::List value, const Emit& emit) {
  int p = try_of(s, x, number).by - 1;
  int x_next = book_.facts(s.claims[at(p)]).next_x;
  Book::Step step = book_.accept(s.claims[at(p)], p, x, number, x_next, value);
  if (!step.granted) return;  // a higher ballot or a later set came between
  ENSURE(x_next == x + 1);
  State next = s;
  next.claims[at(p)] = step.claims;
  Try& t = try_of(next, x, number);
  t.value = value;
  t.accepted |= bit(p);
  t.filling = t.filled = 0;  // nobody asks any more
  emit({"proposes with ballot", p, number, value}, next, nullptr);
}

void Model::decides(const State& s, int x, int number, const Emit& emit) {
  const Try& t = try_of(s, x, number);
  Book::List known = s.sets[at(x)];
  if (known == t.value || !book_.decided(set_of(s, x), number, t.by - 1, t.accepted)) return;
  State next = s;
  const char* violation = known != 0 && !scope_.answers_only ? "O1" : nullptr;
  next.sets[at(x)] = t.value;
  int p = t.by - 1;
  next.claims[at(p)] = book_.learn(s.claims[at(p)], x + 1, t.value);
  next.early[at(p)] = 0;
  emit({"decides with ballot", p, number, t.value}, next, violation);
}

void Model::learns(const State& s, int q, const Emit& emit) {
  for (int x = book_.facts(s.claims[at(q)]).x + 1; x <= newest(s); ++x) {
    State next = s;
    next.claims[at(q)] = book_.learn(s.claims[at(q)], x, set_of(s, x));
    next.early[at(q)] = 0;
    emit({"learns set", q, x, set_of(s, x)}, next, nullptr);
  }
}

void Model::records(const State& s, int q, const Emit& emit) {
  const Book::Facts& own = book_.facts(s.claims[at(q)]);
  if (s.put_x == 0 && own.state == ClaimState::settled) {
    State next = s;
    next.put_x = own.x;
    next.put_holders = own.holders;
    emit({"begins a put under set", q, own.x}, next, nullptr);
  }
  if (s.put_x != 0 && has(book_.mask_of(s.put_holders), q)) {
    bool ok = book_.copied(s.claims[at(q)], s.put_x) == CopyVerdict::ok;
    State next = s;
    if (wrong("check_on_arrival") && !has(s.arrived, q)) {
      if (ok) next.arrived |= bit(q);
    } else {
      next.record |= bit(q);
      if (ok || has(s.arrived, q)) next.ok |= bit(q);
      next.safe = s.safe || book_.safe(s.put_holders, next.ok);
    }
    if (next.record != s.record || (!s.safe && (next.ok != s.ok || next.arrived != s.arrived))) {
      emit({"stores the record of set", q, s.put_x}, next, nullptr);
    }
  }
  Mask holders = book_.mask_of(own.holders);
  bool filling = false;
  for (const auto& link : s.tries) {
    for (const Try& t : link) filling = filling || has(t.filling, q);
  }
  if (wrong("drop_in_fill")) filling = false;
  if (own.may_drop && !filling && has(s.record, q) && (s.record & holders) == holders) {
    State next = s;
    next.record &= static_cast<Mask>(~bit(q));
    emit({"drops its stray copy", q}, next, nullptr);
  }
}

/// The read begins when the put is safe. Answers with the record cannot make it wrong.
void Model::reads(const State& s, int q, const Emit& emit) {
  if (!s.safe || has(s.record, q) || has(s.answered, q)) return;
  if (book_.facts(s.claims[at(q)]).settled.x == 0) return;
  State next = s;
  next.answered |= bit(q);
  next.answer[at(q)] = s.claims[at(q)];
  bool complete = book_.complete(next.answer, next.answered);
  emit({"answers the read without the record", q}, next, complete ? "O6" : nullptr);
}

/// Mistakes of those who use the class.
void Model::mistakes(const State& s, int q, const Emit& emit) {
  const Book::Facts& own = book_.facts(s.claims[at(q)]);
  State next = s;
  if (wrong("hearsay") && own.x < scope_.sets) {
    next.claims[at(q)] = book_.learn(s.claims[at(q)], newest(s) + 1, book_.list({q}));
    emit({"believes the ring that it is the owner", q}, next, nullptr);
  }
  if (wrong("second_founder") && own.x == 0) {
    next.claims[at(q)] = book_.founder(q);
    emit({"founds again", q}, next, nullptr);
  }
  if (wrong("wiped_disk")) {
    next.claims[at(q)] = book_.unknown(q);
    next.record &= static_cast<Mask>(~bit(q));
    emit({"comes back with an empty disk", q}, next, nullptr);
  }
  if (wrong("no_self_fence") && own.state == ClaimState::settled) {
    for (int newcomer = 0; newcomer < scope_.nodes; ++newcomer) {
      if (has(book_.mask_of(own.holders), newcomer) || has(s.early[at(q)], newcomer)) continue;
      next = s;
      if (!fill(next, own.x, q, newcomer, bit(q))) continue;
      next.early[at(q)] |= bit(newcomer);
      emit({"is filled, before the own fence, by", newcomer, -1, 0, q}, next, nullptr);
    }
  }
}

const char* Model::check(const State& s) {
  if (scope_.answers_only) return nullptr;
  int last = newest(s);
  for (int x = 1; x <= last; ++x) {
    Mask settled = 0;
    for (int q = 0; q < scope_.nodes; ++q) {
      const Book::Facts& own = book_.facts(s.claims[at(q)]);
      if (own.settled.x == static_cast<unsigned>(x) && own.holders == set_of(s, x))
        settled |= bit(q);
    }
    if (x == last && s.safe && (settled & ~s.record) != 0) return "O2";
    const auto& nodes = book_.nodes_of(set_of(s, x));
    if (x < last && votes(nodes, settled) >= (all_votes(nodes) + 1) / 2) return "O4";
  }
  return nullptr;
}

}  // namespace beckon::service::explorer
