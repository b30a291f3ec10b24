// SPDX-License-Identifier: MIT
#include "base/crypto.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/signature_rule.h"

using namespace beckon;

TEST_SUITE_BEGIN("base/crypto");

namespace {

template <std::size_t N>
std::array<std::uint8_t, N> array_of(const char* hex) {
  Bytes bytes = *from_hex(hex);
  return ByteReader(bytes).array<N>();
}

using Json = nlohmann::json;

/// Vectors of others stand beside the source tree on some machines only; then they are no file.
Json read_json(const std::string& path) {
  std::ifstream file(path);
  return file ? Json::parse(file) : Json();
}

void check_verdict(const std::string& what, const Json& vector, bool holds) {
  auto key = array_of<32>(vector.at(1).get<std::string>().c_str());
  Bytes message = *from_hex(vector.at(2).get<std::string>());
  auto signature = array_of<64>(vector.at(3).get<std::string>().c_str());
  CAPTURE(what);
  CHECK(signature_holds(SignatureEngine::sodium, key, message, signature) == holds);
  CHECK(signature_holds(SignatureEngine::openssl, key, message, signature) == holds);
  CHECK(Ed25519().verify(key, message, signature) == holds);
}

}  // namespace

TEST_CASE("Ed25519 gives the key and signature of RFC 8032, test 2") {
  Ed25519 ed;
  auto seed = array_of<32>("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
  Bytes message{0x72};
  PublicKey key = ed.public_key(seed);
  CHECK(to_hex(key) == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  Signature s = ed.sign(seed, message);
  CHECK(to_hex(s) ==
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  CHECK(ed.verify(key, message, s));
}

TEST_CASE("a flipped bit anywhere makes a signature worthless") {
  Ed25519 ed;
  SecretSeed seed{1, 2, 3};
  Bytes message{10, 20, 30};
  PublicKey key = ed.public_key(seed);
  Signature good = ed.sign(seed, message);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Signature bad = good;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    CHECK_FALSE(ed.verify(key, message, bad));
  }
  message[0] ^= 1;
  CHECK_FALSE(ed.verify(key, message, good));
}

TEST_CASE(
    "a signature whose S is not reduced is refused, so none can be altered into a second one") {
  Ed25519 ed;
  SecretSeed seed{9};
  Bytes message{1};
  Signature s = ed.sign(seed, message);
  // The group order L, little-endian; S + L would satisfy the equation but must not pass.
  auto order = array_of<32>("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    unsigned sum = s[32 + i] + order[i] + carry;
    s[32 + i] = static_cast<std::uint8_t>(sum);
    carry = sum >> 8;
  }
  CHECK_FALSE(ed.verify(ed.public_key(seed), message, s));
}

TEST_CASE("every engine gives the verdicts of the protocol's vectors") {
  Json vectors = read_json(BECKON_VECTORS).at("signatures");
  CHECK(vectors.size() == 22);
  for (const Json& vector : vectors) {
    check_verdict(vector.at(0).get<std::string>(), vector, vector.at(4).get<bool>());
  }
}

TEST_CASE("every engine gives the verdicts of public edge cases, where they are at hand") {
  for (const Json& vector : read_json(BECKON_OUTSIDE "/ed25519-edge.json")) {
    check_verdict(vector.at(0).get<std::string>(), vector, vector.at(4) == 1);
  }
  Json wycheproof = read_json(BECKON_OUTSIDE "/wycheproof.json");
  if (wycheproof.is_null()) return;
  for (const Json& vector : wycheproof.at("ed25519")) {
    check_verdict("wycheproof " + vector.at(0).dump(), vector, vector.at(4) == "valid");
  }
}

TEST_CASE("an engine that accepts or refuses too much is not trusted") {
  CHECK(trusted_signature_engine().has_value());
  CHECK_FALSE(keeps_the_rule([](auto&&...) { return true; }));
  CHECK_FALSE(keeps_the_rule([](auto&&...) { return false; }));
  // One with the cofactor accepts the parts of order 8 that the rule refuses: "9" is such a
  // message.
  CHECK_FALSE(keeps_the_rule([](const PublicKey& key, ByteView message, const Signature& s) {
    return Ed25519().verify(key, message, s) || (message.size() == 1 && message[0] == '9');
  }));
}

TEST_SUITE_END();
