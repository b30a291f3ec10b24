// SPDX-License-Identifier: MIT
#include "base/bech32m.h"

#include <doctest/doctest.h>

#include "base/rng.h"

using namespace beckon;

TEST_SUITE_BEGIN("base/bech32m");

TEST_CASE("a published example reads as its values 31 down to 0 and is written the same") {
  // BIP 350, valid strings: abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx
  const std::string text = "l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx";
  Bytes wanted;
  std::uint32_t bits = 0;
  for (std::uint32_t value = 32, count = 0; value-- > 0;) {
    bits = (bits << 5 | value) & 0xffff;
    for (count += 5; count >= 8; count -= 8)
      wanted.push_back(static_cast<std::uint8_t>(bits >> (count - 8) & 0xff));
  }
  auto read = from_bech32m("abcdef", text);
  REQUIRE(read.has_value());
  CHECK(*read == wanted);
  CHECK(to_bech32m("abcdef", wanted) == text);
}

TEST_CASE("bytes of every length come back, in capitals too") {
  Rng rng(7);
  for (std::size_t size = 0; size < 50; ++size) {
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.between(0, 255));
    std::string text = to_bech32m("beckon", bytes);
    CHECK(*from_bech32m("beckon", text) == bytes);
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    CHECK(*from_bech32m("beckon", text) == bytes);
    CHECK_FALSE(from_bech32m("reckon", text).has_value());
  }
}

TEST_CASE("up to four wrong characters, swaps and lost characters are noticed") {
  const std::string alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  Rng rng(8);
  const std::string good = to_bech32m("beckon", Bytes(37, 0x5a));
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    auto errors = rng.between(1, 4);
    for (int i = 0; i < errors; ++i)
      text[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(text.size()) - 1))] =
          alphabet[static_cast<std::size_t>(rng.between(0, 31))];
    CHECK(from_bech32m("beckon", text).has_value() == (text == good));
  }
  for (std::size_t i = 0; i + 1 < good.size(); ++i) {
    std::string swapped = good;
    std::swap(swapped[i], swapped[i + 1]);
    CHECK(from_bech32m("beckon", swapped).has_value() == (swapped == good));
    CHECK_FALSE(from_bech32m("beckon", good.substr(0, i)).has_value());
    CHECK_FALSE(from_bech32m("beckon", std::string(good).erase(i, 1)).has_value());
  }
  for (const char* text : {"", "q", "qqqqq", "b", "1", "\n", "qqqqqqqqqqqqqqqq"})
    CHECK_FALSE(from_bech32m("beckon", text).has_value());
}

TEST_SUITE_END();
