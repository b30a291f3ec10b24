// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/crypto.h"
#include "base/time.h"
#include "chord/id.h"
#include "node/service/admission/overlay.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

using Nonce = std::array<std::uint8_t, 16>;
enum class Role : std::uint8_t { member = 0, authority = 1 };

/// A closed overlay's word that a key may take part, and where on the ring: the authority chooses
/// the nonce after it has seen the key, so nobody picks a place by making keys.
struct Credential {
  OverlayId overlay{};
  Digest key_hash{};  // SHA-256 of the SubjectPublicKeyInfo
  Nonce nonce{};
  WallTime not_before{};
  WallTime not_after{};
  std::uint64_t serial{};
  Role role = Role::member;
  Signature signature{};

  static constexpr std::size_t size = 170;
  static constexpr Form form = exact("credential");
  static void signed_fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("overlay", m.overlay);
    f("key hash", m.key_hash);
    f("nonce", m.nonce);
    f("not before", m.not_before);
    f("not after", m.not_after);
    f("serial", m.serial);
    f("role", m.role, upto(Role::authority));
  }
  static void fields(auto& f, auto& m) {
    signed_fields(f, m);
    f("signature", m.signature);
  }
  Bytes signed_part() const;  // domain string and all fields before the signature

  /// Everything but revocation: signature, overlay, key, dates. The text says which one failed.
  Result<void> check(const OverlayId& overlay, const PublicKey& authority, const PublicKey& key,
                     const Signer& signer, WallTime now) const;
  friend bool operator==(const Credential&, const Credential&) = default;
};

/// An Ed25519 key as X.509 spells it (SubjectPublicKeyInfo, RFC 8410): 44 bytes.
std::array<std::uint8_t, 44> spki_of(const PublicKey& key);

/// Node-ID: first 20 bytes of SHA-256("id" | SPKI), in closed overlays SHA-256("id" | SPKI |
/// nonce).
chord::Id node_id(const PublicKey& key, const std::optional<Nonce>& nonce = std::nullopt);

/// The identity puzzle of open overlays: SHA-256("puzzle" | overlay id | SPKI | solution) begins
/// with `bits` zero bits. Solving costs about 2^bits hashes, checking one.
struct Puzzle {
  OverlayId overlay{};
  std::uint8_t bits{};
  bool solved_by(const PublicKey& key, std::uint64_t solution) const;
  std::uint64_t solve(const PublicKey& key) const;
};

}  // namespace beckon::service
