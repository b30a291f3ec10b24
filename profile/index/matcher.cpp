// SPDX-License-Identifier: MIT
#include "profile/index/matcher.h"

#include <algorithm>

#include "profile/index/elements.h"

namespace beckon::profile {

using filters::Kind;
using filters::Modulus;

namespace {

const Modulus base_modulus(base_bits);

std::vector<std::uint16_t> narrow(const std::vector<std::uint32_t>& positions) {
  std::vector<std::uint16_t> out(positions.size());
  std::transform(positions.begin(), positions.end(), out.begin(),
                 [](std::uint32_t p) { return static_cast<std::uint16_t>(p); });
  return out;
}

/// Of a number's test: as a point first, as most people say a number and not a range.
std::vector<std::pair<Kind, filters::GroupRow>> group_rows(const Schema& schema,
                                                           const LayoutClass& layout,
                                                           const Clause& clause,
                                                           const NumberTest& number) {
  NumberElement element{.seed = number.seed, .slot = clause.slot, .lo = number.lo, .hi = number.hi};
  std::vector<std::pair<Kind, filters::GroupRow>> out;
  bool covers = clause.relation == Relation::covers;
  for (Kind kind : {Kind::point, Kind::range}) {
    if (kind == Kind::point && covers && number.lo != number.hi) continue;
    out.emplace_back(kind, group_row(schema, layout, element, kind));
  }
  return out;
}

/// Whether all positions are set, or those of one window.
template <class Row, class IsSet>
bool some_window(const Row& row, const IsSet& is_set) {
  std::size_t size = row.positions.size();
  if (row.whole) {
    for (std::size_t i = 0; i < size; ++i) {
      if (!is_set(i)) return false;
    }
    return true;
  }
  // A zero spoils every window that holds it; the next one worth a look begins after it.
  for (std::size_t start = 0; start + row.k <= size;) {
    std::size_t i = start;
    while (i < start + row.k && is_set(i)) ++i;
    if (i == start + row.k) return true;
    start = (i / row.s + 1) * row.s;
  }
  return false;
}

}  // namespace

Matcher::Matcher(const Schema& schema, Predicates predicates)
    : schema_(schema), predicates_(std::move(predicates)) {
  for (const Clause& clause : predicates_) {
    (clause.absent ? absent_ : present_) |= std::uint32_t{1} << clause.slot;
  }
}

void Matcher::add_rows(const LayoutClass& layout, const Clause& clause, const Test& test,
                       AnyRow& out) const {
  if (const auto* text = std::get_if<TextTest>(&test)) {
    std::vector<std::uint32_t> positions(layout.k);
    filters::positions(text->seed, base_modulus, positions);
    out.rows.push_back({narrow(positions), layout.k, layout.k, false});
    return;
  }
  for (const auto& [kind, row] : group_rows(schema_, layout, clause, std::get<NumberTest>(test))) {
    std::vector<std::uint32_t> positions(row.length());
    row.positions(0, base_modulus, positions);
    bool whole = clause.relation == Relation::covers && kind == Kind::range;
    out.rows.push_back({narrow(positions), row.k, row.s, whole});
  }
}

/// None if the clause cannot be decided by filters of this class, so passes always.
std::optional<std::size_t> Matcher::positions_of(const LayoutClass& layout,
                                                 const Clause& clause) const {
  if (clause.any.empty() || !schema_.knows(clause.slot)) return std::nullopt;
  std::size_t sum = 0;
  for (const Test& test : clause.any) {
    const auto* number = std::get_if<NumberTest>(&test);
    if (number == nullptr) {
      sum += layout.k;
      continue;
    }
    for (const auto& [kind, row] : group_rows(schema_, layout, clause, *number)) {
      if (row.more >= max_groups) return std::nullopt;
      sum += row.length();
    }
  }
  return sum;
}

Matcher::Compiled Matcher::compile(const LayoutClass& layout) const {
  std::vector<std::pair<std::size_t, const Clause*>> quickest;
  for (const Clause& clause : predicates_) {
    if (auto size = positions_of(layout, clause)) quickest.emplace_back(*size, &clause);
  }
  std::ranges::stable_sort(quickest, {}, &std::pair<std::size_t, const Clause*>::first);
  Compiled out;
  std::size_t sum = 0;
  for (const auto& [size, clause] : quickest) {
    sum += size;
    if (sum > max_positions) break;
    AnyRow& any = out.emplace_back(AnyRow{.slot = clause->slot});
    for (const Test& test : clause->any) add_rows(layout, *clause, test, any);
    work_ += size;
  }
  return out;
}

bool Matcher::passes(const Row& row, const Modulus& modulus,
                     const filters::BitArray& filter) const {
  std::uint64_t looked = 0;
  auto is_set = [&](std::size_t i) {
    ++looked;
    return filter.test(modulus.of(row.positions[i]));
  };
  bool passed = some_window(row, is_set);
  work_ += looked;
  return passed;
}

bool Matcher::may_match(const FilterView& record) const {
  if ((record.presence & present_) != present_ || (record.presence & absent_) != 0) return false;
  if (record.layout == Schema::unknown_class) return true;
  auto& compiled = compiled_[record.layout];
  if (!compiled) compiled = compile(schema_.classes()[record.layout]);
  Modulus modulus(static_cast<std::uint32_t>(record.filter.size()));
  return std::all_of(compiled->begin(), compiled->end(), [&](const AnyRow& any) {
    if ((record.open >> any.slot & 1) != 0) return true;
    return std::any_of(any.rows.begin(), any.rows.end(),
                       [&](const Row& row) { return passes(row, modulus, record.filter); });
  });
}

bool Matcher::may_match(const Record& record) const {
  return !record.withdrawn && may_match(FilterView{schema_.class_named(record.layout),
                                                   record.presence, record.open, record.filter});
}

}  // namespace beckon::profile
