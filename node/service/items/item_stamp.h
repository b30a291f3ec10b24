// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "node/service/items/item.h"

namespace beckon::service {

/// One line of a comparison between two holders.
struct ItemStamp {
  ItemKey key{};
  std::uint64_t seq{};
  std::array<std::uint8_t, 8> check{};  // first bytes of the digest

  static constexpr std::size_t size = ItemKey::size + 8 + 8;
  static constexpr Form form = exact("entry");
  static void fields(auto& f, auto& m) {
    f("key", m.key);
    f("seq", m.seq);
    f("check", m.check);
  }
  friend bool operator==(const ItemStamp&, const ItemStamp&) = default;
};
inline bool by_key(const ItemStamp& a, const ItemStamp& b) { return a.key < b.key; }
ItemStamp item_stamp(const Item& item);

/// The digest of a set of items: a number modulo 2^128, the sum of the numbers of its items. So it
/// follows each item that comes or goes, in whatever order, and sums of parts add up to that of the
/// whole. What a sum is worth against somebody who makes records: docs/security.md.
struct ItemSum {
  std::uint64_t high{};
  std::uint64_t low{};
  static constexpr Form form = exact("sum");
  static void fields(auto& f, auto& m) {
    f("high", m.high);
    f("low", m.low);
  }

  ItemSum& operator+=(const ItemSum& other);
  ItemSum& operator-=(const ItemSum& other);
  friend bool operator==(const ItemSum&, const ItemSum&) = default;
};
ItemSum number_of(const ItemStamp& entry);  // what one item adds

}  // namespace beckon::service
