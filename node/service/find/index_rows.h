// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "chord/id.h"
#include "profile/index/ladder.h"
#include "profile/index/matcher.h"

namespace beckon::service {

using chord::Id;

/// The records under one ring key, ready for matching, in order of their owners. Rows of filters
/// today; whoever replaces them by bit slices keeps this face. They lie in blocks, so that one more
/// under a key of 100 000 moves few others.
class IndexRows {
 public:
  struct Row {
    Id owner{};
    profile::Marks marks{};
    std::uint8_t layout{};  // as in FilterView
    std::uint32_t presence{};
    std::uint32_t open{};
    filters::BitArray filter{};
  };
  struct Found {
    std::vector<Id> owners{};
    std::uint32_t scanned{};
    bool more = false;
  };

  void put(Row row);
  void erase(const Id& owner);
  std::size_t size() const { return size_; }

  /// Goes round from `start`, or on behind `after`, until `credit` rows are found.
  Found scan(const profile::Matcher& matcher, const profile::Wanted& wanted, const Id& start,
             const std::optional<Id>& after, std::size_t credit) const;

 private:
  using Block = std::vector<Row>;
  static constexpr std::size_t block_rows = 256;
  struct Place {
    std::size_t block{}, row{};
    friend bool operator==(const Place&, const Place&) = default;
  };

  Place place(const Id& owner) const;  // perhaps the end of its block
  bool holds(const Place& at, const Id& owner) const;
  Place round(Place at) const;  // the row there, behind the last one the first
  const Row& at(const Place& place) const { return blocks_[place.block][place.row]; }

  std::vector<Block> blocks_{};  // none is empty
  std::size_t size_ = 0;
};

}  // namespace beckon::service
