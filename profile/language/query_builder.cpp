// SPDX-License-Identifier: MIT
#include "profile/language/query_builder.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "profile/index/predicate.h"
#include "profile/person/profile.h"
#include "profile/query/geo.h"
#include "profile/values/text_fold.h"

namespace beckon::profile {

namespace {

constexpr std::size_t max_problems = 8;  // told at once

std::string lower(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// Sorts and drops what occurs twice, by canonical spelling.
template <typename T, typename Spell>
void make_canonical(std::vector<T>& list, Spell spell) {
  std::sort(list.begin(), list.end(), [&](const T& a, const T& b) { return spell(a) < spell(b); });
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// A term that holds for nobody, or for everybody if it is negated.
Term without_value(std::string name, bool negated) {
  return {.attr = std::move(name), .slot = Schema::user_slot, .op = Op::has, .negated = negated};
}

}  // namespace

void QueryBuilder::problem(const Written& where, std::string text) {
  problem(where.offset, where.size, std::move(text));
}

void QueryBuilder::problem(std::size_t offset, std::size_t size, std::string text) {
  if (problems_.size() < max_problems) problems_.push_back({offset, size, std::move(text)});
}

std::optional<Term> QueryBuilder::near_term(bool negated, const Written& attr,
                                            const std::vector<Written>& items) {
  if (!schema_.longitude() && unknown_ == Unknown::absent) return without_value("near", negated);
  std::string text;
  for (const Written& item : items) text += (text.empty() ? "" : ",") + item.text;
  auto near = parse_near(schema_, text);
  if (near) return Term{.op = Op::near, .negated = negated, .near = *near};
  problem(attr.offset, items.back().offset + items.back().size - attr.offset, near.error().text);
  return std::nullopt;
}

std::optional<Term> QueryBuilder::has_term(bool negated, const std::vector<Written>& items) {
  if (items.size() != 1) {
    problem(items[1], "has= takes one attribute; write has=a has=b");
    return std::nullopt;
  }
  std::string name = lower(items[0].text);
  auto slot = schema_.slot(name);
  if (slot) return Term{.attr = name, .slot = *slot, .op = Op::has, .negated = negated};
  if (unknown_ == Unknown::absent) return without_value(name, negated);
  problem(items[0], unknown_attribute(schema_, name).text);
  return std::nullopt;
}

std::optional<Value> QueryBuilder::item(const Term& term, const Written& written) {
  const Attribute& attribute = schema_.at(term.slot);
  if (term.op == Op::starts) {
    auto folded = fold_text(written.text);
    if (folded) return Value{.text = *folded};
    problem(written, folded.error().text);
    return std::nullopt;
  }
  auto value = parse_value(attribute, written.text, Side::query);
  if (value) return *value;
  problem(written, value.error().text);
  return std::nullopt;
}

std::optional<Term> QueryBuilder::term(const Written& attr, Op op, bool negated,
                                       const std::vector<Written>& items) {
  auto term = make_term(attr, op, negated, items);
  if (!term) return std::nullopt;
  const Written& last = items.empty() ? attr : items.back();
  made_.push_back({*term, {"", attr.offset, last.offset + last.size - attr.offset}});
  return term;
}

std::optional<Term> QueryBuilder::make_term(const Written& attr, Op op, bool negated,
                                            const std::vector<Written>& items) {
  std::string name = lower(attr.text);
  if ((name == "near" || name == "has") && op != Op::equal) {
    problem(attr, fmt::format("{} is written with =", name));
    return std::nullopt;
  }
  if (name == "near") return near_term(negated, attr, items);
  if (name == "has") return has_term(negated, items);
  auto slot = schema_.slot(name);
  if (!slot && unknown_ == Unknown::absent) return without_value(name, negated);
  Term term{.attr = name, .slot = slot.value_or(0), .op = op, .negated = negated};
  if (!slot) problem(attr, unknown_attribute(schema_, name).text);
  if (op == Op::has && slot) return term;
  Type type = schema_.at(term.slot).type;
  bool has_text = type == Type::text || type == Type::hybrid || type == Type::any;
  if (slot && op == Op::starts && !has_text)
    problem(attr, fmt::format("~= compares texts; {} is no text", name));
  for (const Written& written : items) {
    if (!slot) break;
    if (auto value = item(term, written)) term.items.push_back(std::move(*value));
  }
  if (!slot || term.items.size() != items.size()) return std::nullopt;
  std::sort(term.items.begin(), term.items.end());
  term.items.erase(std::unique(term.items.begin(), term.items.end()), term.items.end());
  return term;
}

/// Where a term stood. A filter's NOT may have turned it round since.
const Written& QueryBuilder::place_of(const Term& term, const Written& whole) const {
  for (const Made& made : made_) {
    Term as_written = term;
    as_written.negated = made.term.negated;
    if (as_written == made.term) return made.where;
  }
  return whole;
}

/// The sizes grow from term to term; the one that goes too far is pointed at. What an index node
/// is sent can be more than what is written: near= and a range that wraps are two conditions each.
void QueryBuilder::check_size(const Branch& branch, const Written& whole) {
  std::size_t items = 0;
  std::size_t clauses = 0;
  std::size_t tests = 0;
  for (std::size_t i = 0; i < branch.size(); ++i) {
    const Written& where = place_of(branch[i], whole);
    items += branch[i].items.size();
    for (const Clause& clause : blind(schema_, Salt{}, {branch[i]})) {
      ++clauses;
      tests += clause.any.size();
    }
    if (i >= Query::max_terms)
      return problem(where, fmt::format("more than {} terms; leave some out", Query::max_terms));
    if (items > Query::max_items) {
      return problem(where,
                     fmt::format("more than {} items; ask for fewer at once", Query::max_items));
    }
    if (clauses > max_clauses || tests > max_tests) {
      return problem(where, fmt::format("too much at once, with what stands before: {} conditions "
                                        "at most, near= and a range that wraps make two each",
                                        max_clauses));
    }
  }
}

void QueryBuilder::check(const Branch& branch, const Written& whole) {
  check_size(branch, whole);
  if (unknown_ == Unknown::absent) return;
  if (std::none_of(branch.begin(), branch.end(), [](const Term& t) { return t.is_ordinary(); })) {
    problem(whole,
            "!=, has= and ~= with fewer than three characters need an ordinary term beside them, "
            "as age=20..30");
  }
}

QueryReading QueryBuilder::finish(std::vector<Branch> branches, const Written& whole) {
  if (branches.size() > Query::max_branches) {
    problem(whole, fmt::format("this is an OR of {} parts, at most {} are possible",
                               branches.size(), Query::max_branches));
  }
  if (!failed()) {
    for (const Branch& branch : branches) check(branch, whole);
  }
  if (failed()) return {.problems = std::move(problems_)};
  for (Branch& branch : branches) {
    make_canonical(branch, [&](const Term& t) { return canonical(schema_, t); });
  }
  make_canonical(branches, [&](const Branch& b) { return canonical(schema_, Query{{b}}); });
  Query query{std::move(branches)};
  // Hosts are asked in the canonical spelling and must be able to read it.
  std::size_t size = canonical(schema_, query).size();
  if (size <= Query::max_text) return {.query = std::move(query)};
  problem(whole,
          fmt::format("written out this query has {} bytes, at most {} are possible; ask for "
                      "less at once",
                      size, Query::max_text));
  return {.problems = std::move(problems_)};
}

}  // namespace beckon::profile
