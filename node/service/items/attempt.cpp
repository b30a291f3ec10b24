// SPDX-License-Identifier: MIT
#include "node/service/items/attempt.h"

#include <algorithm>

#include "node/service/items/quorum.h"

namespace beckon::service {

namespace {

void add(Holders& some, const Holder& holder) {
  if (contains(some, holder)) return;
  some.insert(std::upper_bound(some.begin(), some.end(), holder), holder);
}

}  // namespace

Attempt::Attempt(const ClaimRow& row, const Ballot& ballot, const Holders& gone)
    : arc_(row.arc), x_(row.claim.x), holders_(row.claim.holders), ballot_(ballot) {
  tallies_.change(arc_, [&](const Arc&, Tally& tally) {
    for (const Holder& holder : gone) {
      add(tally.promised, holder);
      add(tally.accepted, holder);
    }
  });
}

bool Attempt::majority(const Holders& some) const {
  return votes_of(holders_, some) >= to_decide(holders_.size());
}

void Attempt::promised(const Holder& from, const Reply& reply) {
  if (reply.verdict != Verdict::granted) return;
  tallies_.change(reply.arc, [&](const Arc&, Tally& tally) {
    add(tally.promised, from);
    if (reply.claim.accepted <= tally.highest) return;
    tally.highest = reply.claim.accepted;
    tally.x_next = reply.claim.x_accepted;
    tally.value = reply.claim.value;
  });
}

void Attempt::accepted(const Holder& from, const Reply& reply) {
  if (reply.verdict != Verdict::granted) return;
  tallies_.change(reply.arc, [&](const Arc&, Tally& tally) { add(tally.accepted, from); });
}

std::vector<Proposal> Attempt::may_propose() const {
  std::vector<Proposal> out;
  for (const auto& [arc, tally] : tallies_.pieces(arc_)) {
    if (must_prepare() && !majority(tally.promised)) continue;
    out.push_back({arc, x_, ballot_, tally.x_next, tally.value});
  }
  return out;
}

std::vector<Arc> Attempt::decided() const {
  std::vector<Arc> out;
  for (const auto& [arc, tally] : tallies_.pieces(arc_)) {
    if (majority(tally.accepted)) out.push_back(arc);
  }
  return out;
}

}  // namespace beckon::service
