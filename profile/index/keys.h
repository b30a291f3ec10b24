// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/index/ladder.h"
#include "profile/person/profile.h"
#include "profile/query/query.h"

namespace beckon::profile {

using RingKey = std::array<std::uint8_t, 20>;  // a place on the ring; chord::Id has the same bytes
using OwnerId =
    std::array<std::uint8_t, 20>;           // first 20 bytes of SHA-256 of the owner's public key
using Salt = std::array<std::uint8_t, 16>;  // of the overlay file, in every hash; no secret

inline constexpr std::uint8_t all_shards = 16;

/// A key under which a record is stored, and the marks stored beside it. At most one for each key:
/// where several values of a profile meet, the marks are the more generous ones.
struct Placement {
  RingKey key{};
  Marks marks{};
};

/// A key to read, and which of its records to answer.
struct Probe {
  RingKey key{};
  Wanted wanted{};
};

/// One way to answer a branch: every profile that the branch holds for is stored under at least one
/// of the probes, and is admitted there. Where values or items are several, it may be admitted
/// under more than one; whoever asks drops what it has seen (by owner).
struct Access {
  std::string label{};  // for people: "hobby=chess", "geo 25.05,121.53", "all"
  std::vector<Probe> probes{};
};

/// All keys of a profile: its searchable values, and its shard of the list of everybody.
std::vector<Placement> placements(const Schema& schema, const Salt& salt, const Profile& profile,
                                  const OwnerId& owner);

/// The ways to answer a branch that its terms give, and last the list of everybody, which always
/// does. Wide ranges and terms such as != give none.
std::vector<Access> accesses(const Schema& schema, const Salt& salt, const Branch& branch);
Access everybody(const Salt& salt);

inline constexpr std::size_t max_probes = 64;  // of one access but `everybody`

/// Where an attribute's own statistics live.
RingKey directory_key(const Schema& schema, const Salt& salt, std::string_view attribute);

}  // namespace beckon::profile
