// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace beckon {

using Digest = std::array<std::uint8_t, 32>;

/// SHA-256, for whatever an adversary may grind at: ids, keys, record identity.
Digest sha256(ByteView bytes);

/// SHA-256 over several pieces laid end to end, without copying them together.
Digest sha256(std::initializer_list<ByteView> pieces);

struct Hash128 {
  std::uint64_t low{};
  std::uint64_t high{};
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

/// XXH3, for filter positions and checksums: fast, well mixed, not secure against grinding.
Hash128 xxh3_128(ByteView bytes, std::uint64_t seed = 0);
std::uint64_t xxh3_64(ByteView bytes, std::uint64_t seed = 0);

}  // namespace beckon
