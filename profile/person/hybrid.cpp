// SPDX-License-Identifier: MIT
#include "profile/person/hybrid.h"

#include <charconv>

#include "profile/values/text_fold.h"

namespace beckon::profile {

namespace {

constexpr std::size_t max_digits = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Run {
  std::size_t begin{};
  std::size_t end{};
  bool empty() const { return begin == end; }
};

/// The last run of digits that ends at or before `before`.
Run last_run(std::string_view text, std::size_t before) {
  std::size_t end = before;
  while (end > 0 && !is_digit(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return {begin, end};
}

Result<std::int64_t> number_of(std::string_view text, Run run) {
  while (run.end - run.begin > 1 && text[run.begin] == '0') ++run.begin;
  if (run.end - run.begin > max_digits) return invalid("the number part has more than 9 digits");
  std::int64_t value = 0;
  std::from_chars(text.data() + run.begin, text.data() + run.end, value);
  return value;
}

Value with_template(std::string_view folded, Run cut, std::optional<Interval> number) {
  while (cut.begin > 0 && folded[cut.begin - 1] == '[' && cut.end < folded.size() &&
         folded[cut.end] == ']') {
    --cut.begin;
    ++cut.end;
  }
  std::string text(folded.substr(0, cut.begin));
  text += '#';
  text += folded.substr(cut.end);
  return {.text = std::move(text), .number = number};
}

}  // namespace

Result<Value> parse_hybrid(std::string_view text, Side side) {
  auto folded = fold_text(text);
  if (!folded) return folded.error();
  std::string_view all = *folded;
  if (all.find('#') != std::string_view::npos) return invalid("'#' cannot be part of this value");
  std::size_t star = all.find('*');
  if (star != std::string_view::npos) {
    if (side == Side::publish) return invalid("'*' cannot be part of this value");
    if (all.find('*', star + 1) != std::string_view::npos)
      return invalid("'*' may stand once, for the number");
    return with_template(all, {star, star + 1}, std::nullopt);
  }
  Run last = last_run(all, all.size());
  if (last.empty()) return Value{.text = *folded};
  auto hi = number_of(all, last);
  if (!hi) return hi.error();
  bool dots =
      last.begin >= 3 && all.substr(last.begin - 2, 2) == ".." && is_digit(all[last.begin - 3]);
  if (!dots) return with_template(all, last, Interval{*hi, *hi});
  Run first = last_run(all, last.begin - 2);
  auto lo = number_of(all, first);
  if (!lo) return lo.error();
  if (*lo > *hi) return invalid("the range ends before it starts");
  return with_template(all, {first.begin, last.end}, Interval{*lo, *hi});
}

std::string hybrid_text(const Value& value) {
  std::string out = value.text;
  std::size_t hole = out.find('#');
  if (hole == std::string::npos) return out;
  std::string number = "*";
  if (value.number) {
    number = std::to_string(value.number->lo);
    if (!value.number->is_point()) number += ".." + std::to_string(value.number->hi);
  }
  return out.replace(hole, 1, number);
}

}  // namespace beckon::profile
