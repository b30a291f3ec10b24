// SPDX-License-Identifier: MIT
#include "node/service/find/candidates.h"

#include <doctest/doctest.h>

#include "node/service/find/genuine_records.h"
#include "tests/world/fast_signer.h"

using namespace beckon;
using namespace beckon::service;

namespace {

Candidate someone(std::uint8_t number, std::uint8_t host) {
  Candidate out;
  out.record.owner_key[0] = number;
  out.record.hosts = {{.id = {host}, .address = "127.0.0.1:" + std::to_string(7000 + host)}};
  return out;
}

std::vector<int> numbers(const std::vector<Candidate>& people) {
  std::vector<int> out;
  for (const Candidate& one : people) out.push_back(one.record.owner_key[0]);
  return out;
}

using Numbers = std::vector<int>;

/// Counts how often a signature is really looked at.
struct CountingSigner final : Signer {
  PublicKey public_key(const SecretSeed& seed) const override { return inner.public_key(seed); }
  Signature sign(const SecretSeed& seed, ByteView message) const override {
    return inner.sign(seed, message);
  }
  bool verify(const PublicKey& key, ByteView message, const Signature& s) const override {
    ++looked;
    return inner.verify(key, message, s);
  }
  test::FastSigner inner{};
  mutable std::size_t looked = 0;
};

struct Records {
  const profile::Schema& schema = profile::Schema::built_in();
  CountingSigner signer{};

  Bytes make(std::uint8_t number) {
    SecretSeed seed{number};
    profile::Publication facts{.owner_key = signer.public_key(seed),
                               .host = {.address = "127.0.0.1:1"},
                               .version = number,
                               .expiry = wall_from_ms(1'000'000)};
    auto profile = profile::Profile{};
    auto record = profile::build_record(schema, {}, profile, facts);
    profile::sign_record({}, signer, seed, record);
    return profile::encode(record);
  }
};

}  // namespace

TEST_SUITE_BEGIN("service/candidates");

TEST_CASE("candidates leave by host, the host of most first, of equals in turn, nobody twice") {
  Candidates waiting;
  CHECK(waiting.take(5).empty());
  for (auto [number, host] : {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 1}, {5, 3}})
    waiting.add(someone(static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(host)));
  CHECK(waiting.size() == 5);
  CHECK(waiting.take(0).empty());
  CHECK(numbers(waiting.take(2)) == Numbers{1, 3});
  waiting.add(someone(6, 2));
  CHECK(numbers(waiting.take(9)) == Numbers{2, 6});
  CHECK(numbers(waiting.take(9)) == Numbers{4});
  CHECK(numbers(waiting.take(9)) == Numbers{5});
  CHECK(waiting.empty());
}

TEST_CASE("a host that two records place at two addresses is two hosts") {
  Candidates waiting;
  Candidate elsewhere = someone(2, 1);
  elsewhere.record.hosts[0].address = "127.0.0.1:9";
  waiting.add(someone(1, 1));
  waiting.add(elsewhere);
  CHECK(numbers(waiting.take(9)) == Numbers{1});
  CHECK(numbers(waiting.take(9)) == Numbers{2});
}

TEST_CASE("a signature is looked at once for the same bytes, and every time if it is wrong") {
  Records records;
  GenuineRecords genuine({}, records.signer);
  Bytes good = records.make(1);
  Bytes bad = good;
  bad.back() ^= 1;
  for (int i = 0; i < 3; ++i) {
    CHECK(genuine.check(good));
    CHECK_FALSE(genuine.check(bad));
  }
  CHECK(records.signer.looked == 4);
  auto record = profile::decode_record(good);
  REQUIRE(record);
  CHECK(genuine.check(*record, sha256(good)));
  CHECK(genuine.checked() == 4);
}

TEST_CASE("what was checked long ago is forgotten, never more than two generations are kept") {
  Records records;
  GenuineRecords genuine({}, records.signer, {.remembered = 4});
  for (std::uint8_t i = 1; i <= 12; ++i) CHECK(genuine.check(records.make(i)));
  std::size_t before = genuine.checked();
  CHECK(genuine.check(records.make(12)));
  CHECK(genuine.checked() == before);
  CHECK(genuine.check(records.make(1)));
  CHECK(genuine.checked() == before + 1);
}

TEST_SUITE_END();
