// SPDX-License-Identifier: MIT
#include "chord/successor_list.h"

#include "base/result.h"

namespace beckon::chord {

void SuccessorList::rebuild(const PeerRef& head, const std::vector<PeerRef>& tail) {
  std::vector<PeerRef> out;
  auto fits = [&](const PeerRef& peer) {
    if (out.size() == capacity_ || peer.id == self_) return false;
    return out.empty() || Arc{.after = out.back().id, .upto = self_}.contains_inside(peer.id);
  };
  if (fits(head)) out.push_back(head);
  for (const PeerRef& peer : tail) {
    if (!fits(peer)) break;
    out.push_back(peer);
  }
  entries_ = std::move(out);
}

void SuccessorList::pop_front() {
  ENSURE(!entries_.empty());
  entries_.erase(entries_.begin());
}

bool SuccessorList::improves(const Id& peer) const {
  if (peer == self_) return false;
  return entries_.empty() || Arc{.after = self_, .upto = first().id}.contains_inside(peer);
}

}  // namespace beckon::chord
