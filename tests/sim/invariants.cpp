#include "tests/sim/invariants.h"

#include <algorithm>

namespace beckon::sim {

using chord::Arc;

namespace {

bool skips(const RingView::Member& member, const Id& id) {
  const auto& list = member.peer->successors();
  if (list.empty()) return member.id != id;
  Id after = member.id;
  for (const PeerRef& entry : list) {
    if (after != entry.id && Arc{.after = after, .upto = entry.id}.contains_inside(id) &&
        id != after) {
      return true;
    }
    after = entry.id;
  }
  return false;
}

}  // namespace

RingView::RingView(const std::vector<Host>& hosts) {
  for (HostNumber i = 0; i < hosts.size(); ++i) {
    if (!hosts[i].running()) continue;
    const chord::Peer& peer = hosts[i].process->peer();
    if (peer.mode() == chord::Mode::member) members_.push_back({peer.self().id, &peer, i});
  }
  std::sort(members_.begin(), members_.end(),
            [](const Member& a, const Member& b) { return a.id < b.id; });
}

std::optional<std::size_t> RingView::index_of(const Id& id) const {
  auto found = std::lower_bound(members_.begin(), members_.end(), id,
                                [](const Member& m, const Id& x) { return m.id < x; });
  if (found == members_.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - members_.begin());
}

std::optional<std::size_t> RingView::best(std::size_t index) const {
  const auto& list = members_[index].peer->successors();
  if (list.empty()) return index;
  for (const PeerRef& entry : list) {
    if (auto found = index_of(entry.id)) return found;
  }
  return std::nullopt;
}

const RingView::Member& RingView::owner(const Id& key) const {
  auto found = std::lower_bound(members_.begin(), members_.end(), key,
                                [](const Member& m, const Id& x) { return m.id < x; });
  return found == members_.end() ? members_.front() : *found;
}

Violation check_lists_ordered(const RingView& view) {
  for (const auto& member : view.members()) {
    Id after = member.id;
    for (const PeerRef& entry : member.peer->successors()) {
      bool ordered = entry.id != member.id && entry.id != after &&
                     Arc{.after = after, .upto = member.id}.contains_inside(entry.id);
      if (!ordered) return "I2: the list of " + member.id.brief() + " is out of order";
      after = entry.id;
    }
  }
  return std::nullopt;
}

Violation check_one_live_successor(const RingView& view) {
  for (std::size_t i = 0; i < view.members().size(); ++i) {
    if (!view.best(i)) {
      return "I1: " + view.members()[i].id.brief() + " has no live successor";
    }
  }
  return std::nullopt;
}

Violation check_base_principal(const RingView& view, const std::set<Id>& base) {
  for (const Id& id : base) {
    if (!view.index_of(id)) continue;
    for (const auto& member : view.members()) {
      if (skips(member, id)) {
        return "I3: the list of " + member.id.brief() + " skips base member " + id.brief();
      }
    }
  }
  return std::nullopt;
}

Violation check_one_ordered_ring(const RingView& view) {
  std::size_t n = view.members().size();
  if (n == 0) return std::nullopt;
  std::vector<std::size_t> next(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto best = view.best(i);
    if (!best) return "I1: " + view.members()[i].id.brief() + " has no live successor";
    next[i] = *best;
  }
  std::size_t start = 0;
  for (std::size_t i = 0; i < n; ++i) start = next[start];  // now surely on a cycle
  std::vector<bool> on_ring(n, false);
  for (std::size_t i = start; !on_ring[i]; i = next[i]) on_ring[i] = true;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t at = i;
    for (std::size_t hops = 0; hops <= n && !on_ring[at]; ++hops) at = next[at];
    if (!on_ring[at]) return "I4: a second ring goes through " + view.members()[i].id.brief();
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!on_ring[i]) continue;
    std::size_t expected = (i + 1) % n;
    while (!on_ring[expected]) expected = (expected + 1) % n;
    if (next[i] != expected)
      return "I4: the ring is out of order at " + view.members()[i].id.brief();
  }
  return std::nullopt;
}

Violation check_first_successors(const RingView& view) {
  std::size_t n = view.members().size();
  for (std::size_t i = 0; n > 1 && i < n; ++i) {
    const auto& list = view.members()[i].peer->successors();
    bool right = !list.empty() && list.front().id == view.members()[(i + 1) % n].id;
    if (!right) return "E1: the first successor of " + view.members()[i].id.brief() + " is wrong";
  }
  return std::nullopt;
}

Violation check_ideal(const RingView& view) {
  std::size_t n = view.members().size();
  for (std::size_t i = 0; i < n; ++i) {
    const chord::Peer& peer = *view.members()[i].peer;
    std::size_t length = std::min(peer.options().list_length, n - 1);
    const auto& list = peer.successors();
    bool same = list.size() == length;
    for (std::size_t k = 0; same && k < length; ++k) {
      same = list[k].id == view.members()[(i + k + 1) % n].id;
    }
    if (!same) return "E1: the list of " + peer.self().id.brief() + " is not ideal";
    std::optional<Id> before;
    if (n > 1) before = view.members()[(i + n - 1) % n].id;
    bool right = peer.predecessor() ? before && peer.predecessor()->id == *before : !before;
    if (!right) return "E1: the predecessor of " + peer.self().id.brief() + " is not ideal";
  }
  return std::nullopt;
}

Violation check_fingers(const RingView& view) {
  for (const auto& member : view.members()) {
    for (const auto& [exponent, finger] : member.peer->fingers()) {
      const Id& owner = view.owner(member.id.plus_power(exponent)).id;
      if (finger.id != owner) {
        return "E2: finger " + std::to_string(exponent) + " of " + member.id.brief() + " is stale";
      }
    }
  }
  return std::nullopt;
}

}  // namespace beckon::sim
