// SPDX-License-Identifier: MIT
// Flags of `beckon filter design` to a request; every refusal names its flag.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "cli/commands/filter/filter_design.h"
#include "cli/render/numbers.h"

namespace beckon::cli {

namespace {

using namespace filters;

constexpr Whole any_value{std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()};

/// NAME:LO..HI:WIDTH[:WEIGHT]
Result<void> read_attribute(const std::string& spec, DesignRequest& request) {
  std::string flag = fmt::format("--attr {}", spec);
  auto [name, after_name] = cut(spec, ':');
  auto [scope_text, after_scope] = cut(after_name, ':');
  auto [width_text, weight_text] = cut(after_scope, ':');
  if (name.empty() || scope_text.empty() || width_text.empty()) {
    return invalid(fmt::format("{}: must be written NAME:LO..HI:WIDTH[:WEIGHT]", flag));
  }
  auto same = [&, n = name](const DesignRequest::Attribute& a) { return a.name == n; };
  if (std::any_of(request.attributes.begin(), request.attributes.end(), same)) {
    return invalid(fmt::format("{}: the name '{}' is used twice", flag, name));
  }
  auto scope = read_span(flag + ": the scope", scope_text, any_value, Span::range_only);
  if (!scope) return scope.error();
  double values = static_cast<double>(scope->high) - static_cast<double>(scope->low) + 1;
  if (values > design_limits::max_scope) {
    return invalid(fmt::format("{}: the scope must hold at most 2^53 values", flag));
  }
  auto width = read_whole(flag + ": the width", width_text, {1, static_cast<std::int64_t>(values)});
  if (!width) return width.error();
  RangeLoad range{{values, static_cast<double>(*width)}};
  if (!weight_text.empty() || spec.back() == ':') {
    auto weight = read_weight(flag + ": the weight", weight_text);
    if (!weight) return weight.error();
    range.weight = *weight;
  }
  request.attributes.push_back({std::string(name), scope->low, scope->high});
  request.load.ranges.push_back(range);
  return {};
}

/// NAME:WIDTH
Result<void> read_query(const std::string& spec, DesignRequest& request) {
  std::string flag = fmt::format("--query {}", spec);
  auto [name, width_text] = cut(spec, ':');
  for (std::size_t i = 0; i < request.attributes.size(); ++i) {
    if (request.attributes[i].name != name) continue;
    RangeLoad& range = request.load.ranges[i];
    if (range.query != 1) return invalid(fmt::format("{}: '{}' has a query already", flag, name));
    auto most = static_cast<std::int64_t>(range.size.scope);
    auto width = read_whole(flag + ": the width", width_text, {1, most});
    if (!width) return width.error();
    range.query = static_cast<double>(*width);
    return {};
  }
  return invalid(fmt::format("{}: no --attr is named '{}'", flag, name));
}

Result<void> read_text(const std::string& spec, Load& load) {
  auto [count_text, weight_text] = cut(spec, ':');
  auto count = read_whole("--text", count_text, {0, design_limits::max_texts});
  if (!count) return count.error();
  TextLoad text{static_cast<int>(*count), 1};
  if (!weight_text.empty() || spec.back() == ':') {
    auto weight = read_weight("--text: the weight", weight_text);
    if (!weight) return weight.error();
    text.weight = *weight;
  }
  load.texts.push_back(text);
  return {};
}

Result<void> read_method(const std::string& name, DesignRequest& request) {
  request.method = name;
  if (name == "two-phase") request.options.method = Method::two_phase;
  if (name == "thesis") request.options.method = Method::thesis;
  for (const char* known : {"best", "two-phase", "thesis", "hybrid"}) {
    if (name == known) return {};
  }
  return invalid(fmt::format("--method must be best, two-phase, thesis or hybrid, got '{}'", name));
}

}  // namespace

Result<DesignRequest> read_design(const DesignArgs& args) {
  DesignRequest request;
  auto bits = read_whole("--bits", args.bits, {design_limits::min_bits, design_limits::max_bits});
  if (!bits) return bits.error();
  request.options.bits = static_cast<int>(*bits);
  if (!args.k.empty()) {
    auto k = read_span("--k", args.k, {1, design_limits::max_k}, Span::single_too);
    if (!k) return k.error();
    request.options.k_low = static_cast<int>(k->low);
    request.options.k_high = static_cast<int>(k->high);
  }
  if (auto ok = read_method(args.method, request); !ok) return ok.error();
  if (args.attributes.size() >= design_limits::max_attributes) {
    return invalid(
        fmt::format("--attr may be given {} times at most", design_limits::max_attributes - 1));
  }
  for (const std::string& spec : args.attributes) {
    if (auto ok = read_attribute(spec, request); !ok) return ok.error();
  }
  for (const std::string& spec : args.queries) {
    if (auto ok = read_query(spec, request); !ok) return ok.error();
  }
  if (!args.text.empty()) {
    if (auto ok = read_text(args.text, request.load); !ok) return ok.error();
  }
  int texts = request.load.texts.empty() ? 0 : request.load.texts[0].count;
  if (texts == 0 && request.attributes.empty()) {
    return invalid("nothing to design for: give --attr or --text");
  }
  bool weighs = texts > 0 && request.load.texts[0].weight > 0;
  for (const RangeLoad& range : request.load.ranges) weighs = weighs || range.weight > 0;
  if (!weighs)
    return invalid("--attr, --text: all weights are 0, so no design is better than another");
  // A single k must hold for all; a k per attribute is for free ranges of k.
  request.options.own_k = request.options.k_low != request.options.k_high;
  return request;
}

}  // namespace beckon::cli
