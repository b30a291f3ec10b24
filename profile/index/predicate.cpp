// SPDX-License-Identifier: MIT
#include "profile/index/predicate.h"

#include <algorithm>

#include "filters/go/go_filter.h"
#include "profile/index/elements.h"

namespace beckon::profile {

using filters::Kind;

namespace {

enum class Tag : std::uint8_t { text = 1, number = 2 };
enum Flags : std::uint8_t { flag_absent = 1, flag_covers = 2 };
constexpr std::uint8_t known_flags = flag_absent | flag_covers;

NumberTest number_test(const Salt& salt, const NumberSpace& space, const Interval& piece) {
  return {filters::attribute_seed(salt, space.name), space.offset(piece.lo),
          space.offset(piece.hi)};
}

/// Tests of one item, of which one suffices if the relation is overlap and all are needed if it is
/// to cover.
std::vector<Test> tests_of(const Salt& salt, const Attribute& attribute, const std::string& name,
                           const Value& item) {
  if (!item.number) return {TextTest{filters::text_seed(salt, name, item.text)}};
  std::vector<Test> out;
  NumberSpace space = number_space(attribute, name, item);
  for (const Interval& piece : pieces(attribute, *item.number))
    out.emplace_back(number_test(salt, space, piece));
  return out;
}

void add_presence(Predicates& out, const Salt& salt, const Term& term) {
  Clause clause{.slot = term.slot, .absent = term.negated};
  if (term.slot == Schema::user_slot) {
    if (term.negated) return;  // the bit is shared with other x-... attributes
    clause.any = {TextTest{user_attribute_seed(salt, term.attr)}};
  }
  out.push_back(std::move(clause));
}

void add_near(Predicates& out, const Schema& schema, const Salt& salt, const Near& near) {
  auto add = [&](std::uint8_t slot, const Interval& box) {
    const Attribute& axis = schema.at(slot);
    out.push_back({.slot = slot, .any = tests_of(salt, axis, axis.name, {.number = box})});
  };
  add(*schema.latitude(), near.latitudes);
  add(*schema.longitude(), near.longitudes);
}

void add_term(Predicates& out, const Schema& schema, const Salt& salt, const Term& term) {
  const Attribute& attribute = schema.at(term.slot);
  if (term.op == Op::covers) {
    for (const Value& item : term.items) {
      for (Test& test : tests_of(salt, attribute, term.attr, item)) {
        out.push_back({.slot = term.slot, .relation = Relation::covers, .any = {std::move(test)}});
      }
    }
    return;
  }
  Clause clause{.slot = term.slot};
  for (const Value& item : term.items) {
    for (Test& test : tests_of(salt, attribute, term.attr, item))
      clause.any.push_back(std::move(test));
  }
  out.push_back(std::move(clause));
}

void encode_test(ByteWriter& out, const Test& test) {
  if (const auto* text = std::get_if<TextTest>(&test)) {
    out.u8(static_cast<std::uint8_t>(Tag::text));
    out.u64(text->seed.high);
    out.u64(text->seed.low);
    return;
  }
  const auto& number = std::get<NumberTest>(test);
  out.u8(static_cast<std::uint8_t>(Tag::number));
  out.u64(static_cast<std::uint64_t>(number.seed));
  out.u64(number.lo);
  out.u64(number.hi);
}

Test decode_test(ByteReader& in) {
  std::uint8_t tag = in.u8();
  if (tag == static_cast<std::uint8_t>(Tag::text)) {
    std::uint64_t high = in.u64();
    return TextTest{{.low = in.u64(), .high = high}};
  }
  if (tag != static_cast<std::uint8_t>(Tag::number)) in.fail("kind of test, not known here");
  NumberTest number{.seed = filters::AttributeSeed{in.u64()}};
  number.lo = in.u64();
  number.hi = in.u64();
  if (number.lo > number.hi) in.fail();
  return number;
}

bool too_wide(const filters::GroupRow& row) { return row.more >= max_groups; }

bool passes(const Schema& schema, const LayoutClass& layout, const Clause& clause, const Test& test,
            const filters::BitArray& filter) {
  if (const auto* text = std::get_if<TextTest>(&test))
    return may_contain_text(filter, layout.k, text->seed);
  const auto& number = std::get<NumberTest>(test);
  NumberElement element{.seed = number.seed, .slot = clause.slot, .lo = number.lo, .hi = number.hi};
  filters::GroupRow range = group_row(schema, layout, element, Kind::range);
  filters::GroupRow point = group_row(schema, layout, element, Kind::point);
  if (clause.relation == Relation::covers) {
    if (too_wide(range) || row_covered(filter, range, base_bits)) return true;
    return number.lo == number.hi && row_overlaps(filter, point);  // a point covers itself only
  }
  return too_wide(range) || too_wide(point) || row_overlaps(filter, range) ||
         row_overlaps(filter, point);
}

}  // namespace

Predicates blind(const Schema& schema, const Salt& salt, const Branch& branch) {
  Predicates out;
  for (const Term& term : branch) {
    if (term.op == Op::has || (term.op == Op::starts && !term.negated)) {
      add_presence(out, salt, term);
    } else if (term.negated) {
      continue;
    } else if (term.op == Op::near) {
      add_near(out, schema, salt, term.near);
    } else {
      add_term(out, schema, salt, term);
    }
  }
  return out;
}

Bytes encode(const Predicates& predicates) {
  ENSURE(predicates.size() <= max_clauses);  // as those of every query are: see QueryBuilder
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(predicates.size()));
  for (const Clause& clause : predicates) {
    out.u8(clause.slot);
    out.u8(static_cast<std::uint8_t>((clause.absent ? flag_absent : 0) |
                                     (clause.relation == Relation::covers ? flag_covers : 0)));
    out.u8(static_cast<std::uint8_t>(clause.any.size()));
    for (const Test& test : clause.any) encode_test(out, test);
  }
  return out.take();
}

