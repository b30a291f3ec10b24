// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "filters/bits/bit_array.h"
#include "filters/bits/positions.h"
#include "profile/index/keys.h"
#include "profile/query/query.h"

namespace beckon::profile {

/// A text by its hash alone.
struct TextTest {
  Hash128 seed{};
  friend bool operator==(const TextTest&, const TextTest&) = default;
};

/// A range by the hash of its attribute's name and offsets from the scope's start.
struct NumberTest {
  filters::AttributeSeed seed{};
  std::uint64_t lo{};
  std::uint64_t hi{};
  friend bool operator==(const NumberTest&, const NumberTest&) = default;
};

using Test = std::variant<TextTest, NumberTest>;

/// What an index node learns of a term: the attribute's bit in the presence map, and hashes. It
/// never sees names or texts. Holds for a record if the bit is set (not set, for `absent`) and,
/// where there are tests, one of them passes.
struct Clause {
  std::uint8_t slot{};
  bool absent = false;
  Relation relation = Relation::overlaps;  // of number tests
  std::vector<Test> any{};
  friend bool operator==(const Clause&, const Clause&) = default;
};

/// All of these must hold.
using Predicates = std::vector<Clause>;

inline constexpr std::size_t max_clauses = 160;
inline constexpr std::size_t max_tests = 256;  // in all
inline constexpr std::uint64_t max_groups =
    256;  // a wider question is not tested: nearly all would pass

/// The blind form of a branch. What no filter can decide is left out and so goes to the owner:
/// negated terms (a filter can prove absence, never presence, and dropping its "maybe" would lose
/// right answers), and how a text starts.
Predicates blind(const Schema& schema, const Salt& salt, const Branch& branch);

Bytes encode(const Predicates& predicates);
Result<Predicates> decode_predicates(ByteView bytes);
struct PredicatesCodec {
  static constexpr const char* name = "predicates";
  static Bytes encode(const Predicates& predicates) { return profile::encode(predicates); }
  static Result<Predicates> decode(ByteView bytes) { return decode_predicates(bytes); }
};

/// What a record says of its profile.
struct FilterView {
  std::uint8_t layout{};     // a class by its index, or Schema::unknown_class
  std::uint32_t presence{};  // perhaps with slots that the schema does not have
  std::uint32_t open{};      // slots whose numbers are not in the filter
  const filters::BitArray& filter;
};

/// Whether the record may belong to a profile that the branch holds for. Never false when it does:
/// of a class or slot that only later schemas have, presence is tested and nothing else.
/// Plain and slow; Matcher says the same for many records.
bool may_match(const Schema& schema, const Predicates& predicates, const FilterView& record);

}  // namespace beckon::profile
