// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <doctest/doctest.h>

using namespace beckon;

TEST_SUITE_BEGIN("base/hash");

TEST_CASE("SHA-256 gives the published digest of \"abc\", whole or in pieces") {
  // FIPS 180-2, appendix B.1
  const char* expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  CHECK(to_hex(sha256(as_bytes("abc"))) == expected);
  CHECK(to_hex(sha256({as_bytes("a"), as_bytes(""), as_bytes("bc")})) == expected);
}

TEST_CASE("XXH3 of nothing is the published value, and the seed matters") {
  // xxHash sanity values for length 0, seed 0
  CHECK(xxh3_64({}) == 0x2d06800538d394c2);
  CHECK(xxh3_128({}) == Hash128{.low = 0x6001c324468d497f, .high = 0x99aa06d3014798d8});
  CHECK(xxh3_64(as_bytes("x"), 1) != xxh3_64(as_bytes("x"), 2));
}

TEST_SUITE_END();
