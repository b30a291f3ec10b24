// SPDX-License-Identifier: MIT
#include "tests/world/invariants.h"

#include <algorithm>

namespace beckon::sim {

using chord::Arc;

namespace {

/// The first living base member strictly between two places, clockwise; of the whole ring but for
/// `after` when both are the same.
std::optional<Id> base_between(const RingView& view, const std::set<Id>& base, const Id& after,
                               const Id& upto) {
  Arc gap{.after = after, .upto = upto};
  auto at = base.upper_bound(after);
  for (std::size_t i = 0; i < base.size(); ++i, ++at) {
    if (at == base.end()) at = base.begin();
    if (*at == after || !gap.contains_inside(*at)) return std::nullopt;
    if (view.index_of(*at)) return *at;
  }
  return std::nullopt;
}

}  // namespace

RingView::RingView(const std::vector<Host>& hosts) {
  for (HostNumber i = 0; i < hosts.size(); ++i) {
    if (!hosts[i].running()) continue;
    const chord::RingNode& node = hosts[i].process->ring();
    if (node.mode() == chord::Mode::member) members_.push_back({node.self().id, &node, i});
  }
  std::sort(members_.begin(), members_.end(),
            [](const Member& a, const Member& b) { return a.id < b.id; });
  index_of_host_.resize(hosts.size());
  for (std::size_t i = 0; i < members_.size(); ++i) index_of_host_[members_[i].host] = i;
}

std::optional<std::size_t> RingView::index_of(const Id& id) const {
  auto found = std::lower_bound(members_.begin(), members_.end(), id,
                                [](const Member& m, const Id& x) { return m.id < x; });
  if (found == members_.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - members_.begin());
}

std::optional<std::size_t> RingView::index_of_host(HostNumber host) const {
  return host < index_of_host_.size() ? index_of_host_[host] : std::nullopt;
}

std::optional<std::size_t> RingView::best(std::size_t index) const {
  const auto& list = members_[index].node->successors();
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

Violation check_list_ordered(const RingView& view, std::size_t index) {
  const auto& member = view.members()[index];
  Id after = member.id;
  for (const PeerRef& entry : member.node->successors()) {
    bool ordered = entry.id != member.id && entry.id != after &&
                   Arc{.after = after, .upto = member.id}.contains_inside(entry.id);
    if (!ordered) return "I2: the list of " + member.id.brief() + " is out of order";
    after = entry.id;
  }
  return std::nullopt;
}

Violation check_live_successor(const RingView& view, std::size_t index) {
  if (view.best(index)) return std::nullopt;
  return "I1: " + view.members()[index].id.brief() + " has no live successor";
}

Violation check_base_principal(const RingView& view, std::size_t index, const std::set<Id>& base) {
  const auto& member = view.members()[index];
  const auto& list = member.node->successors();
  auto skipped = list.empty() ? base_between(view, base, member.id, member.id) : std::nullopt;
  Id after = member.id;
  for (std::size_t i = 0; i < list.size() && !skipped; ++i) {
    if (after != list[i].id) skipped = base_between(view, base, after, list[i].id);
    after = list[i].id;
  }
  if (!skipped) return std::nullopt;
  return "I3: the list of " + member.id.brief() + " skips base member " + skipped->brief();
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
    const auto& list = view.members()[i].node->successors();
    bool right = !list.empty() && list.front().id == view.members()[(i + 1) % n].id;
    if (!right) return "E1: the first successor of " + view.members()[i].id.brief() + " is wrong";
  }
  return std::nullopt;
}

Violation check_ideal(const RingView& view) {
  std::size_t n = view.members().size();
  for (std::size_t i = 0; i < n; ++i) {
    const chord::RingNode& node = *view.members()[i].node;
    std::size_t length = std::min(node.options().list_length, n - 1);
    const auto& list = node.successors();
    bool same = list.size() == length;
    for (std::size_t k = 0; same && k < length; ++k) {
      same = list[k].id == view.members()[(i + k + 1) % n].id;
    }
    if (!same) return "E1: the list of " + node.self().id.brief() + " is not ideal";
    std::optional<Id> before;
    if (n > 1) before = view.members()[(i + n - 1) % n].id;
    bool right = node.predecessor() ? before && node.predecessor()->id == *before : !before;
    if (!right) return "E1: the predecessor of " + node.self().id.brief() + " is not ideal";
  }
  return std::nullopt;
}

Violation check_fingers(const RingView& view) {
  for (const auto& member : view.members()) {
    for (const auto& [exponent, finger] : member.node->fingers()) {
      const Id& owner = view.owner(member.id.plus_power(exponent)).id;
      if (finger.id != owner) {
        return "E2: finger " + std::to_string(exponent) + " of " + member.id.brief() + " is stale";
      }
    }
  }
  return std::nullopt;
}

}  // namespace beckon::sim
