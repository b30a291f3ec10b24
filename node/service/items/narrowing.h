// SPDX-License-Identifier: MIT
#pragma once

#include <deque>

#include "node/service/items/item_sums.h"
#include "node/service/items/replica_messages.h"

namespace beckon::service {

/// Where do two holders of an arc differ? The side that asks cuts the arc into parts and sends
/// their sums; parts whose sums differ are cut again, until they hold few enough items to be
/// listed. So the cost follows the differences and the logarithm of the items, wherever on the ring
/// they crowd (range-based set reconciliation, Meyer, arXiv 2212.13567).
///
/// The asker alone decides where to cut: evenly among its own items, and by `turn` elsewhere each
/// time, so that what once had the same sum by somebody's design is seen by a later comparison.
class Narrowing {
 public:
  struct Options {
    std::size_t first_parts{};
    std::size_t next_parts{};
    std::size_t list_at_once{};
    bool whole_ids = false;  // cut only between ring ids: a stranger is told no more
  };
  Narrowing(const Arc& arc, Options options);

  /// What to ask next; without parts when all that differs has been found.
  DigestRequest ask(const ItemSums& sums, std::uint64_t turn);
  bool answered(const DigestReply& reply);  // false if it does not fit the question

  bool done() const { return unsure_.empty(); }
  std::vector<Span> take_found() { return std::exchange(found_, {}); }  // to be listed

 private:
  struct Asked {
    Span span{};
    std::size_t items{};
  };
  std::vector<Span> cut(const ItemSums& sums, const Span& span, std::uint64_t turn) const;

  Options options_;
  std::deque<Span> unsure_{};  // in order
  std::vector<Asked> asked_{};
  std::vector<Span> found_{};
  bool begun_ = false;
};

}  // namespace beckon::service
