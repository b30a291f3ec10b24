// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/world/world.h"

namespace beckon::sim {

/// The members of the ring that run now, by id, as the checks want to see them.
class RingView {
 public:
  explicit RingView(const std::vector<Host>& hosts);

  struct Member {
    Id id{};
    const chord::RingNode* node{};
    HostNumber host{};
  };
  const std::vector<Member>& members() const { return members_; }
  std::optional<std::size_t> index_of(const Id& id) const;
  std::optional<std::size_t> index_of_host(HostNumber host) const;
  /// The first successor that is a member; itself in a ring of one.
  std::optional<std::size_t> best(std::size_t index) const;
  const Member& owner(const Id& key) const;

 private:
  std::vector<Member> members_{};
  std::vector<std::optional<std::size_t>> index_of_host_{};
};

/// Each check returns what is wrong, or nothing. Numbers as in docs/testing.md.
using Violation = std::optional<std::string>;

Violation check_list_ordered(const RingView& view, std::size_t index);    // I2
Violation check_live_successor(const RingView& view, std::size_t index);  // I1
Violation check_base_principal(const RingView& view, std::size_t index,   // I3
                               const std::set<Id>& base);
Violation check_one_ordered_ring(const RingView& view);  // I4 and I5
Violation check_first_successors(const RingView& view);  // part of E1
Violation check_ideal(const RingView& view);             // E1
Violation check_fingers(const RingView& view);           // E2

}  // namespace beckon::sim
