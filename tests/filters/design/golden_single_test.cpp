// SPDX-License-Identifier: MIT
#include "filters/design/go_single.h"
#include "tests/filters/design/golden.h"

using namespace beckon::filters;
using golden::exact;
using golden::Json;
using golden::printed;

namespace {

/// The first width for which `has` holds of the optimum.
template <typename Has>
int first_width(double scope, Scheme scheme, KLimits k, Has has) {
  for (int n = 2; n <= 1200; ++n) {
    if (has(optimise_single(512, {scope, static_cast<double>(n)}, scheme, k))) return n;
  }
  return 0;
}

void check_break_points(double scope, const Json& points) {
  auto d_at_least = [](int d) { return [d](const SingleOptimum& o) { return o.shape.d >= d; }; };
  CHECK(first_width(scope, Scheme::grouping, {}, d_at_least(2)) ==
        points.at("grouping_d2").get<int>());
  CHECK(first_width(scope, Scheme::go, {}, d_at_least(2)) == points.at("go_d2").get<int>());
  CHECK(first_width(scope, Scheme::go, {}, d_at_least(3)) == points.at("go_d3").get<int>());
  auto lone_position = [](const SingleOptimum& o) { return o.shape.s == 1; };
  CHECK(first_width(scope, Scheme::overlapping, {}, lone_position) ==
        points.at("overlapping_s1").get<int>());
  if (!points.contains("traditional_k1")) return;
  CHECK(first_width(scope, Scheme::traditional, {}, lone_position) ==
        points.at("traditional_k1").get<int>());
}

}  // namespace

TEST_SUITE_BEGIN("filters/golden");

TEST_CASE(
    "the report's break points 22, 511, 897 hold for a scope of 100000, not the printed 10000") {
  check_break_points(100000, exact().at("break_points_scope_100000"));
  check_break_points(10000, exact().at("break_points_scope_10000"));
}

TEST_CASE("with k = 10 each scheme holds a rate of 1e-3 up to the published width") {
  const Json& limits = exact().at("thresholds_scope_10000_k10_fpr_1e-3");
  auto rate = [](int n, Scheme scheme) {
    return optimise_single(512, {10000, static_cast<double>(n)}, scheme, {10, 10}).fpr;
  };
  auto last_width = [&](Scheme scheme) {
    int last = 0;
    for (int n = 2; n <= 1200; ++n) last = rate(n, scheme) <= 1e-3 ? n : last;
    return last;
  };
  CHECK(last_width(Scheme::grouping) == limits.at("grouping").get<int>());
  CHECK(last_width(Scheme::overlapping) == limits.at("overlapping").get<int>());
  CHECK(last_width(Scheme::go) == limits.at("go").get<int>());
  int crossing = 2;
  while (rate(crossing, Scheme::overlapping) <= rate(crossing, Scheme::grouping)) ++crossing;
  CHECK(crossing == limits.at("overlapping_passes_grouping").get<int>());
}

TEST_CASE("the thesis' figures have their optima where it says") {
  const Json& figures = exact().at("thesis_figures");
  CHECK(optimise_single(512, {10000, 44}, Scheme::traditional).shape.k ==
        figures.at("fig_2_3_k").get<int>());
  SingleOptimum grouping = optimise_single(512, {1000, 100}, Scheme::grouping, {8, 8});
  CHECK(grouping.shape.d == figures.at("fig_3_8_d").get<int>());
  CHECK(grouping.fpr == printed(figures.at("fig_3_8_f")));
  SingleOptimum overlapping = optimise_single(512, {1000, 40}, Scheme::overlapping, {8, 8});
  CHECK(overlapping.shape.s == figures.at("fig_3_9_s").get<int>());
  CHECK(overlapping.fpr == printed(figures.at("fig_3_9_f")));
  SingleOptimum both = optimise_single(512, {10000, 1000}, Scheme::go, {8, 8});
  CHECK(both.shape == golden::shape(8, figures.at("fig_3_10_d_s")));
  CHECK(both.fpr == printed(figures.at("fig_3_10_f")));
}

TEST_CASE("the thesis' Table 4-1 reproduces, and its 'optimal k' are where a greedy search stops") {
  for (const Json& row : exact().at("thesis_table_4_1")) {
    CAPTURE(row.dump());
    RangeSize size{10000, row.at("n")};
    Shape expected{0, row.at("d"), row.at("s")};
    if (row.contains("k")) {
      expected.k = row.at("k");
      SingleOptimum found = optimise_single(512, size, Scheme::go, {expected.k, expected.k});
      CHECK(found.shape == expected);
      CHECK(found.fpr == printed(row.at("f")));
      CHECK(found.positions == printed(row.at("B")));
      continue;
    }
    // The last column prints k = 18 beside 212.5 bits, which is k = 13.
    expected.k = row.at("greedy_k");
    auto greedy = design({{}, {{size}}}, {.method = Method::thesis});
    REQUIRE(greedy);
    CHECK(greedy->ranges[0] == expected);
    CHECK(greedy->total_fpr == printed(row.at("f")));
    const Json& best = row.at("true_optimum");
    SingleOptimum found = optimise_single(512, size, Scheme::go);
    CHECK(found.shape == Shape{best.at("k"), best.at("d"), best.at("s")});
    CHECK(found.fpr == printed(best.at("f")));
  }
}

TEST_CASE("a curve with two valleys is known, and the lower one is found") {
  double lowest = 1;
  for (const auto& [name, rate] : exact().at("bimodal_m128_R73994_n4933").items()) {
    std::int64_t d = std::stoll(name.substr(2));
    SingleOptimum found = best_k_at(128, {73994, 4933}, 1 - d);
    CHECK(found.fpr == printed(rate));
    lowest = std::min(lowest, found.fpr);
  }
  CHECK(optimise_single(128, {73994, 4933}, Scheme::go).fpr == lowest);
}

TEST_SUITE_END();
