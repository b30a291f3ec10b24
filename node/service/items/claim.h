// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "chord/id.h"

namespace beckon::service {

using chord::Arc;
using chord::Id;

/// One disk of one node. A disk that was lost or rolled back comes back with another number, so it
/// is another holder (docs/ownership.md).
struct Holder {
  Id node{};
  std::uint64_t disk{};
  friend auto operator<=>(const Holder&, const Holder&) = default;
};

using Holders = std::vector<Holder>;  // the first is the lead; never one twice
inline constexpr std::size_t most_holders = 16;

bool contains(const Holders& holders, const Holder& holder);
bool well_formed(const Holders& holders);       // somebody, nobody twice, not too many
std::uint64_t hash_of(const Holders& holders);  // equal sets in equal order have equal hashes

/// The name of one attempt to decide a set. Number 0 is none. Number 1 belongs to the lead.
struct Ballot {
  std::uint32_t number{};
  Id node{};  // who makes the attempt; it makes attempts of different nodes different
  bool none() const { return number == 0; }
  friend auto operator<=>(const Ballot&, const Ballot&) = default;
};

/// What a node knows about the holders of some keys, and what it has promised about the set after
/// them.
struct Claim {
  std::uint64_t x{};           // number of the latest decided set known here; 0: nothing is known
  Holders holders{};           // that set
  Ballot promised{};           // not none: fenced, for as long as x is the latest
  Ballot accepted{};           // the latest proposal accepted for the set after x:
  std::uint64_t x_accepted{};  // its number
  Holders value{};             // and its holders
  std::uint64_t filled{};      // brought up to date for the set after this one; 0: never
  bool led{};                  // as the lead of x this node has used ballot 1
  friend bool operator==(const Claim&, const Claim&) = default;
};

struct ClaimRow {
  Arc arc{};
  Claim claim{};
  friend bool operator==(const ClaimRow&, const ClaimRow&) = default;
};

/// The row as the store keeps it, with a checksum. Only rows with x > 0 are stored.
Bytes encode_claim(const ClaimRow& row);
Result<ClaimRow> decode_claim(ByteView bytes);  // an Error for every row that no node can have made

}  // namespace beckon::service
