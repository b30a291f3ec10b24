// SPDX-License-Identifier: MIT
#include "filters/go/go_codec.h"

#include <doctest/doctest.h>

#include "tests/filters/go/go_world.h"

using namespace beckon;
using namespace beckon::filters;
using namespace beckon::filters::testing;

TEST_SUITE_BEGIN("filters/codec");

namespace {

GoFilter sample() {
  Bytes salt{'s', 'a', 'l', 't'};
  GoAttribute age{.name = "age",
                  .seed = attribute_seed(salt, "age"),
                  .scope = {-5, 120},
                  .range = {.d = 2, .s = 3}};
  auto layout = GoLayout::create({.bits = 192, .k = 5, .attributes = {age}});
  REQUIRE(layout);
  auto shared = std::make_shared<const GoLayout>(*layout);
  GoFilter filter(shared);
  filter.insert_text(text_seed(salt, "hobby", "chess"));
  REQUIRE(filter.insert_range(shared->attributes()[0], 20, 30));
  REQUIRE(filter.insert_point(shared->attributes()[0], -5));
  return filter.fold(96);
}

}  // namespace

TEST_CASE("an encoded filter has these bytes for ever") {
  std::string expected =
      "424b474f01"                            // magic, version
      "000000c0050001"                        // base length, k, attributes
      "03616765e4807fba42d352fe"              // name, seed
      "fffffffffffffffb000000000000007805"    // scope, k
      "000000000000000203000000000000000105"  // (d, s) of ranges, of points
      "000000608c04081ae44d04000c033040"      // length, bits
      "a1f0cc19049be0d3";                     // checksum
  CHECK(to_hex(encode(sample())) == expected);
}

TEST_CASE("filters of random layouts come back equal") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    World world = random_world(rng);
    Bytes bytes = encode(world.filter);
    auto back = decode_go_filter(bytes);
    REQUIRE(back);
    CHECK(*back == world.filter);
    CHECK(encode(*back) == bytes);
  }
}

TEST_CASE("every shorter prefix, every longer text and every flipped bit is refused") {
  Bytes bytes = encode(sample());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    CAPTURE(n);
    CHECK_FALSE(decode_go_filter(ByteView(bytes).first(n)));
  }
  Bytes longer = bytes;
  longer.push_back(0);
  CHECK_FALSE(decode_go_filter(longer));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    CAPTURE(bit);
    Bytes damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    CHECK_FALSE(decode_go_filter(damaged));
  }
}

TEST_CASE("a right checksum does not save wrong contents") {
  Bytes bytes = encode(sample());
  auto refusal = [&bytes](std::size_t at, std::uint8_t value) {
    Bytes changed = bytes;
    changed[at] = value;
    ByteView covered = ByteView(changed).first(changed.size() - 8);
    ByteWriter out;
    out.raw(covered);
    out.u64(xxh3_64(covered));
    auto filter = decode_go_filter(out.bytes());
    return filter ? "" : filter.error().text;
  };
  CHECK(refusal(9, 5) == "");  // k, unchanged
  CHECK(refusal(0, 'X') == "not an encoded filter: it does not begin with BKGO");
  CHECK(refusal(4, 2) == "the encoded filter has version 2, this program reads version 1");
  CHECK(refusal(9, 0) == "k of the layout must be 1..64, got 0");
  CHECK_FALSE(refusal(8, 7).empty());   // base length that 96 does not divide
  CHECK_FALSE(refusal(10, 9).empty());  // more attributes than there are
  CHECK_FALSE(refusal(12, 0xff).empty());
}

TEST_SUITE_END();
