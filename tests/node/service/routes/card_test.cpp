// SPDX-License-Identifier: MIT
#include "node/service/routes/card.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/json.h"
#include "base/rng.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/card");

namespace {

const profile::Schema& schema() { return profile::Schema::built_in(); }

Json attrs(std::string_view card) { return read_card(schema(), card).attrs; }

bool is_plain(const Json& v) { return v.is_string() || v.is_number(); }
bool is_value(const Json& v) {
  if (!v.is_object()) return is_plain(v);
  return v.size() == 2 && v.contains("min") && v.contains("max") && is_plain(v["min"]) &&
         is_plain(v["max"]);
}

/// What read_card keeps, by looking at the tree of a card.
Json twin(const Json& card) {
  Json out = Json::object();
  for (const auto& [name, value] : card.items()) {
    auto slot = schema().slot(name);
    bool good = slot && (value.is_array()
                             ? !value.empty() && value.size() <= schema().at(*slot).max_values &&
                                   std::ranges::all_of(value, is_value)
                             : is_value(value));
    if (good && name != "name") out[name] = value;
  }
  return out;
}

/// Anything that JSON can be, mostly what a card has.
Json random_json(Rng& rng, int depth) {
  switch (rng.below(depth > 0 ? 12 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return rng.below(2) == 1;
    case 2:
      return 0.5 + static_cast<double>(rng.below(100));
    case 3:
    case 4:
      return rng.below(1000);
    case 5:
      return "a \"b\" \\ \n \x7f ü";
    case 6:
      return "chess";
    case 7:
    case 8:
      return {{"min", random_json(rng, depth - 2)}, {"max", 9}};
    case 9:
      return {{"min", 1}, {"most", 9}, {"x", random_json(rng, depth - 1)}};
    default:
      Json list = Json::array();
      for (std::uint64_t i = rng.below(4); i > 0; --i) list.push_back(random_json(rng, depth - 1));
      return list;
  }
}

}  // namespace

TEST_CASE("a card keeps its attributes, and the name and ways to reach somebody stand apart") {
  Card card = read_card(schema(), R"({"name":["Alice \"A\"","Al"],"age":24,"x-tall":1.70,)"
                                  R"("hobby":["chess","go"],"hours":{"min":9,"max":17},)"
                                  R"("sip":"sip:alice@example.net","x-home":"tel:+4912"})");
  CHECK(card.name == "Alice \"A\"");
  CHECK(card.attrs.dump() ==
        R"({"age":24,"x-tall":1.70,"hobby":["chess","go"],"hours":{"min":9,"max":17},)"
        R"("sip":"sip:alice@example.net","x-home":"tel:+4912"})");
  CHECK(card.ways.dump() == R"({"sip":"sip:alice@example.net","x-home":"tel:+4912"})");
}

TEST_CASE("of a stranger's card only what a profile can have is kept") {
  CHECK(attrs(R"({"age":24,"shoe":43,"city":null,"job":true})") == Json{{"age", 24}});
  CHECK(attrs(R"({"hobby":[],"lang":[["en"]],"hours":{"min":9},"age":{"min":{},"max":3}})") ==
        Json::object());
  CHECK(attrs(R"({"age":{"min":1,"min":2},"hobby":[{"min":1,"max":2,"mean":1},"go"]})") ==
        Json::object());
  CHECK(attrs(R"({"city":")" + std::string(5000, 'x') + R"(","age":24})") == Json{{"age", 24}});
  Json many = Json::array();
  for (int i = 0; i < 100; ++i) many.push_back("go");
  CHECK(attrs(Json{{"hobby", many}, {"age", 24}}.dump()) == Json{{"age", 24}});
}

TEST_CASE("what is no card leaves nothing") {
  for (const char* text :
       {"", "7", "[]", R"([{"age":24}])", R"({"age":24)", R"({"age":24}x)", R"({"age":24,})",
        R"({"age":24,"age":25})", "{\"city\":\"\xff\"}", R"("age")"}) {
    CAPTURE(text);
    Card card = read_card(schema(), text);
    CHECK((card.attrs.empty() && card.name.empty() && card.ways.empty()));
  }
  CHECK(read_card(schema(), std::string(6000, '[')).attrs.empty());
}

TEST_CASE("a card keeps what its schema has room for, whatever else is in it") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    Json card = Json::object();
    for (const char* name : {"age", "hobby", "city", "name", "shoe", "x-a", "hours"}) {
      if (rng.below(3) > 0) card[name] = random_json(rng, 3);
    }
    CAPTURE(card.dump());
    REQUIRE(attrs(card.dump()) == twin(card));
  }
}

TEST_SUITE_END();
