// SPDX-License-Identifier: MIT
#include "node/service/items/quorum.h"

#include <algorithm>
#include <set>

namespace beckon::service {

namespace {

std::size_t all_votes(std::size_t n) { return n == 2 ? 3 : n; }

/// Whether these answers of one set are enough.
bool enough(std::span<const ReadAnswer> answers, const Settled& set, std::size_t awaited) {
  std::set<Id> nodes;
  std::size_t votes = 0;
  for (const ReadAnswer& answer : answers) {
    if (!answer.settled.same_set(set)) continue;
    if (!answer.whole) {
      ++awaited;  // a second holder, alive
    } else if (nodes.insert(answer.node).second) {
      votes += set.n == 2 && answer.settled.votes == 2 ? 2 : 1;
    }
  }
  if (votes < to_read(set.n)) return false;
  return nodes.size() > 1 || set.n == 1 || awaited == 0;
}

}  // namespace

std::size_t votes_of(const Holders& holders, const Holder& holder) {
  if (!contains(holders, holder)) return 0;
  return holders.size() == 2 && holders[0] == holder ? 2 : 1;
}

std::size_t votes_of(const Holders& holders, const Holders& some) {
  std::size_t votes = 0;
  for (const Holder& holder : some) votes += votes_of(holders, holder);
  return votes;
}

std::size_t to_decide(std::size_t n) { return all_votes(n) / 2 + 1; }

std::size_t to_read(std::size_t n) { return (all_votes(n) + 1) / 2; }

bool complete(std::span<const ReadAnswer> answers, std::size_t awaited) {
  return std::any_of(answers.begin(), answers.end(), [&](const ReadAnswer& answer) {
    return answer.settled.x != 0 && answer.settled.n != 0 &&
           enough(answers, answer.settled, awaited);
  });
}

void PutTally::ok(const Holder& holder) {
  if (contains(holders_, holder) && !contains(ok_, holder)) ok_.push_back(holder);
}

bool PutTally::safe(std::size_t least) const {
  return ok_.size() == holders_.size() && holders_.size() >= least;
}

}  // namespace beckon::service
