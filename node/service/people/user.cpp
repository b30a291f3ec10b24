// SPDX-License-Identifier: MIT
#include "node/service/people/user.h"

#include <algorithm>

namespace beckon::service {

namespace {

using namespace std::chrono_literals;

constexpr std::uint8_t row_version = 2;  // 1 had no leftover keys
constexpr auto key_serves = 7 * 24h;
constexpr auto message_lives = 14 * 24h;  // at most

}  // namespace

UserId user_id(const PublicKey& key) { return UserId::of_digest(sha256(key)); }

User make_user(const Signer& signer, const SecretSeed& seed, const hpke::SecretKey& message_key,
               WallTime now) {
  User user;
  user.seed = seed;
  user.key = signer.public_key(seed);
  user.message_keys.push_back({.secret = message_key, .made = now});
  return user;
}

bool rotate_message_keys(User& user, const hpke::SecretKey& fresh, WallTime now) {
  bool changed = false;
  // A clock that was set back must not keep a key for ever: a key from the future is due as well.
  WallTime newest = user.message_keys.front().made;
  if (now - newest >= key_serves || newest > now) {
    user.message_keys.insert(user.message_keys.begin(), {.secret = fresh, .made = now});
    changed = true;
  }
  // By the age of its successor, not its own: while this node was away, people went on sealing to
  // the key that was the newest, however old it was.
  auto& keys = user.message_keys;
  while (keys.size() > User::max_message_keys ||
         (keys.size() > 1 && now - keys[keys.size() - 2].made >= message_lives)) {
    keys.pop_back();
    changed = true;
  }
  return changed;
}

Bytes encode(const User& user) {
  ByteWriter w;
  w.u8(row_version);
  w.raw(user.seed);
  w.u64(user.version);
  w.u8(user.published ? 1 : 0);
  w.u8(static_cast<std::uint8_t>(user.policy));
  w.u8(static_cast<std::uint8_t>(user.message_keys.size()));
  for (const MessageKey& key : user.message_keys) {
    w.raw(key.secret);
    w.i64(to_ms(key.made));
  }
  w.counted32(as_bytes(user.profile->text));
  w.counted32(as_bytes(user.published_profile->text));
  w.u16(static_cast<std::uint16_t>(user.leftover_keys.size()));
  for (const Id& key : user.leftover_keys) w.raw(key.bytes);
  return w.take();
}

Result<User> decode_user(ByteView row, const Signer& signer, const profile::Schema& schema) {
  ByteReader r(row);
  std::uint8_t version = r.u8();
  if (version < 1 || version > row_version)
    return invalid("a hosted user's row has an unknown version");
  User user;
  user.seed = r.array<32>();
  user.version = r.u64();
  std::uint8_t published = r.u8();
  std::uint8_t policy = r.u8();
  std::uint8_t keys = r.u8();
  if (published > 1 || policy > 2 || keys == 0 || keys > User::max_message_keys) r.fail();
  for (std::uint8_t i = 0; r.ok() && i < keys; ++i) {
    hpke::SecretKey secret = r.array<32>();
    user.message_keys.push_back({.secret = secret, .made = wall_from_ms(r.i64())});
  }
  std::string_view profile = as_text(r.counted32());
  std::string_view published_profile = as_text(r.counted32());
  for (std::string_view text : {profile, published_profile}) {
    if (text.size() > User::max_profile_size || !is_utf8(text)) r.fail();
  }
  std::uint16_t leftover = version < 2 ? 0 : r.u16();
  if (leftover > User::max_leftover_keys) r.fail();
  for (std::uint16_t i = 0; r.ok() && i < leftover; ++i)
    user.leftover_keys.push_back(Id{r.array<Id::size>()});
  if (auto done = r.finish("a hosted user's row"); !done) return done.error();
  user.published = published == 1;
  user.policy = static_cast<Policy>(policy);
  user.profile = hosted(schema, std::string(profile));
  bool same = published_profile == profile;
  user.published_profile = same ? user.profile : hosted(schema, std::string(published_profile));
  user.key = signer.public_key(user.seed);
  return user;
}

bool never_published(ByteView row) {
  auto user = decode_user(row, Ed25519(), profile::Schema::built_in());  // any schema would do
  return user && user->version == 0;
}

}  // namespace beckon::service
