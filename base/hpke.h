// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "base/bytes.h"

namespace beckon {

/// HPKE base mode (RFC 9180), one message per key: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
/// ChaCha20-Poly1305. OpenSSL 3.0 has the primitives but no HPKE of its own.
namespace hpke {

using PublicKey = std::array<std::uint8_t, 32>;  // X25519
using SecretKey = std::array<std::uint8_t, 32>;  // X25519; any 32 bytes of real entropy

inline constexpr std::size_t overhead = 32 + 16;  // encapsulated key in front, tag behind

PublicKey public_key(const SecretKey& secret);

/// Seals for whoever holds the secret of `to`. `ephemeral` must be fresh entropy, never used again.
/// Fails only if `to` is a point of small order, which would make the shared secret zero.
Result<Bytes> seal(const PublicKey& to, const SecretKey& ephemeral, ByteView info, ByteView aad,
                   ByteView plaintext);

/// Opens what was sealed for `secret` with the same info and aad; anything else is refused.
Result<Bytes> open(const SecretKey& secret, ByteView info, ByteView aad, ByteView sealed);

}  // namespace hpke

}  // namespace beckon
