// SPDX-License-Identifier: MIT
#include "node/service/items/stray_mover.h"

#include <algorithm>

namespace beckon::service {

StrayMover::StrayMover(Context& context, ItemHolder& holder, ItemSync& sync,
                       const Neighbourhood& neighbourhood, const ReplicaOptions& options)
    : context_(context),
      holder_(holder),
      sync_(sync),
      neighbourhood_(neighbourhood),
      options_(options) {}

void StrayMover::run() {
  if (running_) return;
  running_ = true;
  cursor_ = context_.self().id;
  next();
}

void StrayMover::next() {
  auto strays = neighbourhood_.strays(options_.replicas);
  std::optional<Id> first;
  if (strays && strays->contains_inside(cursor_)) strays->after = cursor_;
  bool passed = !strays || (cursor_ != context_.self().id && strays->after != cursor_);
  WallTime now = context_.now().wall;
  if (!passed) {
    holder_.table().each(*strays, [&](const Item& item) {
      if (item.live(now)) first = item.key.ring;
      return !first;
    });
  }
  if (!first) {
    running_ = false;
    return;
  }
  context_.lookup(*first, [this, key = *first](Result<Owner> owner) { found_owner(key, owner); });
}

void StrayMover::found_owner(const Id& key, const Result<Owner>& owner) {
  auto strays = neighbourhood_.strays(options_.replicas);
  // To be told that we own a stray: our list ran empty before our predecessor was found gone.
  bool ours_alone = owner && owner->owner.id == context_.self().id;
  if (!owner || ours_alone || !strays || !strays->contains(key)) {
    running_ = false;  // the ring is moving; the next pass sees more
    return;
  }
  std::vector<PeerRef> homes{owner->owner};
  for (const PeerRef& peer : owner->successors) {
    if (homes.size() < options_.replicas) homes.push_back(peer);
  }
  // From the stray up to its owner every key has the same owner.
  Id before = key - Id{}.plus_power(0);
  move_ = {.arc = {.after = before, .upto = owner->owner.id}};
  cursor_ = owner->owner.id;
  const Id& self = context_.self().id;
  bool ours = std::ranges::any_of(homes, [&](const PeerRef& p) { return p.id == self; });
  if (ours || move_.arc.contains(self)) return next();  // our own view lags behind: no strays
  holder_.table().each(move_.arc, [&](const Item& item) {
    move_.versions.emplace_back(item.key, version(item));
    return true;
  });
  move_.waiting = homes.size();
  for (const PeerRef& home : homes) {
    sync_.compare(home, move_.arc, ItemSync::Direction::push,
                  [this](const ItemSync::Report& report) { moved(report); });
  }
}

void StrayMover::moved(const ItemSync::Report& report) {
  move_.settled = move_.settled && report.settled;
  if (--move_.waiting > 0) return;
  if (move_.settled) holder_.forget(move_.versions);
  next();
}

}  // namespace beckon::service
