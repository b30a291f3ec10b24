// SPDX-License-Identifier: MIT
#include "tests/filters/design/golden.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace golden {

using namespace beckon::filters;

namespace {

const Json& all() {
  static const Json numbers = [] {
    std::ifstream file(GOLDEN_FILE);
    return Json::parse(file);
  }();
  return numbers;
}

}  // namespace

const Json& exact() { return all().at("exact"); }
const Json& tolerance() { return all().at("tolerance"); }

doctest::Approx printed(const Json& number, double epsilon) {
  std::string digits = number.dump();
  auto significant = std::count_if(digits.begin(), std::find(digits.begin(), digits.end(), 'e'),
                                   [](char c) { return c >= '0' && c <= '9'; });
  auto zeros = digits.rfind("0.", 0) == 0 ? digits.find_first_not_of("0.") - 1 : 0;
  double half_unit =
      0.5 * std::pow(10.0, 1.0 - static_cast<double>(significant) + static_cast<double>(zeros));
  return doctest::Approx(number.get<double>()).epsilon(std::max(epsilon, half_unit)).scale(0);
}

Shape shape(int k, const Json& d_and_s) {
  return {k, d_and_s.at(0).get<std::int64_t>(), d_and_s.at(1).get<int>()};
}

std::vector<Shape> shapes(int k, const Json& configuration) {
  std::vector<Shape> out;
  for (const Json& each : configuration) out.push_back(shape(k, each));
  return out;
}

Load table1() {
  Load load{{{5, 1}}, {}};
  for (const Json& attribute : exact().at("report_table_2").at("attributes")) {
    load.ranges.push_back({{attribute.at("R").get<double>(), attribute.at("n").get<double>()}});
  }
  return load;
}

Load thesis_profile() {
  Load load = table1();
  load.ranges[2].size = {5000001, 500000};
  return load;
}

}  // namespace golden
