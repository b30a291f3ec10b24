// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "chord/peer_ref.h"

namespace beckon::chord {

/// The next peers clockwise, nearest first, at most `capacity`. Never holds self or a duplicate:
/// each entry lies strictly between the one before it and self. Empty only in a ring of one.
/// A list is only ever replaced as a whole by the head's own view, never mixed from two.
class SuccessorList {
 public:
  SuccessorList(Id self, std::size_t capacity) : self_(self), capacity_(capacity) {}

  /// Head, then the head's own list, cut where it would reach us, wrap or repeat.
  void rebuild(const PeerRef& head, const std::vector<PeerRef>& tail);
  void clear() { entries_.clear(); }
  void pop_front();

  bool empty() const { return entries_.empty(); }
  std::size_t capacity() const { return capacity_; }
  const PeerRef& first() const { return entries_.front(); }  // of a list that is not empty
  const std::vector<PeerRef>& entries() const { return entries_; }
  /// Whether a peer would come before the first entry (or the list is empty).
  bool improves(const Id& peer) const;

  friend bool operator==(const SuccessorList&, const SuccessorList&) = default;

 private:
  Id self_;
  std::size_t capacity_;
  std::vector<PeerRef> entries_{};
};

}  // namespace beckon::chord
