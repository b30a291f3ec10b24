// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "node/service/items/item.h"

namespace beckon::service {

using chord::Arc;

/// A stretch of the item table in its linear order, both ends inside. An arc of the ring is one
/// span, or two when it passes zero.
struct Span {
  ItemKey first{};
  ItemKey last{};
  static constexpr Form form = exact("span");
  static void fields(auto& f, auto& m) {
    f("first", m.first);
    f("last", m.last);
    f.rule("first <= last", [&] { return m.first <= m.last; });
  }
  bool contains(const ItemKey& key) const { return first <= key && key <= last; }
  friend bool operator==(const Span&, const Span&) = default;
};

ItemKey lowest_at(const Id& ring);
ItemKey highest_at(const Id& ring);
ItemKey highest_key();
ItemKey after(const ItemKey& key);  // the next in order; key must not be the very last

std::vector<Span> spans_of(const Arc& arc);  // clockwise

}  // namespace beckon::service
