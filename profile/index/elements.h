// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "filters/bits/bit_array.h"
#include "filters/go/go_layout.h"
#include "profile/index/keys.h"
#include "profile/person/profile.h"

namespace beckon::profile {

/// A number as filters see it: what its space is called, and offsets from the scope's start.
struct NumberElement {
  filters::AttributeSeed seed{};
  std::uint8_t slot{};
  std::uint64_t lo{};
  std::uint64_t hi{};
  bool point = false;  // published as a single value
  double scope = 1;    // how many values there could be
};

/// Everything of a profile that goes into its record: the presence map and hashed values.
/// Attributes that are private are not in it.
struct Elements {
  std::uint32_t presence{};
  std::uint32_t text_slots{};  // those among them that hold texts
  std::vector<Hash128> texts{};
  std::vector<NumberElement> numbers{};
};

Elements elements(const Schema& schema, const Salt& salt, const Profile& profile);

/// The lengths a record's filter may have: the divisors of the longest that are worth it.
inline constexpr std::uint32_t base_bits = 1536;
inline constexpr std::array<std::uint16_t, 9> filter_lengths{64,  96,  128, 192, 256,
                                                             384, 512, 768, 1536};

/// The slots whose numbers are too wide for filters of a class: with more positions than
/// max_positions they would fill the filter and spoil all else, so they stay out of it and
/// questions about them pass.
std::uint32_t open_slots(const Schema& schema, const Elements& elements, const LayoutClass& layout);
inline constexpr std::uint64_t max_positions = 256;

/// The filter of one layout class, hashed into `bits` bits. Equal to the fold of a longer one.
filters::BitArray make_filter(const Schema& schema, const Elements& elements,
                              const LayoutClass& layout, std::uint32_t bits = base_bits);

/// Where a number's groups lie in filters of a class.
filters::GroupRow group_row(const Schema& schema, const LayoutClass& layout,
                            const NumberElement& number, filters::Kind kind);

/// The sum of the false positive rates of the profile's attributes, open ones left out, by the
/// model, in a filter of which the share `fill` is ones.
double total_fpr(const Schema& schema, const Elements& elements, const LayoutClass& layout,
                 double fill);

struct FilterChoice {
  std::uint8_t layout{};
  std::uint32_t open{};
  filters::BitArray filter{};
  double fpr = 1;
};

/// Among the classes that leave the fewest slots open: the shortest filter whose total rate is at
/// most `target` (of those the best), else the best of all.
FilterChoice choose_filter(const Schema& schema, const Elements& elements, double target);

/// What has=x-... tests: that the attribute is there at all, which no presence bit can tell.
Hash128 user_attribute_seed(const Salt& salt, std::string_view name);

}  // namespace beckon::profile
