// SPDX-License-Identifier: MIT
#include "profile/language/query_text.h"

#include <fmt/core.h>

#include "base/bytes.h"
#include "base/text.h"
#include "profile/language/ldap_filter.h"
#include "profile/language/query_builder.h"

namespace beckon::profile {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_item(char c) { return is_blank(c) || c == '&' || c == '|' || c == ','; }
bool is_operator(char c) {
  return c == '=' || c == ':' || c == '!' || c == '~' || c == '<' || c == '>';
}

/// Something that an attribute with an order may be compared with; empty if it has none.
std::string_view example_of(const Schema& schema, std::string_view attr) {
  std::string name(attr);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  auto slot = schema.slot(name);
  switch (slot ? schema.at(*slot).type : Type::integer) {
    case Type::integer:
    case Type::decimal:
    case Type::any:
      return "20";
    case Type::date:
      return "2008-07";
    case Type::text:
    case Type::hybrid:
    case Type::ip:
      break;
  }
  return "";
}

std::string unknown_operator(const Schema& schema, std::string_view op, std::string_view attr) {
  std::string name = printable(attr, 40);
  std::string_view example = example_of(schema, attr);
  bool least = op == ">=" || op == ">" || op == "=>";
  bool most = op == "<=" || op == "<" || op == "=<";
  if ((least || most) && example.empty())
    return fmt::format("{} is not a number or a date; there are = != ~=, as {}=VALUE", name, name);
  if (least) return fmt::format("at least {0} is written {1}={0}..", example, name);
  if (most) return fmt::format("at most {0} is written {1}=..{0}", example, name);
  return fmt::format("no operator \"{}\"; there are = := != ~=", printable(op, 10));
}

/// One pass over the text. After a problem it goes on at the next separator, to tell all at once.
class Reader {
 public:
  Reader(const Schema& schema, std::string_view text, Unknown unknown)
      : builder_(schema, unknown), schema_(schema), text_(text) {}

  QueryReading read() {
    std::vector<Branch> branches(1);
    for (skip_separators(); at_ < text_.size(); skip_separators()) {
      std::size_t before = at_;
      if (text_[at_] == '|') {
        ++at_;
        branches.emplace_back();
      } else if (auto term = read_term()) {
        branches.back().push_back(std::move(*term));
      }
      if (at_ == before) ++at_;  // a comma where a term should begin; that was told
    }
    for (const Branch& branch : branches) {
      if (branch.empty() && !builder_.failed())
        builder_.problem(0, text_.size(), "a term is missing, as hobby=chess");
    }
    return builder_.finish(std::move(branches), {"", 0, text_.size()});
  }

 private:
  void skip_separators() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '&')) ++at_;
  }
  template <typename Test>
  Written take(Test test) {
    std::size_t begin = at_;
    while (at_ < text_.size() && test(text_[at_])) ++at_;
    return {std::string(text_.substr(begin, at_ - begin)), begin, at_ - begin};
  }

  std::optional<Term> read_term() {
    bool negated = text_[at_] == '!';
    if (negated) ++at_;
    Written attr = take([](char c) { return !ends_item(c) && !is_operator(c); });
    Written op = take(is_operator);
    std::vector<Written> items;
    bool complete = !op.text.empty() && read_items(items);
    if (attr.text.empty() || op.text.empty()) {
      std::string near =
          attr.text.empty()
              ? "an attribute is missing here, as in hobby=chess"
              : fmt::format("\"{}\" is no term; write attribute=value, as hobby=chess",
                            printable(attr.text, 40));
      builder_.problem(attr.offset, std::max<std::size_t>(1, at_ - attr.offset), near);
      return std::nullopt;
    }
    if (!complete) return std::nullopt;
    if (op.text == "=") return builder_.term(attr, Op::equal, negated, items);
    if (op.text == "!=") return builder_.term(attr, Op::equal, !negated, items);
    if (op.text == ":=") return builder_.term(attr, Op::covers, negated, items);
    if (op.text == "~=") return builder_.term(attr, Op::starts, negated, items);
    builder_.problem(op, unknown_operator(schema_, op.text, attr.text));
    return std::nullopt;
  }

  /// False if an item is wrong in itself; that was told.
  bool read_items(std::vector<Written>& items) {
    while (true) {
      auto item = read_item();
      if (!item) return false;
      items.push_back(std::move(*item));
      if (at_ == text_.size() || text_[at_] != ',') return true;
      ++at_;
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;  // "chess, go"
    }
  }

  std::optional<Written> read_item() {
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    Written item = take([](char c) { return !ends_item(c); });
    if (!item.text.empty()) return item;
    builder_.problem(item.offset == 0 ? 0 : item.offset - 1, 1,
                     "a value is missing here; write it without blanks, as age=20..30");
    return std::nullopt;
  }

  std::optional<Written> read_quoted() {
    Written item{"", at_, 0};
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      item.text += text_[at_];
    }
    if (at_ == text_.size()) {
      builder_.problem(item.offset, at_ - item.offset, "the quotation mark is not closed");
      return std::nullopt;
    }
    ++at_;
    item.size = at_ - item.offset;
    if (at_ == text_.size() || ends_item(text_[at_])) return item;
    builder_.problem(at_, 1, "after a quotation mark comes a comma, a blank or the end");
    take([](char c) { return !ends_item(c); });
    return std::nullopt;
  }

  QueryBuilder builder_;
  const Schema& schema_;
  std::string_view text_;
  std::size_t at_ = 0;
};

QueryReading read(const Schema& schema, std::string_view text, Unknown unknown) {
  if (text.size() > Query::max_text) {
    return {.problems = {{Query::max_text, 1,
                          fmt::format("the query has {} bytes, at most {} are allowed", text.size(),
                                      Query::max_text)}}};
  }
  if (!is_utf8(text)) return {.problems = {{0, 1, "the query is not valid UTF-8"}}};
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return {.problems = {{0, 1, "the query is empty; write attribute=value, as hobby=chess"}}};
  if (text[first] == '(') return read_ldap_filter(schema, text);
  return Reader(schema, text, unknown).read();
}

Result<Query> parse(const Schema& schema, std::string_view text, Unknown unknown) {
  QueryReading reading = read(schema, text, unknown);
  if (reading.query) return std::move(*reading.query);
  return invalid("cannot read the query\n" + picture(text, reading.problems));
}

}  // namespace

QueryReading read_query(const Schema& schema, std::string_view text) {
  return read(schema, text, Unknown::refused);
}

Result<Query> parse_query(const Schema& schema, std::string_view text) {
  return parse(schema, text, Unknown::refused);
}

Result<Query> parse_question(const Schema& schema, std::string_view text) {
  return parse(schema, text, Unknown::absent);
}

}  // namespace beckon::profile
