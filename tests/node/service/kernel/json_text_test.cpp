#include "node/service/kernel/json_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace beckon::service;

TEST_SUITE("service/json_text") {
  TEST_CASE("plain JSON is read") {
    auto json = parse_json(R"({"a":[1,{"b":"x"},{"b":"y"}],"c":{"a":null}})", 1000);
    REQUIRE(json);
    CHECK((*json)["a"][2]["b"] == "y");
  }

  TEST_CASE("a key twice in one object is refused, in two objects it is fine") {
    CHECK(parse_json(R"({"a":1,"b":{"a":2},"a":3})", 1000).error().text ==
          "the key \"a\" occurs twice in one JSON object");
    CHECK_FALSE(parse_json(R"([{"x":{"k":1,"k":1}}])", 1000));
    CHECK(parse_json(R"([{"k":1},{"k":1}])", 1000));
  }

  TEST_CASE("depth 16 passes, depth 17 does not, however it is built") {
    auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(parse_json(nested(16), 1000));
    CHECK_FALSE(parse_json(nested(17), 1000));
    CHECK_FALSE(parse_json(nested(30000), 64 * 1024));
    CHECK(parse_json("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"", 1000));
  }

  TEST_CASE("junk, half texts, long texts and broken UTF-8 are refused") {
    std::string good = R"({"a":[true,1.5e3,"\u00e9"]})";
    REQUIRE(parse_json(good, good.size()));
    CHECK_FALSE(parse_json(good, good.size() - 1));
    for (std::size_t cut = 0; cut < good.size(); ++cut) {
      CAPTURE(cut);
      CHECK_FALSE(parse_json(good.substr(0, cut), 1000));
    }
    CHECK_FALSE(parse_json("\"\xff\"", 1000));
    CHECK_FALSE(parse_json("{} {}", 1000));
    CHECK_FALSE(parse_json("1e999", 1000));
  }
}
