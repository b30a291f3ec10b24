// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "profile/person/value.h"

namespace beckon::profile {

/// equal: some value is an item, or overlaps one.   age=20..30
/// covers: every item is covered by some value.     hours:=9..17
/// starts: some value starts with an item.          name~=al
/// has: there is a value.                           has=sip
/// near: within a distance of a place.              near=25.05,121.53,5km
enum class Op : std::uint8_t { equal, covers, starts, has, near };

/// A circle on the ellipsoid, and the box of latitudes and longitudes around it.
struct Near {
  std::int64_t latitude{};   // millionths of a degree
  std::int64_t longitude{};  // millionths of a degree
  std::int64_t metres{};
  Interval latitudes{};   // in units of the schema's attribute, as is the next
  Interval longitudes{};  // wraps where the box crosses 180 degrees
  friend auto operator<=>(const Near&, const Near&) = default;
};

/// One condition. A negated one holds whenever the plain one does not, so also for profiles that
/// lack the attribute.
struct Term {
  std::string attr{};  // empty for near
  std::uint8_t slot{};
  Op op = Op::equal;
  bool negated = false;
  std::vector<Value> items{};  // sorted, no two equal
  Near near{};                 // of Op::near only

  /// Can lead to keys, or at least tells people apart well enough to scan everybody for it.
  bool is_ordinary() const;
  friend bool operator==(const Term&, const Term&) = default;
};

/// All of these must hold.
using Branch = std::vector<Term>;

/// A question about profiles: any branch may hold. The friendly form makes one branch; OR and NOT
/// of an LDAP filter are rewritten to at most max_branches. Always canonical: items, terms and
/// branches are sorted and none occurs twice. Every branch has an ordinary term, and its blind form
/// keeps to the limits of predicates.
struct Query {
  static constexpr std::size_t max_text = 4096;  // as written, and in the canonical spelling
  static constexpr std::size_t max_terms = 32;   // of one branch
  static constexpr std::size_t max_items = 64;   // of one branch
  static constexpr std::size_t max_branches = 16;

  std::vector<Branch> branches{};
  friend bool operator==(const Query&, const Query&) = default;
};

/// The one spelling of a query: what --explain prints, a group's address, a URL's query.
/// `age=20..30&hobby=chess`; branches are joined with "|".
std::string canonical(const Schema& schema, const Query& query);
std::string canonical(const Schema& schema, const Term& term);

}  // namespace beckon::profile
