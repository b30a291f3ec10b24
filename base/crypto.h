// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace beckon {

using PublicKey = std::array<std::uint8_t, 32>;   // Ed25519
using SecretSeed = std::array<std::uint8_t, 32>;  // Ed25519 private key; comes from real entropy
using Signature = std::array<std::uint8_t, 64>;

/// Ed25519 behind an interface, so that the simulator may put a quick stand-in of the same sizes in
/// its place. Callers sign and check the verbatim bytes, with a domain string in front.
class Signer {
 public:
  virtual ~Signer() = default;
  virtual PublicKey public_key(const SecretSeed& seed) const = 0;
  virtual Signature sign(const SecretSeed& seed, ByteView message) const = 0;
  virtual bool verify(const PublicKey& key, ByteView message, const Signature& signature) const = 0;
};

/// The real thing: OpenSSL signs, and base/signature_rule.h says what holds. Stateless.
class Ed25519 final : public Signer {
 public:
  PublicKey public_key(const SecretSeed& seed) const override;
  Signature sign(const SecretSeed& seed, ByteView message) const override;
  bool verify(const PublicKey& key, ByteView message, const Signature& signature) const override;
};

}  // namespace beckon
