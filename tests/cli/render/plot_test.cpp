// SPDX-License-Identifier: MIT
#include "cli/render/plot.h"

#include <doctest/doctest.h>

using namespace beckon::cli;

TEST_SUITE_BEGIN("cli/plot");

TEST_CASE("names are escaped, so that any text makes well-formed SVG") {
  CHECK(xml_text("a<b & \"c\"\n") == "a&lt;b &amp; &quot;c&quot;");
  Plot plot{.title = "<title>", .series = {{"a&b", {{1, 2}, {2, 3}}}, {"c", {}}}};
  std::string svg = plot.svg();
  CHECK(svg.find("<title>") == std::string::npos);
  CHECK(svg.find("a&amp;b") != std::string::npos);
}

TEST_CASE("a log axis leaves out what it cannot show") {
  Plot plot{.y = {.label = "rate", .log = true},
            .series = {{"one", {{1, 0}, {2, 1e-3}, {3, -1}, {4, 1e-6}}, Plot::Style::markers}}};
  std::string svg = plot.svg();
  std::size_t circles = 0;
  for (auto at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1))
    ++circles;
  CHECK(circles == 2);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("no point, one point and equal points all make a plot") {
  for (const Plot::Series& series : {Plot::Series{"none", {}}, Plot::Series{"one", {{5, 5}}},
                                     Plot::Series{"flat", {{1, 7}, {2, 7}}, Plot::Style::step}}) {
    for (bool log : {false, true}) {
      Plot plot{.x = {.log = log}, .y = {.log = log}, .series = {series}};
      std::string svg = plot.svg();
      CHECK(svg.find("nan") == std::string::npos);
      CHECK(svg.find("</svg>") != std::string::npos);
    }
  }
}

TEST_CASE("ticks are round numbers within the limits") {
  Plot plot{.x = {.label = "x", .low = 0.0}, .series = {{"a", {{0, 0}, {1200, 1}}}}};
  std::string svg = plot.svg();
  for (const char* tick : {">0<", ">200<", ">400<", ">1200<", ">0.2<", ">1<"}) {
    CAPTURE(tick);
    CHECK(svg.find(tick) != std::string::npos);
  }
}

TEST_SUITE_END();
