// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/language/query_problem.h"

namespace beckon::profile {

/// A piece of the query's text and where it stood.
struct Written {
  std::string text{};
  std::size_t offset{};
  std::size_t size{};
};

/// What becomes of a term about an attribute that the schema lacks: a problem, or a term without a
/// value.
enum class Unknown : std::uint8_t { refused, absent };

/// What both query languages share: from names and items to terms, from terms to a canonical query,
/// with the limits and the rule that every branch needs an ordinary term. Collects problems.
class QueryBuilder {
 public:
  explicit QueryBuilder(const Schema& schema, Unknown unknown = Unknown::refused)
      : schema_(schema), unknown_(unknown) {}

  /// A term of attr op items. An attribute "near" or "has" with "=" is the special term.
  std::optional<Term> term(const Written& attr, Op op, bool negated,
                           const std::vector<Written>& items);
  void problem(const Written& where, std::string text);
  void problem(std::size_t offset, std::size_t size, std::string text);
  bool failed() const { return !problems_.empty(); }

  /// `whole` is what to point at when a branch as such is wrong.
  QueryReading finish(std::vector<Branch> branches, const Written& whole);

 private:
  struct Made {
    Term term{};
    Written where{};
  };

  std::optional<Term> make_term(const Written& attr, Op op, bool negated,
                                const std::vector<Written>& items);
  std::optional<Term> near_term(bool negated, const Written& attr,
                                const std::vector<Written>& items);
  std::optional<Term> has_term(bool negated, const std::vector<Written>& items);
  std::optional<Value> item(const Term& term, const Written& written);
  void check(const Branch& branch, const Written& whole);
  void check_size(const Branch& branch, const Written& whole);
  const Written& place_of(const Term& term, const Written& whole) const;

  const Schema& schema_;
  Unknown unknown_;
  std::vector<Made> made_;
  std::vector<Problem> problems_;
};

}  // namespace beckon::profile
