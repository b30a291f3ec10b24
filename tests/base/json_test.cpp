// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/rng.h"

using namespace beckon;

TEST_SUITE_BEGIN("base/json");

TEST_CASE("plain JSON is read") {
  auto json = parse_json(R"({"a":[1,{"b":"x"},{"b":"y"}],"c":{"a":null}})");
  REQUIRE(json);
  CHECK((*json)["a"][2]["b"] == "y");
  CHECK((*json)["c"].contains("a"));
}

TEST_CASE("a name twice in one object is refused, in two objects it is fine") {
  CHECK(parse_json(R"({"a":1,"b":{"a":2},"a":3})").error().text == "\"a\" occurs twice");
  CHECK_FALSE(parse_json(R"([{"x":{"k":1,"k":1}}])"));
  CHECK(parse_json(R"([{"k":1},{"k":1}])"));
}

TEST_CASE("the deepest, longest and widest JSON passes, one more does not") {
  auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse_json(nested(16)));
  CHECK(parse_json(nested(17)).error().text == "nested deeper than 16 levels");
  CHECK_FALSE(parse_json(nested(30000)));
  CHECK(parse_json("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\""));
  CHECK(parse_json("[1]", {.bytes = 3}));
  CHECK(parse_json("[1]", {.bytes = 2}).error().text == "3 bytes of JSON, at most 2 are allowed");
  CHECK(parse_json(R"({"a":1,"b":2})", {.members = 2}));
  CHECK_FALSE(parse_json(R"({"a":1,"b":2})", {.members = 1}));
}

TEST_CASE("junk, half texts and broken UTF-8 are refused, and are null to who does not care") {
  std::string good = R"({"a":[true,1.5e3,"\u00e9"]})";
  REQUIRE(parse_json(good));
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    CAPTURE(cut);
    CHECK_FALSE(parse_json(good.substr(0, cut)));
    CHECK(json_or_null(good.substr(0, cut)).is_null());
  }
  CHECK_FALSE(parse_json("\"\xff\""));
  CHECK_FALSE(parse_json("{} {}"));
  CHECK(parse_json("[1e999]").error().text == "the number 1e999 is too large");
}

TEST_CASE("members stay in the order in which they came, and sorted() goes by name at all depths") {
  auto json = parse_json(R"({"b":{"z":1,"y":[{"d":1,"c":2}]},"a":2})");
  REQUIRE(json);
  CHECK(json->dump() == R"({"b":{"z":1,"y":[{"d":1,"c":2}]},"a":2})");
  CHECK(json->sorted().dump() == R"({"a":2,"b":{"y":[{"c":2,"d":1}],"z":1}})");
  CHECK(json->sorted() == *json);
}

TEST_CASE("braces make objects of names and values, and arrays of anything else") {
  Json object{{"name", "Ann"}, {"age", 24}, {"tags", std::vector<std::string>{"a", "b"}}};
  CHECK(object.dump() == R"({"name":"Ann","age":24,"tags":["a","b"]})");
  CHECK(Json({1, "x", nullptr, true, 0.5}).dump() == R"([1,"x",null,true,0.5])");
  CHECK(Json::array().dump() == "[]");
  CHECK(Json::object().dump() == "{}");
  Json grown;
  grown["list"].push_back(1);
  grown["list"].push_back(Json{{"k", "v"}});
  grown["more"] = false;
  CHECK(grown.dump() == R"({"list":[1,{"k":"v"}],"more":false})");
  grown.erase("list");
  CHECK(grown.dump() == R"({"more":false})");
}

