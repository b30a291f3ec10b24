// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/hpke.h"
#include "base/time.h"
#include "chord/id.h"
#include "node/service/people/hosted_profile.h"

namespace beckon::service {

using beckon::decode;  // else that of a user would hide them
using beckon::encode;
using chord::Id;
using UserId = chord::Id;

/// User-ID = first 20 bytes of SHA-256 of the user's Ed25519 public key.
UserId user_id(const PublicKey& key);

/// Who may reach a user without having been accepted before.
enum class Policy : std::uint8_t { everyone = 0, contacts = 1, nobody = 2 };

/// A key that messages are sealed to. Apart from the identity, so that it can be forgotten: after
/// that, what was sealed to it stays sealed even to a thief of the disk.
struct MessageKey {
  hpke::SecretKey secret{};
  WallTime made{};
};

/// A user this node hosts: identity, profile, what was published of it. Everything here is secret
/// or private and stays on this node.
struct User {
  SecretSeed seed{};
  PublicKey key{};
  ProfilePtr profile = empty_profile();
  ProfilePtr published_profile = no_profile();  // what the records on the ring were made of
  /// Keys that may still carry a record of an earlier profile, to be cleared; at most
  /// max_leftover_keys, what is beyond them expires by itself.
  std::vector<Id> leftover_keys{};
  std::uint64_t version{};  // of the newest record made; 0 if none ever was
  bool published = false;
  Policy policy = Policy::everyone;
  std::vector<MessageKey> message_keys{};  // newest first, never empty, at most max_message_keys

  static constexpr std::size_t max_message_keys = 3;
  static constexpr std::size_t max_profile_size = 32 * 1024;
  static constexpr std::size_t max_leftover_keys = 512;

  UserId id() const { return user_id(key); }
};

/// A new user from fresh secrets.
User make_user(const Signer& signer, const SecretSeed& seed, const hpke::SecretKey& message_key,
               WallTime now);

/// Puts a new message key in front and forgets those that nothing unexpired can be sealed to: a key
/// serves a week as the newest, longer while its node is away, and what was sealed to it lives two
/// weeks more at most.
/// True if anything changed; then the user must be stored, and published again if published.
bool rotate_message_keys(User& user, const hpke::SecretKey& fresh, WallTime now);

/// The row of Table::users: bounded, strict, of one version. The public key is derived, not stored.
Bytes encode(const User& user);
Result<User> decode_user(ByteView row, const Signer& signer, const profile::Schema& schema);
bool never_published(ByteView row);  // false also of a row that cannot be read

}  // namespace beckon::service
