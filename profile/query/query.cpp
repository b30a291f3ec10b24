// SPDX-License-Identifier: MIT
#include "profile/query/query.h"

#include <fmt/core.h>

#include "profile/values/decimal.h"

namespace beckon::profile {

namespace {

constexpr std::size_t min_prefix = 3;

/// Blanks, separators and quotes would end an item early; they need quotation marks around.
bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of(" ,&|\"\\") != std::string_view::npos ||
         std::string_view("=:!~<>").find(text.front()) != std::string_view::npos;
}

std::string quoted_if_needed(std::string_view text) {
  if (!needs_quotes(text)) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string near_text(const Near& near) {
  std::string distance = near.metres % 1000 == 0 ? fmt::format("{}km", near.metres / 1000)
                                                 : fmt::format("{}m", near.metres);
  return fmt::format("near={},{},{}", fixed_text(near.latitude, 6), fixed_text(near.longitude, 6),
                     distance);
}

std::string positive_text(const Schema& schema, const Term& term, std::string_view op) {
  if (term.op == Op::near) return near_text(term.near);
  if (term.op == Op::has) return "has=" + term.attr;
  std::string out = term.attr + std::string(op);
  for (std::size_t i = 0; i < term.items.size(); ++i) {
    if (i > 0) out += ',';
    out += quoted_if_needed(value_text(schema.at(term.slot), term.items[i]));
  }
  return out;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

}  // namespace

bool Term::is_ordinary() const {
  if (negated || op == Op::has) return false;
  if (op != Op::starts) return true;
  for (const Value& item : items) {
    if (code_points(item.text) < min_prefix) return false;
  }
  return true;
}

std::string canonical(const Schema& schema, const Term& term) {
  switch (term.op) {
    case Op::equal:
      return positive_text(schema, term, term.negated ? "!=" : "=");
    case Op::covers:
      return (term.negated ? "!" : "") + positive_text(schema, term, ":=");
    case Op::starts:
      return (term.negated ? "!" : "") + positive_text(schema, term, "~=");
    case Op::has:
    case Op::near:
      return (term.negated ? "!" : "") + positive_text(schema, term, "");
  }
  return {};
}

std::string canonical(const Schema& schema, const Query& query) {
  std::string out;
  for (const Branch& branch : query.branches) {
    if (!out.empty()) out += '|';
    for (std::size_t i = 0; i < branch.size(); ++i) {
      if (i > 0) out += '&';
      out += canonical(schema, branch[i]);
    }
  }
  return out;
}

}  // namespace beckon::profile
