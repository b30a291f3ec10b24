// SPDX-License-Identifier: MIT
#include "base/hpke.h"

#include <doctest/doctest.h>

#include "base/secret_rng.h"

using namespace beckon;

TEST_SUITE_BEGIN("base/hpke");

namespace {

std::array<std::uint8_t, 32> key_of(const char* hex) {
  Bytes bytes = *from_hex(hex);
  return ByteReader(bytes).array<32>();
}

// RFC 9180 appendix A.2.1, sequence number 0
const char* const ephemeral_hex =
    "f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600";
const char* const recipient_hex =
    "8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb";
const char* const sealed_hex =
    "1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a"
    "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28";
const std::string_view info = "Ode on a Grecian Urn";
const std::string_view aad = "Count-0";
const std::string_view plaintext = "Beauty is truth, truth beauty";

}  // namespace

TEST_CASE("sealing gives the bytes of RFC 9180 A.2.1, and opening gives the text back") {
  auto recipient = key_of(recipient_hex);
  CHECK(to_hex(hpke::public_key(recipient)) ==
        "4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a");
  auto sealed = hpke::seal(hpke::public_key(recipient), key_of(ephemeral_hex), as_bytes(info),
                           as_bytes(aad), as_bytes(plaintext));
  REQUIRE(sealed);
  CHECK(to_hex(*sealed) == sealed_hex);
  auto opened = hpke::open(recipient, as_bytes(info), as_bytes(aad), *sealed);
  REQUIRE(opened);
  CHECK(as_text(*opened) == plaintext);
}

TEST_CASE("a flipped bit, another key, other info or other aad opens nothing") {
  auto recipient = key_of(recipient_hex);
  Bytes good = *from_hex(sealed_hex);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    CHECK_FALSE(hpke::open(recipient, as_bytes(info), as_bytes(aad), bad));
  }
  CHECK_FALSE(hpke::open(key_of(ephemeral_hex), as_bytes(info), as_bytes(aad), good));
  CHECK_FALSE(hpke::open(recipient, as_bytes("other"), as_bytes(aad), good));
  CHECK_FALSE(hpke::open(recipient, as_bytes(info), as_bytes("other"), good));
  for (std::size_t n = 0; n < good.size(); ++n)
    CHECK_FALSE(hpke::open(recipient, as_bytes(info), as_bytes(aad), ByteView(good).first(n)));
}

TEST_CASE("a key of small order is refused on both sides") {
  hpke::PublicKey zero{};
  hpke::PublicKey one{1};
  for (const auto& bad : {zero, one}) {
    CHECK_FALSE(hpke::seal(bad, key_of(ephemeral_hex), {}, {}, as_bytes("x")));
    Bytes sealed(bad.begin(), bad.end());
    sealed.resize(64);
    CHECK_FALSE(hpke::open(key_of(recipient_hex), {}, {}, sealed));
  }
}

TEST_CASE("an empty and a long message both come back whole") {
  SecretRng secrets({1});
  auto recipient = secrets.next();
  for (std::size_t size : {0, 1, 65536}) {
    Bytes text(size, 'x');
    auto sealed = hpke::seal(hpke::public_key(recipient), secrets.next(), {}, {}, text);
    REQUIRE(sealed);
    CHECK(sealed->size() == size + hpke::overhead);
    CHECK(*hpke::open(recipient, {}, {}, *sealed) == text);
  }
}

TEST_CASE("drawn secrets differ, repeat from the same entropy and do not reveal each other") {
  SecretRng a({7});
  SecretRng b({7});
  auto first = a.next();
  CHECK(first == b.next());
  CHECK(first != a.next());
  CHECK(SecretRng(first).next() != b.next());
}

TEST_SUITE_END();
