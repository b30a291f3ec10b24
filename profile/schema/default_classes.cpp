// SPDX-License-Identifier: MIT
#include "profile/schema/default_classes.h"

#include <algorithm>
#include <cmath>

namespace beckon::profile {

namespace {

/// A typical query should touch no more groups than this, however narrow the published ranges are.
constexpr std::uint64_t max_groups_of_query = 128;

}  // namespace

SlotLayout default_shape(const Attribute& a, std::uint8_t k) {
  if (!a.is_numeric()) return {};
  double scope = static_cast<double>(a.max) - static_cast<double>(a.min) + 1;
  if (a.type == Type::ip) scope = 4294967296.0;
  double product = scope * static_cast<double>(std::max<std::uint64_t>(a.published_width, 2));
  double group = std::round(std::sqrt(product / 3 * std::exp2(-(k + 1))));
  double fresh = std::round(k + 1 - std::log2(product));
  auto least = (a.queried_width + max_groups_of_query - 1) / max_groups_of_query;
  return {std::max<std::uint64_t>(least, group < 1 ? 1 : static_cast<std::uint64_t>(group)),
          static_cast<std::uint8_t>(std::clamp(fresh, 1.0, static_cast<double>(k)))};
}

std::vector<LayoutClass> default_classes() {
  return {LayoutClass{.k = 8}, LayoutClass{.k = 12}, LayoutClass{.k = 16}, LayoutClass{.k = 24}};
}

}  // namespace beckon::profile
