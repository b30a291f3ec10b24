// SPDX-License-Identifier: MIT
// How quick is the GO filter of a whole profile, from prehashed seeds?
#include <array>
#include <memory>

#include "base/rng.h"
#include "bench/harness.h"
#include "filters/go/go_filter.h"

using namespace beckon;
using namespace beckon::bench;
using namespace beckon::filters;

namespace {

/// 24 attributes in 512 bits: k = 15 fills half of it.
bool profile_contest() {
  constexpr std::size_t profiles = 1000;
  constexpr std::size_t elements = 24;
  Rng rng(24);
  std::vector<GoAttribute> attributes;
  for (std::uint64_t i = 0; i < 4; ++i) {
    attributes.push_back(
        {.seed = AttributeSeed{rng.next()}, .scope = {0, 5000}, .range = {.d = 5, .s = 1}});
  }
  auto made = GoLayout::create({.bits = 512, .k = 15, .attributes = attributes});
  auto layout = std::make_shared<const GoLayout>(*made);
  std::vector<Hash128> seeds(profiles * elements);
  for (Hash128& seed : seeds) seed = {rng.next(), rng.next()};
  auto of_profile = [&](std::size_t i) { return std::span(seeds).subspan(i * elements, elements); };

  Contest build("GO filter of one profile: 24 prehashed elements, m = 512, k = 15", profiles);
  build.add("ours, a new filter each", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      GoFilter filter(layout);
      filter.insert_texts(of_profile(i));
      keep(filter);
    }
  });
  build.add("ours, bits only", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      std::array<std::uint64_t, 8> bits{};
      set_positions(of_profile(i), 15, Modulus(512), bits);
      keep(bits);
    }
  });
  build.add("position by position", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      GoFilter filter(layout);
      for (const Hash128& seed : of_profile(i)) filter.insert_text(seed);
      keep(filter);
    }
  });
  build.add("20 elements, 4 ranges of 20 groups", [&] {
    for (std::size_t i = 0; i < profiles; ++i) {
      GoFilter filter(layout);
      filter.insert_texts(of_profile(i).first(20));
      for (const GoAttribute& attribute : layout->attributes()) {
        keep(filter.insert_range(attribute, 1000, 1099).has_value());
      }
      keep(filter);
    }
  });
  build.run();
  build.print();
  return promise("ns per profile", build.timing(0).median, "<=", 180);
}

}  // namespace

int main() { return profile_contest() ? 0 : 1; }
