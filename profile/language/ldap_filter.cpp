// SPDX-License-Identifier: MIT
#include "profile/language/ldap_filter.h"

#include <fmt/core.h>

#include <array>

#include "profile/language/query_builder.h"

namespace beckon::profile {

namespace {

constexpr int max_depth = 16;

/// The filter as written.
struct Node {
  enum class Kind { all, any, no, term };
  Kind kind = Kind::term;
  std::vector<Node> children{};
  Term term{};
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> aliases{
    {{"cn", "name"},
     {"sn", "last_name"},
     {"l", "city"},
     {"o", "org"},
     {"uid", "nickname"},
     {"telephonenumber", "phone"}}};

std::string without_alias(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const auto& [alias, real] : aliases) {
    if (name == alias) return std::string(real);
  }
  return name;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Reader {
 public:
  Reader(const Schema& schema, std::string_view text)
      : builder_(schema), schema_(schema), text_(text) {}

  QueryReading read() {
    auto node = filter(0);
    skip_blanks();
    if (node && at_ < text_.size())
      builder_.problem(at_, text_.size() - at_, "the filter has ended before this");
    std::vector<Branch> branches;
    if (node && !builder_.failed()) branches = spread(*node, false);
    if (!node && !builder_.failed())
      builder_.problem(at_, 1, "the filter cannot be read from here");
    return builder_.finish(std::move(branches), {"", 0, text_.size()});
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool expect(char c) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == c) return ++at_, true;
    builder_.problem(at_, 1, fmt::format("'{}' is missing here", c));
    return false;
  }
  std::optional<Node> stop(std::size_t offset, std::string why) {
    builder_.problem(offset, std::max<std::size_t>(1, at_ - offset), std::move(why));
    return std::nullopt;
  }

  std::optional<Node> filter(int depth) {
    if (depth > max_depth) return stop(at_, fmt::format("nested deeper than {} levels", max_depth));
    if (!expect('(')) return std::nullopt;
    skip_blanks();
    char kind = at_ < text_.size() ? text_[at_] : '\0';
    std::optional<Node> node =
        kind == '&' || kind == '|' || kind == '!' ? list(kind, depth) : item();
    if (!node || !expect(')')) return std::nullopt;
    return node;
  }

  std::optional<Node> list(char kind, int depth) {
    std::size_t start = at_++;
    Node node{.kind = kind == '&'   ? Node::Kind::all
                      : kind == '|' ? Node::Kind::any
                                    : Node::Kind::no};
    for (skip_blanks(); at_ < text_.size() && text_[at_] == '('; skip_blanks()) {
      auto child = filter(depth + 1);
      if (!child) return std::nullopt;
      node.children.push_back(std::move(*child));
    }
    if (node.children.empty()) return stop(start, "a filter is missing after this");
    if (kind == '!' && node.children.size() > 1) return stop(start, "! takes one filter");
    return node;
  }

  /// The value up to ")", escapes read; `star` tells where an unescaped * stood.
  std::optional<Written> value(std::optional<std::size_t>& star, std::size_t& stars) {
    Written out{"", at_, 0};
    for (; at_ < text_.size() && text_[at_] != ')'; ++at_) {
      char c = text_[at_];
      if (c == '(') return stop(at_, "a parenthesis in a value is written \\28"), std::nullopt;
      if (c == '*') {
        ++stars;
        star = out.text.size();
      }
      if (c == '\\') {
        int high = at_ + 2 < text_.size() ? hex_digit(text_[at_ + 1]) : -1;
        int low = at_ + 2 < text_.size() ? hex_digit(text_[at_ + 2]) : -1;
        if (high < 0 || low < 0)
          return stop(at_, "after \\ come two hex digits, as \\2a for *"), std::nullopt;
        c = static_cast<char>(high * 16 + low);
        at_ += 2;
      }
      out.text += c;
    }
    out.size = at_ - out.offset;
    return out;
  }

