// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "profile/index/predicate.h"
#include "profile/index/record.h"

namespace beckon::profile {

/// May_match prepared for many records: hashes once for each layout class, then only looks at bits,
/// what decides quickest first. Says the same as may_match for every record, but leaves the dearest
/// clauses of a question beyond all measure to the owners: it looks at no more than max_positions
/// bits of a record. Keeps a reference to the schema. One question's matcher; not for several
/// threads.
class Matcher {
 public:
  static constexpr std::size_t max_positions = 65'536;

  Matcher(const Schema& schema, Predicates predicates);

  bool may_match(const FilterView& record) const;
  bool may_match(const Record& record) const;   // a withdrawn one never does
  std::uint64_t work() const { return work_; }  // positions hashed and bits looked at, so far

 private:
  /// Windows of k positions at every multiple of s; one must be set, or all positions at once.
  struct Row {
    std::vector<std::uint16_t> positions{};  // modulo base_bits
    std::uint32_t k = 1;
    std::uint32_t s = 1;
    bool whole = false;
  };
  struct AnyRow {  // one of them must pass, unless the record leaves the slot open
    std::uint8_t slot{};
    std::vector<Row> rows{};
  };
  using Compiled = std::vector<AnyRow>;  // each must

  Compiled compile(const LayoutClass& layout) const;
  std::optional<std::size_t> positions_of(const LayoutClass& layout, const Clause& clause) const;
  void add_rows(const LayoutClass& layout, const Clause& clause, const Test& test,
                AnyRow& out) const;
  bool passes(const Row& row, const filters::Modulus& modulus,
              const filters::BitArray& filter) const;

  const Schema& schema_;
  Predicates predicates_;
  std::uint32_t present_ = 0;
  std::uint32_t absent_ = 0;
  mutable std::array<std::optional<Compiled>, Schema::max_classes>
      compiled_{};  // filled on first use
  mutable std::uint64_t work_ = 0;
};

}  // namespace beckon::profile
