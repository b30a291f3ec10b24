// SPDX-License-Identifier: MIT
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
const profile::Schema& schema = profile::Schema::built_in();

User sample() {
  SecretRng secrets({42});
  User user = make_user(signer, secrets.next(), secrets.next(), start);
  user.profile = hosted(schema, R"({"name":"Alice Lin"})");
  user.version = 7;
  user.published = true;
  user.policy = Policy::contacts;
  user.leftover_keys = {UserId{{1}}, UserId{{2}}};
  return user;
}

}  // namespace

TEST_CASE("a row gives the same user back, with the public key derived anew") {
  User user = sample();
  auto back = decode_user(encode(user), signer, schema);
  REQUIRE(back);
  CHECK(back->id() == user.id());
  CHECK(encode(*back) == encode(user));
  CHECK(back->profile->text == user.profile->text);
}

TEST_CASE("every field of a row comes back, whatever its value is") {
  std::vector<std::pair<const char*, std::function<void(User&)>>> changes{
      {"as made", [](User&) {}},
      {"not published", [](User& u) { u.published = false; }},
      {"published", [](User& u) { u.published = true; }},
      {"receives everyone", [](User& u) { u.policy = Policy::everyone; }},
      {"receives nobody", [](User& u) { u.policy = Policy::nobody; }},
      {"highest version", [](User& u) { u.version = UINT64_MAX; }},
      {"published profile",
       [](User& u) { u.published_profile = hosted(schema, "{\"name\":\"Zoë\"}"); }},
      {"no leftover keys", [](User& u) { u.leftover_keys.clear(); }},
      {"three message keys",
       [](User& u) {
         u.message_keys = {{{7}, start + 2h}, {{8}, start + 1h}, {{9}, start}};
       }},
      {"longest profiles",
       [](User& u) {
         u.profile = hosted(schema, std::string(User::max_profile_size, 'x'));
         u.published_profile = hosted(schema, std::string(User::max_profile_size, 'y'));
       }},
  };
  for (const auto& [what, change] : changes) {
    CAPTURE(what);
    User user = sample();
    change(user);
    auto back = decode_user(encode(user), signer, schema);
    REQUIRE(back);
    CHECK(back->seed == user.seed);
    CHECK(back->key == user.key);
    CHECK(back->profile->text == user.profile->text);
    CHECK(back->published_profile->text == user.published_profile->text);
    CHECK(back->leftover_keys == user.leftover_keys);
    CHECK(back->version == user.version);
    CHECK(back->published == user.published);
    CHECK(back->policy == user.policy);
    REQUIRE(back->message_keys.size() == user.message_keys.size());
    for (std::size_t i = 0; i < user.message_keys.size(); ++i) {
      CHECK(back->message_keys[i].secret == user.message_keys[i].secret);
      CHECK(back->message_keys[i].made == user.message_keys[i].made);
    }
  }
}

TEST_CASE("a profile one byte too long, and a fourth message key, make a row that is refused") {
  User user = sample();
  user.profile = hosted(schema, std::string(User::max_profile_size + 1, 'x'));
  CHECK_FALSE(decode_user(encode(user), signer, schema));
  user = sample();
  user.published_profile = hosted(schema, std::string(User::max_profile_size + 1, 'x'));
  CHECK_FALSE(decode_user(encode(user), signer, schema));
  user = sample();
  user.message_keys.resize(User::max_message_keys + 1);
  CHECK_FALSE(decode_user(encode(user), signer, schema));
  user.message_keys.clear();
  CHECK_FALSE(decode_user(encode(user), signer, schema));
  user = sample();
  user.profile = hosted(schema, "\xff");
  CHECK_FALSE(decode_user(encode(user), signer, schema));
}

TEST_CASE("no more than three message keys are kept, however quickly the clock jumps") {
  User user = sample();
  SecretRng secrets({46});
  for (int i = 1; i <= 6; ++i) {
    CHECK(rotate_message_keys(user, secrets.next(), start - i * 1h));
    CHECK(user.message_keys.size() == std::min<std::size_t>(static_cast<std::size_t>(i) + 1, 3));
    CHECK(user.message_keys.front().made == start - i * 1h);
  }
}

TEST_CASE("every shorter row, a longer one and values out of bounds are refused") {
  Bytes row = encode(sample());
  for (std::size_t n = 0; n < row.size(); ++n)
    CHECK_FALSE(decode_user(ByteView(row).first(n), signer, schema));
  Bytes longer = row;
  longer.push_back(0);
  CHECK_FALSE(decode_user(longer, signer, schema));
  for (std::size_t at : {0, 41, 42, 43}) {  // version, published, policy, number of keys
    Bytes bad = row;
    bad[at] = 9;
    CHECK_FALSE(decode_user(bad, signer, schema));
  }
}

TEST_CASE("a row from before there were leftover keys is read, and too many of them are refused") {
  User user = sample();
  user.leftover_keys.clear();
  Bytes row = encode(user);
  row.resize(row.size() - 2);
  row[0] = 1;
  auto back = decode_user(row, signer, schema);
  REQUIRE(back);
  CHECK(encode(*back) == encode(user));
  user.leftover_keys.resize(User::max_leftover_keys);
  CHECK(decode_user(encode(user), signer, schema));
  user.leftover_keys.resize(User::max_leftover_keys + 1);
  CHECK_FALSE(decode_user(encode(user), signer, schema));
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