  std::optional<Node> item() {
    std::size_t start = at_;
    while (at_ < text_.size() &&
           std::string_view("=~<>:()").find(text_[at_]) == std::string_view::npos)
      ++at_;
    Written attr{without_alias(std::string(text_.substr(start, at_ - start))), start, at_ - start};
    if (attr.text.empty()) return stop(start, "an attribute is missing here, as in (hobby=chess)");
    std::string op;
    while (at_ < text_.size() &&
           std::string_view("=~<>:").find(text_[at_]) != std::string_view::npos && op.size() < 2 &&
           (op.empty() || op.back() != '=')) {
      op += text_[at_++];
    }
    std::optional<std::size_t> star;
    std::size_t stars = 0;
    auto written = value(star, stars);
    if (!written) return std::nullopt;
    if (written->text.empty()) return stop(start, "a value is missing, as in (hobby=chess)");
    if (op == "=" && written->text == "*" && stars == 1)
      return made(builder_.term(attr, Op::has, false, {}));
    return compared(attr, op, *written, star, stars);
  }

  std::optional<Node> compared(const Written& attr, const std::string& op, Written written,
                               std::optional<std::size_t> star, std::size_t stars) {
    auto slot = schema_.slot(attr.text);
    bool hybrid = slot && schema_.at(*slot).type == Type::hybrid;
    if (op == "=" && stars > 0 && !hybrid) {
      if (stars > 1 || *star + 1 != written.text.size()) {
        return stop(written.offset, "only the start of a text can be asked for: (name=al*)");
      }
      written.text.pop_back();
      return made(builder_.term(attr, Op::starts, false, {written}));
    }
    if (op == ":=") return made(builder_.term(attr, Op::covers, false, {written}));
    if (op == "~=") return made(builder_.term(attr, Op::starts, false, {written}));
    if (op == "=") return made(builder_.term(attr, Op::equal, false, {written}));
    if (op == ">=" || op == "<=") return bound(attr, op, written);
    return stop(attr.offset, "this comparison is not known; there are = ~= >= <= := and =*");
  }

  std::optional<Node> bound(const Written& attr, const std::string& op, Written written) {
    auto slot = schema_.slot(attr.text);
    Type type = slot ? schema_.at(*slot).type : Type::integer;
    bool ordered =
        type == Type::integer || type == Type::decimal || type == Type::date || type == Type::any;
    if (!ordered || written.text.find("..") != std::string::npos) {
      return stop(attr.offset, fmt::format("{} compares numbers and dates", op));
    }
    written.text = op == ">=" ? written.text + ".." : ".." + written.text;
    return made(builder_.term(attr, Op::equal, false, {written}));
  }

  static std::optional<Node> made(std::optional<Term> term) {
    if (!term) return std::nullopt;
    return Node{.term = std::move(*term)};
  }

  /// The disjunctive form of the node or of its negation. Stops growing at the limits; then a
  /// problem is told and the result is not used.
  std::vector<Branch> spread(const Node& node, bool negated) {
    if (node.kind == Node::Kind::no) return spread(node.children[0], !negated);
    if (node.kind == Node::Kind::term) {
      Term term = node.term;
      term.negated = term.negated != negated;
      return {{std::move(term)}};
    }
    bool any = (node.kind == Node::Kind::any) != negated;
    std::vector<Branch> out(any ? 0 : 1);
    for (const Node& child : node.children) {
      std::vector<Branch> parts = spread(child, negated);
      if (builder_.failed()) return {};
      out = any ? joined(std::move(out), parts) : product(out, parts);
    }
    return out;
  }

  std::vector<Branch> joined(std::vector<Branch> out, const std::vector<Branch>& parts) {
    out.insert(out.end(), parts.begin(), parts.end());
    check_size(out.size());
    return out;
  }

  std::vector<Branch> product(const std::vector<Branch>& left, const std::vector<Branch>& right) {
    if (!check_size(left.size() * right.size())) return {};
    std::vector<Branch> out;
    for (const Branch& a : left) {
      for (const Branch& b : right) {
        out.push_back(a);
        out.back().insert(out.back().end(), b.begin(), b.end());
      }
    }
    return out;
  }

  bool check_size(std::size_t branches) {
    if (branches <= Query::max_branches) return true;
    builder_.problem(
        0, text_.size(),
        fmt::format("as an OR of simple parts this filter has more than {}; ask for less at once",
                    Query::max_branches));
    return false;
  }

  QueryBuilder builder_;
  const Schema& schema_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

QueryReading read_ldap_filter(const Schema& schema, std::string_view text) {
  return Reader(schema, text).read();
}

}  // namespace beckon::profile
