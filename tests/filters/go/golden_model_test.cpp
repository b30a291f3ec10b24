// SPDX-License-Identifier: MIT
#include <cmath>

#include "filters/design/rivals.h"
#include "filters/go/go_model.h"
#include "tests/filters/design/golden.h"

using namespace beckon::filters;
using golden::exact;
using golden::Json;
using golden::printed;

namespace {

Shape shape_of(const Json& row) { return {row.at("k"), row.at("d"), row.at("s")}; }
RangeSize size_of(const Json& row) { return {row.at("R"), row.at("n")}; }

}  // namespace

TEST_SUITE_BEGIN("filters/golden");

TEST_CASE("positions and sharing neighbours are the published ones") {
  for (const Json& row : exact().at("positions_go")) {
    CHECK(go_positions(row.at("n"), shape_of(row)) == printed(row.at("B")));
  }
  for (const Json& row : exact().at("positions_grouping")) {
    CHECK(grouping_positions(row.at("n"), row.at("d"), row.at("k")) == printed(row.at("B")));
  }
  for (const auto& [k_and_s, r] : exact().at("neighbours_of_k_s").items()) {
    auto comma = k_and_s.find(',');
    Shape shape{std::stoi(k_and_s), 1, std::stoi(k_and_s.substr(comma + 1))};
    CHECK(neighbours(shape) == r.get<int>());
  }
}

TEST_CASE("one range alone has the published rates in both fill models") {
  for (const Json& row : exact().at("f_single")) {
    CAPTURE(row.dump());
    double positions = go_positions(row.at("n"), shape_of(row));
    double bits = row.at("m");
    CHECK(positions == printed(row.at("B")));
    CHECK(go_fpr(size_of(row), shape_of(row), fill_of(positions, bits)) ==
          printed(row.at("f_exp")));
    Fill precise = fill_of(positions, bits, FillModel::exact);
    CHECK(go_fpr(size_of(row), shape_of(row), precise) == printed(row.at("f_exact_p")));
  }
}

TEST_CASE("windows at half fill have the published rates") {
  for (const Json& row : exact().at("any_query_at_half_fill")) {
    CAPTURE(row.dump());
    Fill half = fill_from(0.5);
    CHECK(any_fpr(size_of(row), shape_of(row), row.at("w"), half) == printed(row.at("f_any")));
    CHECK(any_far_simple(row.at("w"), shape_of(row), half) == printed(row.at("far_simple")));
  }
  for (const Json& row : exact().at("covers_query_at_half_fill")) {
    CAPTURE(row.dump());
    double rate = covers_fpr(size_of(row), shape_of(row), row.at("w"), fill_from(0.5));
    CHECK(rate == printed(row.at("f_cov")));
  }
}

TEST_CASE("the report's Table 2 reproduces in all eight columns, rates and set bits") {
  const Json& table = exact().at("report_table_2");
  for (const auto& [k_text, column] : table.at("per_k").items()) {
    CAPTURE(k_text);
    int k = std::stoi(k_text);
    Design design{512, {k}, golden::shapes(k, column.at("cfg")), 0};
    Rates rates = rate(golden::table1(), design);
    CHECK(rates.total_fpr == printed(column.at("f_T")));
    CHECK(rates.total_fpr ==
          doctest::Approx(column.at("paper_fT").get<double>()).epsilon(1e-4).scale(0));
    CHECK(rates.positions == printed(column.at("B")));
    CHECK(rates.set_bits == printed(column.at("a1_exact")));
    CHECK(std::lround(rates.set_bits) == column.at("paper_a1").get<long>());
    CHECK(512 * fill_of(rates.positions, 512).set == printed(column.at("a1_exp")));
    CHECK(rates.texts[0].fpr == printed(column.at("f_text")));
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(rates.ranges[i].fpr == printed(column.at("f_i").at(i)));
    }
  }
}

TEST_CASE("explicit end points take the published number of bits") {
  const Json& bits = exact().at("explicit_endpoints").at("bits");
  Load load = golden::table1();
  int sum = 0;
  std::size_t i = 0;
  for (const char* name : {"Age", "Year", "Income", "Longitude", "Latitude"}) {
    CHECK(endpoint_bits(load.ranges[i]) == bits.at(name).get<int>());
    sum += endpoint_bits(load.ranges[i++]);
  }
  CHECK(sum == bits.at("sum").get<int>());
  const Json& ends = exact().at("explicit_endpoints");
  ExplicitRecord smallest = smallest_explicit_record(load, ends.at("smallest_record_target"));
  CHECK(smallest.bits == ends.at("smallest_record_bits").get<int>());
  CHECK(smallest.shifts == std::vector<int>{0, 0, 2, 12, 11});
}

TEST_CASE("the Jensen correction explains the measured rate of a traditional filter") {
  for (const Json& row : golden::tolerance().at("monte_carlo")) {
    if (!row.contains("jensen_corrected")) continue;
    Fill fill = fluctuating_fill(traditional_positions(44, 8), 512, FillModel::exact);
    CHECK(text_fpr(fill, 8) ==
          doctest::Approx(row.at("jensen_corrected").get<double>()).epsilon(1e-3).scale(0));
    CHECK(std::abs(text_fpr(fill, 8) - row.at("mc").get<double>()) <
          2 * row.at("se").get<double>());
  }
}

TEST_SUITE_END();
