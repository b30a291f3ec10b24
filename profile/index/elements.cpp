// SPDX-License-Identifier: MIT
#include "profile/index/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filters/bits/positions.h"
#include "filters/go/go_model.h"

namespace beckon::profile {

using filters::BitArray;
using filters::GroupRow;
using filters::Kind;

namespace {

std::uint32_t bit(std::uint8_t slot) { return std::uint32_t{1} << slot; }

/// Numbers without a scope of their own are held against those with as many digits.
double digits_scope(const Interval& v) {
  double largest =
      std::max(std::abs(static_cast<double>(v.lo)), std::abs(static_cast<double>(v.hi)));
  double scope = 100;
  while (scope <= largest) scope *= 10;
  return scope;
}

void add_number(Elements& out, const Salt& salt, const NumberSpace& space, std::uint8_t slot,
                const Value& value, const Attribute& attribute) {
  double scope = static_cast<double>(space.last()) + 1;
  if (attribute.type == Type::hybrid || attribute.type == Type::any)
    scope = digits_scope(*value.number);
  NumberElement element{.seed = filters::attribute_seed(salt, space.name),
                        .slot = slot,
                        .point = value.number->is_point(),
                        .scope = scope};
  for (const Interval& piece : pieces(attribute, *value.number)) {
    element.lo = space.offset(piece.lo);
    element.hi = space.offset(piece.hi);
    out.numbers.push_back(element);
  }
}

Kind kind_of(const NumberElement& number) { return number.point ? Kind::point : Kind::range; }

bool is_open(std::uint32_t open, const NumberElement& number) {
  return (open >> number.slot & 1) != 0;
}

}  // namespace

Hash128 user_attribute_seed(const Salt& salt, std::string_view name) {
  return filters::text_seed(salt, name, "");
}

Elements elements(const Schema& schema, const Salt& salt, const Profile& profile) {
  Elements out;
  for (const auto& [name, all] : profile.attributes()) {
    std::uint8_t slot = *schema.slot(name);
    const Attribute& attribute = schema.at(slot);
    auto values = profile.searchable(schema, name);
    if (values.empty()) continue;
    out.presence |= bit(slot);
    if (slot == Schema::user_slot) out.texts.push_back(user_attribute_seed(salt, name));
    for (const Value& value : values) {
      if (!value.text.empty() && attribute.type != Type::ip) {
        out.texts.push_back(filters::text_seed(salt, name, value.text));
        out.text_slots |= bit(slot);
      }
      if (value.number)
        add_number(out, salt, number_space(attribute, name, value), slot, value, attribute);
    }
  }
  return out;
}

GroupRow group_row(const Schema& schema, const LayoutClass& layout, const NumberElement& number,
                   Kind kind) {
  const SlotLayout& slot = layout.slots[number.slot];
  std::uint64_t group = kind == Kind::point ? schema.at(number.slot).point_group : slot.group;
  std::uint64_t first = number.lo / group;
  return {.seed = number.seed,
          .kind = kind,
          .first = first,
          .more = number.hi / group - first,
          .k = layout.k,
          .s = kind == Kind::point ? layout.k : slot.fresh};
}

std::uint32_t open_slots(const Schema& schema, const Elements& elements,
                         const LayoutClass& layout) {
  std::uint32_t open = 0;
  for (const NumberElement& number : elements.numbers) {
    if (group_row(schema, layout, number, kind_of(number)).length() > max_positions)
      open |= bit(number.slot);
  }
  return open;
}

BitArray make_filter(const Schema& schema, const Elements& elements, const LayoutClass& layout,
                     std::uint32_t bits) {
  BitArray filter(bits);
  filters::Modulus m(bits);
  std::vector<std::uint32_t> positions(layout.k);
  for (const Hash128& seed : elements.texts) {
    filters::positions(seed, m, positions);
    for (std::uint32_t position : positions) filter.set(position);
  }
  std::uint32_t open = open_slots(schema, elements, layout);
  for (const NumberElement& number : elements.numbers) {
    if (is_open(open, number)) continue;
    GroupRow row = group_row(schema, layout, number, kind_of(number));
    positions.resize(row.length());
    row.positions(0, m, positions);
    for (std::uint32_t position : positions) filter.set(position);
  }
  return filter;
}

double total_fpr(const Schema& schema, const Elements& elements, const LayoutClass& layout,
                 double fill) {
  filters::Fill q = filters::fill_from(fill);
  double chance = filters::text_fpr(q, layout.k);  // that all k bits of a stranger are set
  double total = chance * std::popcount(elements.text_slots);
  std::uint32_t open = open_slots(schema, elements, layout);
  for (const NumberElement& number : elements.numbers) {
    if (is_open(open, number)) continue;
    const SlotLayout& slot = layout.slots[number.slot];
    auto group =
        static_cast<std::int64_t>(number.point ? schema.at(number.slot).point_group : slot.group);
    filters::Shape shape{layout.k, group, number.point ? layout.k : slot.fresh};
    filters::RangeSize size{number.scope, static_cast<double>(number.hi - number.lo) + 1};
    total += filters::go_fpr(size, shape, q) + chance;  // a question tests the other key space too
  }
  return total;
}

FilterChoice choose_filter(const Schema& schema, const Elements& elements, double target) {
  struct Candidate {
    std::uint8_t layout{};
    std::uint32_t open{};
    BitArray base{};
  };
  std::vector<Candidate> candidates;
  int fewest = Schema::slot_count;
  for (std::size_t i = 0; i < schema.classes().size(); ++i) {
    std::uint32_t open = open_slots(schema, elements, schema.classes()[i]);
    fewest = std::min(fewest, std::popcount(open));
    candidates.push_back(
        {static_cast<std::uint8_t>(i), open, make_filter(schema, elements, schema.classes()[i])});
  }
  std::erase_if(candidates, [&](const Candidate& c) { return std::popcount(c.open) > fewest; });
  FilterChoice best;
  for (std::uint16_t length : filter_lengths) {
    for (const Candidate& candidate : candidates) {
      BitArray folded = candidate.base.fold(length);
      double fill = static_cast<double>(folded.count()) / length;
      double fpr = total_fpr(schema, elements, schema.classes()[candidate.layout], fill);
      bool first = best.filter.size() == 0;
      if (first || fpr < best.fpr)
        best = {candidate.layout, candidate.open, std::move(folded), fpr};
    }
    if (best.fpr <= target) break;
  }
  return best;
}

}  // namespace beckon::profile
