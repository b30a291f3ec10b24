#include "node/service/people/user.h"

#include <doctest/doctest.h>

#include "base/secret_rng.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/user");

namespace {

const WallTime start = wall_from_ms(1'790'000'000'000);
const Ed25519 signer;

User sample() {
  SecretRng secrets({42});
  User user = make_user(signer, secrets.next(), secrets.next(), start);
  user.profile = R"({"name":"Alice Lin"})";
  user.version = 7;
  user.published = true;
  user.policy = Policy::contacts;
  user.leftover_keys = {UserId{{1}}, UserId{{2}}};
  return user;
}

}  // namespace

TEST_CASE("a row gives the same user back, with the public key derived anew") {
  User user = sample();
  auto back = decode_user(encode(user), signer);
  REQUIRE(back);
  CHECK(back->id() == user.id());
  CHECK(encode(*back) == encode(user));
  CHECK(back->profile == user.profile);
}

TEST_CASE("every shorter row, a longer one and values out of bounds are refused") {
  Bytes row = encode(sample());
  for (std::size_t n = 0; n < row.size(); ++n)
    CHECK_FALSE(decode_user(ByteView(row).first(n), signer));
  Bytes longer = row;
  longer.push_back(0);
  CHECK_FALSE(decode_user(longer, signer));
  for (std::size_t at : {0, 41, 42, 43}) {  // version, published, policy, number of keys
    Bytes bad = row;
    bad[at] = 9;
    CHECK_FALSE(decode_user(bad, signer));
  }
}

TEST_CASE("a row from before there were leftover keys is read, and too many of them are refused") {
  User user = sample();
  user.leftover_keys.clear();
  Bytes row = encode(user);
  row.resize(row.size() - 2);
  row[0] = 1;
  auto back = decode_user(row, signer);
  REQUIRE(back);
  CHECK(encode(*back) == encode(user));
  user.leftover_keys.resize(User::max_leftover_keys);
  CHECK(decode_user(encode(user), signer));
  user.leftover_keys.resize(User::max_leftover_keys + 1);
  CHECK_FALSE(decode_user(encode(user), signer));
}

TEST_CASE("a message key serves a week and is forgotten two weeks later") {
  User user = sample();
  SecretRng secrets({43});
  auto first = user.message_keys.front().secret;
  CHECK_FALSE(rotate_message_keys(user, secrets.next(), start + 7 * 24h - 1ms));
  CHECK(rotate_message_keys(user, secrets.next(), start + 7 * 24h));
  CHECK(user.message_keys.size() == 2);
  CHECK(user.message_keys.back().secret == first);
  CHECK(rotate_message_keys(user, secrets.next(), start + 14 * 24h));
  CHECK(user.message_keys.back().secret == first);
  CHECK(rotate_message_keys(user, secrets.next(), start + 21 * 24h));
  for (const MessageKey& key : user.message_keys) CHECK(key.secret != first);
}

TEST_CASE("the key that was the newest through a long absence still opens what came meanwhile") {
  User user = sample();
  SecretRng secrets({45});
  auto first = user.message_keys.front().secret;
  WallTime back = start + 60 * 24h;
  CHECK(rotate_message_keys(user, secrets.next(), back));
  CHECK(user.message_keys.back().secret == first);
  CHECK_FALSE(rotate_message_keys(user, secrets.next(), back + 6 * 24h));
  CHECK(user.message_keys.back().secret == first);
  CHECK(rotate_message_keys(user, secrets.next(), back + 14 * 24h));
  CHECK(user.message_keys.size() == 2);
  CHECK(user.message_keys.back().secret != first);
}

TEST_CASE("a clock set back does not leave a user with the same key for years") {
  User user = sample();
  SecretRng secrets({44});
  CHECK(rotate_message_keys(user, secrets.next(), start - 365 * 24h));
  CHECK(user.message_keys.front().made == start - 365 * 24h);
}

TEST_SUITE_END();