TEST_CASE("indented JSON has a member a line") {
  Json json{{"a", {1, 2}}, {"b", Json::object()}, {"c", {{"d", "e"}}}};
  CHECK(json.dump(2) ==
        "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": {\n    \"d\": \"e\"\n  }\n}");
}

TEST_CASE("numbers keep their digits, and are written as short as they can be") {
  auto json = parse_json("[1.50, 1e3, -0.0, 18446744073709551615, -9223372036854775808, 1e20]");
  REQUIRE(json);
  CHECK((*json)[0].text() == "1.50");
  CHECK(json->dump() == "[1.5,1000.0,-0.0,18446744073709551615,-9223372036854775808,1e+20]");
  CHECK((*json)[3].get<std::uint64_t>() == UINT64_MAX);
  CHECK((*json)[4].get<std::int64_t>() == INT64_MIN);
  CHECK((*json)[1].get<int>() == 1000);
  CHECK((*json)[3].is_number_unsigned());
  CHECK_FALSE((*json)[4].is_number_unsigned());
  CHECK((*json)[4].is_number_integer());
  CHECK_FALSE((*json)[0].is_number_integer());
  auto as_integer = [](const char* text) { return json_or_null(text).get<std::int64_t>(); };
  CHECK(as_integer("9.1e18") == 9'100'000'000'000'000'000);
  CHECK(as_integer("-9.1e18") == -9'100'000'000'000'000'000);
  CHECK(as_integer("9.2e18") == 0);  // too near to what fits
  CHECK(as_integer("-9.2e18") == 0);
  CHECK(Json(0.1).dump() == "0.1");
  CHECK(Json(3.0).dump() == "3.0");
  CHECK(Json(0.0 / 0.0).is_null());
  CHECK(Json(1) == Json(1.0));
  CHECK_FALSE(Json(UINT64_MAX) == Json(UINT64_MAX - 1));
}

TEST_CASE("two values are equal when kind, names and contents are, in any order of members") {
  const std::vector<const char*> different{"null",
                                           "false",
                                           "true",
                                           "0",
                                           "1",
                                           "\"\"",
                                           "\"1\"",
                                           "[]",
                                           "[1]",
                                           "[1,2]",
                                           "[2,1]",
                                           "{}",
                                           R"({"a":1})",
                                           R"({"a":2})",
                                           R"({"b":1})",
                                           R"({"a":1,"b":2})",
                                           R"({"a":1,"b":3})",
                                           R"({"a":1,"c":2})",
                                           R"({"a":{"b":1}})"};
  for (std::size_t i = 0; i < different.size(); ++i) {
    for (std::size_t j = 0; j < different.size(); ++j) {
      CAPTURE(different[i]);
      CAPTURE(different[j]);
      CHECK((*parse_json(different[i]) == *parse_json(different[j])) == (i == j));
    }
  }
  CHECK(*parse_json(R"({"a":1,"b":2})") == *parse_json(R"({"b":2,"a":1})"));
}

TEST_CASE("what is absent or of another kind reads as nothing") {
  auto json = parse_json(R"({"text":"x","number":7,"yes":true,"list":["a",1]})");
  REQUIRE(json);
  const Json& object = *json;
  CHECK(object["none"].is_null());
  CHECK(object["none"]["deeper"][3].is_null());
  CHECK(object.value("text", "else") == "x");
  CHECK(object.value("number", "else") == "else");
  CHECK(object.value("none", 5) == 5);
  CHECK(object.value("text", 5) == 5);
  CHECK(object.value("yes", false));
  CHECK_FALSE(object.value("number", false));
  CHECK(object["text"].get<int>() == 0);
  CHECK(object["number"].get<std::string>().empty());
  CHECK(object["list"].get<std::vector<std::string>>() == std::vector<std::string>{"a", ""});
  CHECK(object.find("none") == object.end());
  CHECK(object["text"].empty());
}

TEST_CASE("strings are escaped, and broken UTF-8 is replaced") {
  CHECK(json_quoted("plain") == "\"plain\"");
  CHECK(json_quoted("a\"b\\c\n\x01") == R"("a\"b\\c\n\u0001")");
  CHECK(json_quoted("台北") == "\"台北\"");
  CHECK(json_quoted("a\xff") == "\"a\xef\xbf\xbd\"");
  CHECK(Json("a\xff").dump() == "\"a\xef\xbf\xbd\"");
  CHECK(Json{{"name", "é"}}.is_utf8());
  CHECK_FALSE(Json({{"name", {"a\xff"}}}).is_utf8());
  CHECK_FALSE(Json({{"a\xff", 1}}).is_utf8());
}

namespace {

/// A random value, deep and odd enough to meet every branch of reader and writer.
std::string random_json(Rng& rng, int depth) {
  static const char* const scalars[] = {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-0",
                                        "-0.0",
                                        "7",
                                        "18446744073709551615",
                                        "1e3",
                                        "1.50",
                                        "-2e-7",
                                        "1e22",
                                        "0.1",
                                        R"("")",
                                        R"("x")",
                                        R"("a\"b\\c\/")",
                                        R"("\u00e9\ud83d\ude00")",
                                        R"("\u0000\n\t\u001f")",
                                        "12345678901234567890123",
                                        "-1"};
  std::uint64_t kind = rng.below(depth > 0 ? 4 : 2);
  if (kind < 2) return scalars[rng.below(std::size(scalars))];
  std::string out = kind == 2 ? "[" : "{";
  for (std::uint64_t i = 0, count = rng.below(4); i < count; ++i) {
    if (i > 0) out += rng.chance(0.5) ? "," : " , ";
    if (kind == 3) out += fmt::format("\"{}{}\":", "kéy", i);
    out += random_json(rng, depth - 1);
  }
  return out + (kind == 2 ? "]" : "}");
}

}  // namespace

TEST_CASE("reading and writing agree with nlohmann's, for good texts and for damaged ones") {
  using Twin = nlohmann::ordered_json;
  std::size_t good = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed);
    std::string text = random_json(rng, 4);
    if (rng.chance(0.3)) text[rng.below(text.size())] = static_cast<char>(32 + rng.below(96));
    CAPTURE(text);
    auto ours = parse_json(text);
    Twin twin = Twin::parse(text, nullptr, false);
    bool twice = !ours && ours.error().text.find("occurs twice") != std::string::npos;
    CHECK((ours.has_value() || twice) == !twin.is_discarded());
    if (!ours || twin.is_discarded()) continue;
    ++good;
    CHECK(ours->dump() == twin.dump());
    CHECK(ours->dump(2) == twin.dump(2));
    CHECK(ours->sorted().dump() == nlohmann::json::parse(text).dump());
    CHECK(*parse_json(ours->dump()) == *ours);
  }
  CHECK(good > 2000);
}

TEST_CASE("what follows a NUL is not ignored") {
  using namespace std::string_view_literals;
  CHECK_FALSE(parse_json("{\"hobby\":\"chess\"}\0junk"sv));
  CHECK_FALSE(parse_json("{}\0"sv));
  CHECK(parse_json("{\"a\":\"\\u0000\"}"sv));
}
