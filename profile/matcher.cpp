#include "profile/matcher.h"

#include <algorithm>

#include "profile/elements.h"

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

}  // namespace

Matcher::Matcher(const Schema& schema, Predicates predicates)
    : schema_(schema), predicates_(std::move(predicates)) {
  for (const Clause& clause : predicates_) {
    (clause.absent ? absent_ : present_) |= std::uint32_t{1} << clause.slot;
  }
}

/// False if the test cannot be decided by filters of this class, so passes always.
bool Matcher::add_rows(const LayoutClass& layout, const Clause& clause, const Test& test,
                       AnyRow& out) const {
  if (const auto* text = std::get_if<TextTest>(&test)) {
    std::vector<std::uint32_t> positions(layout.k);
    filters::positions(text->seed, base_modulus, positions);
    out.rows.push_back({narrow(positions), layout.k, layout.k, false});
    return true;
  }
  const auto& number = std::get<NumberTest>(test);
  NumberElement element{.seed = number.seed, .slot = clause.slot, .lo = number.lo, .hi = number.hi};
  bool covers = clause.relation == Relation::covers;
  for (Kind kind : {Kind::point, Kind::range}) {  // most people say a number, not a range
    if (kind == Kind::point && covers && number.lo != number.hi) continue;
    filters::GroupRow row = group_row(schema_, layout, element, kind);
    if (row.more >= max_groups) return false;
    std::vector<std::uint32_t> positions(row.length());
    row.positions(0, base_modulus, positions);
    out.rows.push_back({narrow(positions), row.k, row.s, covers && kind == Kind::range});
  }
  return true;
}

Matcher::Compiled Matcher::compile(const LayoutClass& layout) const {
  Compiled out;
  for (const Clause& clause : predicates_) {
    AnyRow any{.slot = clause.slot};
    bool decided = !clause.any.empty();
    bool known = clause.slot == Schema::user_slot || clause.slot < schema_.attributes().size();
    for (const Test& test : clause.any)
      decided = decided && known && add_rows(layout, clause, test, any);
    if (decided) out.push_back(std::move(any));
  }
  auto work = [](const AnyRow& any) {
    std::size_t sum = 0;
    for (const Row& row : any.rows) sum += row.positions.size();
    return sum;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const AnyRow& a, const AnyRow& b) { return work(a) < work(b); });
  return out;
}

bool Matcher::passes(const Row& row, const Modulus& modulus, const filters::BitArray& filter) {
  auto is_set = [&](std::size_t i) { return filter.test(modulus.of(row.positions[i])); };
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

bool Matcher::may_match(const FilterView& record) const {
  ENSURE(record.layout < schema_.classes().size());
  if ((record.presence & present_) != present_ || (record.presence & absent_) != 0) return false;
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
  return !record.withdrawn &&
         may_match(FilterView{record.layout, record.presence, record.open, record.filter});
}

}  // namespace beckon::profile
