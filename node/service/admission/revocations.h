#pragma once

#include <cstdint>
#include <map>

#include "node/service/admission/credential.h"

namespace beckon::service {

/// Whom a closed overlay has expelled: node ids with the moment their credential ends by itself and
/// the entry may be forgotten. The list with the higher version replaces the lower one, whole.
/// On the wire: version 1 | overlay | u64 version | u32 count | count x (id | i64 until) |
/// signature, entries in id order, at most 4096.
struct Revocations {
  OverlayId overlay{};
  std::uint64_t version{};  // 0: the empty list nobody signed
  std::map<chord::Id, WallTime> expelled{};
  Signature signature{};

  static constexpr std::size_t max_entries = 4096;
  bool contains(const chord::Id& id) const { return expelled.contains(id); }
  Bytes encode() const;
  static Result<Revocations> decode(ByteView bytes);
  Bytes signed_part() const;
  bool signed_by(const PublicKey& authority, const Signer& signer) const;
  friend bool operator==(const Revocations&, const Revocations&) = default;
};

}  // namespace beckon::service
