#include "profile/schema/schema.h"

#include <doctest/doctest.h>

#include "profile/schema/schema_json.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

std::string with(std::string attribute) {
  return R"({"fold":"1","attributes":[)" + attribute + "]}";
}

std::string error_of(const std::string& json) {
  auto schema = parse_schema(json);
  return schema ? "" : schema.error().text;
}

}  // namespace

TEST_SUITE("profile/schema") {
  TEST_CASE("the built-in schema has the attributes of the papers and the everyday ones") {
    const Schema& schema = Schema::built_in();
    for (const char* name : {"name", "nickname", "last_name", "university", "hobby", "vocation",
                             "age", "year", "income", "longitude", "latitude", "sip", "mail",
                             "lang", "city", "org", "skill", "hours"}) {
      CAPTURE(name);
      CHECK(schema.slot(name).has_value());
    }
    const Attribute& income = schema.at(*schema.slot("income"));
    CHECK(income.min == 0);
    CHECK(income.max == 5'000'000);
    CHECK(schema.at(*schema.slot("latitude")).scale == 4);
    CHECK(schema.at(*schema.slot("hours")).circular);
    CHECK(schema.slot("x-anything") == Schema::user_slot);
    CHECK_FALSE(schema.slot("x-").has_value());
    CHECK_FALSE(schema.slot("x-BIG").has_value());
  }

  TEST_CASE("a schema's text is read back as the same schema with the same id") {
    const Schema& schema = Schema::built_in();
    std::string text = schema_json(schema);
    auto again = parse_schema(text);
    REQUIRE_MESSAGE(again.has_value(), again.error().text);
    CHECK(schema_json(*again) == text);
    CHECK(again->id() == schema.id());
    CHECK(again->longitude() == schema.longitude());
  }

  TEST_CASE("the id changes with every agreed detail") {
    std::string text = schema_json(Schema::built_in());
    for (auto [from, to] : {std::pair{"\"max\":120", "\"max\":121"},
                            {"\"ladder\":[16]", "\"ladder\":[8]"},
                            {"\"k\":", "\"k\": "}}) {
      std::string changed = text;
      changed.replace(changed.find(from), std::string(from).size(), to);
      auto schema = parse_schema(changed);
      REQUIRE(schema.has_value());
      bool blank_only = std::string(to).ends_with(' ');
      CHECK((schema->id() == Schema::built_in().id()) == blank_only);
    }
  }

  TEST_CASE("a schema without classes gets layouts that fit") {
    auto schema = parse_schema(
        with(R"({"name":"size","type":"decimal","scale":1,"min":-5,"max":300.5,"ladder":[16]})"));
    REQUIRE(schema.has_value());
    CHECK(schema->at(0).min == -50);
    CHECK(schema->at(0).max == 3005);
    CHECK(schema->classes().size() == 4);
  }

  TEST_CASE("a number may have a unit, one that is known") {
    const char* height = R"({"name":"a","type":"int","unit":"cm","min":0,"max":300})";
    auto schema = parse_schema(with(height));
    REQUIRE(schema.has_value());
    CHECK(schema->at(0).unit == "cm");
    auto again = parse_schema(schema_json(*schema));
    REQUIRE(again.has_value());
    CHECK(again->id() == schema->id());
    CHECK(error_of(with(R"({"name":"a","type":"int","unit":"ell","min":0,"max":9})"))
              .starts_with("a: unit must be one of"));
    CHECK(
        error_of(
            with(R"({"name":"a","type":"date","unit":"m","min":"2000-01-01","max":"2001-01-01"})"))
            .find("have a unit") != std::string::npos);
  }

  TEST_CASE("a wrong schema is refused by a sentence that names the place") {
    CHECK(error_of("[]") == "schema: must be an object");
    CHECK(error_of(R"({"fold":"2","attributes":[]})").find("fold") != std::string::npos);
    CHECK(error_of(with("")).find("1..31 attributes") != std::string::npos);
    CHECK(error_of(with(R"({"name":"a","type":"blob"})")).starts_with("a: type must be"));
    CHECK(
        error_of(with(R"({"name":"a","type":"text","colour":1})")).starts_with("a: has a member"));
    CHECK(error_of(with(R"({"name":"Age","type":"text"})")).find("no attribute name") !=
          std::string::npos);
    CHECK(error_of(with(R"({"name":"x-a","type":"text"})")).find("x- is for users") !=
          std::string::npos);
    CHECK(error_of(with(R"({"name":"near","type":"text"})")).find("reserved") != std::string::npos);
    CHECK(error_of(with(R"({"name":"a","type":"int","min":5,"max":5})")).find("scope is empty") !=
          std::string::npos);
    CHECK(error_of(with(R"({"name":"a","type":"int","min":0.5,"max":5})")).find("decimals") !=
          std::string::npos);
    CHECK(error_of(with(R"({"name":"a","type":"int","min":0,"max":9,"ladder":[4,4]})"))
              .find("must grow") != std::string::npos);
    CHECK(error_of(with(R"({"name":"a","type":"int","min":0,"max":9,"max_values":300})"))
              .find("max_values") != std::string::npos);
    CHECK(error_of(with(R"({"name":"a","type":"text","name":"b"})")).find("twice") !=
          std::string::npos);
    CHECK(
        error_of(with(R"({"name":"a","type":"text"},{"name":"a","type":"text"})")).find("twice") !=
        std::string::npos);
    CHECK(error_of(with(R"({"name":"a","type":"decimal","min":0,"max":9,"axis":"latitude"})"))
              .find("together") != std::string::npos);
    CHECK(error_of(R"({"fold":"1","attributes":[{"name":"a","type":"text"}],"classes":[]})")
              .find("classes") != std::string::npos);
    CHECK(
        error_of(
            R"({"fold":"1","attributes":[{"name":"a","type":"text"}],"classes":[{"k":41,"slots":{"x-":[1,1]}}]})")
            .find("k 1..40") != std::string::npos);
    CHECK(error_of(std::string(70'000, ' ')).find("at most") != std::string::npos);
    CHECK(error_of(std::string(100, '[')).find("deeper") != std::string::npos);
  }

  TEST_CASE("a misspelt name has a near one") {
    const Schema& schema = Schema::built_in();
    CHECK(schema.nearest("hobbby") == "hobby");
    CHECK(schema.nearest("univ") == "university");
    CHECK(schema.nearest("agee") == "age");
    CHECK(schema.nearest("hoby") == "hobby");
    CHECK(schema.nearest("iversity") == "university");
    CHECK(schema.nearest("zzzzzz") == "");
  }
}