Result<Predicates> decode_predicates(ByteView bytes) {
  ByteReader in(bytes);
  Predicates out;
  std::size_t clauses = in.u8();
  std::size_t tests = 0;
  if (clauses > max_clauses) return invalid("predicates: too many clauses");
  for (std::size_t i = 0; i < clauses && in.ok(); ++i) {
    Clause clause{.slot = in.u8()};
    std::uint8_t flags = in.u8();
    clause.absent = (flags & flag_absent) != 0;
    clause.relation = (flags & flag_covers) != 0 ? Relation::covers : Relation::overlaps;
    std::size_t count = in.u8();
    tests += count;
    if (const char* unknown = unknown_critical(flags, known_flags)) in.fail(unknown);
    bool plain = count == 0 && clause.relation == Relation::overlaps;
    bool good = clause.slot < Schema::slot_count && (!clause.absent || plain);
    if (!good || tests > max_tests) in.fail();
    for (std::size_t j = 0; j < count && in.ok(); ++j) clause.any.push_back(decode_test(in));
    out.push_back(std::move(clause));
  }
  if (auto end = in.finish("predicates"); !end) return end.error();
  return out;
}

bool may_match(const Schema& schema, const Predicates& predicates, const FilterView& record) {
  auto has = [](std::uint32_t map, const Clause& clause) { return (map >> clause.slot & 1) != 0; };
  for (const Clause& clause : predicates) {
    if (has(record.presence, clause) == clause.absent) return false;
  }
  if (record.layout == Schema::unknown_class) return true;
  const LayoutClass& layout = schema.classes()[record.layout];
  return std::all_of(predicates.begin(), predicates.end(), [&](const Clause& clause) {
    if (clause.any.empty() || !schema.knows(clause.slot) || has(record.open, clause)) return true;
    return std::any_of(clause.any.begin(), clause.any.end(), [&](const Test& test) {
      return passes(schema, layout, clause, test, record.filter);
    });
  });
}

}  // namespace beckon::profile
