// SPDX-License-Identifier: MIT
#include "profile/schema/schema.h"

#include <doctest/doctest.h>

#include "profile/schema/default_classes.h"
#include "profile/schema/schema_json.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

std::string with(std::string attribute) {
  return R"({"fold":"1","attributes":[)" + attribute + "]}";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const char* grown_from() {
  return R"({"number":3,"fold":"1","attributes":[
    {"name":"word","type":"text","visibility":"public","max_values":2,"prefix_keys":true},
    {"name":"size","type":"decimal","scale":1,"unit":"cm","min":0,"max":100,"circular":true,
     "ladder":[16],"published_width":7,"queried_width":9,"point_group":2}],
    "classes":[{"k":8,"slots":{"size":[3,2],"x-":[5,1]}}]})";
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

  TEST_CASE("a schema's text is read back as the same schema") {
    const Schema& schema = Schema::built_in();
    std::string text = schema_json(schema);
    auto again = parse_schema(text);
    REQUIRE_MESSAGE(again.has_value(), again.error().text);
    CHECK(schema_json(*again) == text);
    CHECK(again->number() == 1);
    CHECK(again->longitude() == schema.longitude());
  }

  TEST_CASE("the text changes with every agreed detail") {
    std::string text = schema_json(Schema::built_in());
    for (auto [from, to] : {std::pair{"\"max\":120", "\"max\":121"},
                            {"\"ladder\":[16]", "\"ladder\":[8]"},
                            {"\"number\":1", "\"number\":2"},
                            {"\"k\":", "\"k\": "}}) {
      auto schema = parse_schema(replaced(text, from, to));
      REQUIRE(schema.has_value());
      bool blank_only = std::string(to).ends_with(' ');
      CHECK((schema_json(*schema) == text) == blank_only);
    }
  }

  TEST_CASE("a schema without classes gets layouts that fit") {
    auto schema = parse_schema(
        with(R"({"name":"size","type":"decimal","scale":1,"min":-5,"max":300.5,"ladder":[16]})"));
    REQUIRE(schema.has_value());
    CHECK(schema->at(0).min == -50);
    CHECK(schema->at(0).max == 3005);
    CHECK(schema->classes().size() == 4);
    CHECK(schema->classes()[1].k == 12);
    CHECK(schema->classes()[1].slots[0] == default_shape(schema->at(0), 12));
  }

  TEST_CASE("a class keeps its name whatever becomes of attributes that it does not speak of") {
    const char* classes = R"(],"classes":[{"k":8,"slots":{"age":[1,2]}}]})";
    const std::string age = R"({"name":"age","type":"int","min":1,"max":120})";
    const std::string shoe = R"({"name":"shoe","type":"int","min":1,"max":60})";
    auto few = parse_schema(R"({"fold":"1","attributes":[)" + age + classes);
    auto more = parse_schema(R"({"fold":"1","attributes":[)" + age + "," + shoe + classes);
    REQUIRE((few && more));
    CHECK(few->classes()[0].name == more->classes()[0].name);
    CHECK(more->classes()[0].slots[1] == default_shape(more->at(1), 8));
    CHECK(more->classes()[0].slots[Schema::user_slot] == default_user_shape);
    CHECK(more->class_named(few->classes()[0].name) == 0);
    CHECK(more->class_named(few->classes()[0].name + 1) == Schema::unknown_class);
    CHECK(few->knows(0));
    CHECK_FALSE(few->knows(1));
    CHECK(few->knows(Schema::user_slot));
    auto other = parse_schema(replaced(schema_json(*few), "[1,2]", "[1,3]"));
    REQUIRE(other.has_value());
    CHECK(other->classes()[0].name != few->classes()[0].name);
    CHECK(few->classes()[0].name == 0xf762d689);  // golden
    CHECK(error_of(R"({"fold":"1","attributes":[{"name":"a","type":"text"}],
                       "classes":[{"k":8,"slots":{}},{"k":8,"slots":{}}]})")
              .find("twice") != std::string::npos);
  }

  TEST_CASE("a schema may follow another only if everything old stays as it is") {
    auto old = parse_schema(grown_from());
    REQUIRE(old.has_value());
    auto why = [&](const char* from, const char* to) {
      auto next =
          parse_schema(replaced(replaced(grown_from(), "\"number\":3", "\"number\":4"), from, to));
      REQUIRE_MESSAGE(next.has_value(), next.error().text);
      auto fits = extends(*next, *old);
      return fits ? "" : fits.error().text;
    };
    CHECK(why("", "") == "");
    CHECK(why("\"number\":4", "\"number\":3") ==
          "its number must be greater than 3, the present one; it is 3");
    CHECK(why("\"number\":4", "\"number\":2").find("it is 2") != std::string::npos);
    CHECK(why("\"number\":4", "\"number\":9") == "");
    CHECK(why(R"("public")", R"("match")") == "");
    CHECK(why(R"("max_values":2)", R"("max_values":3)") == "");
    CHECK(why(R"("max_values":2)", R"("max_values":1)").find("max_values must be 2 or more") !=
          std::string::npos);
    CHECK(why(R"({"name":"size")", R"({"name":"team","type":"text"},{"name":"size")")
              .starts_with("attribute 2 must be size"));
    CHECK(why(R"("x-":[5,1]}}])", R"("x-":[5,1]}},{"k":9,"slots":{}}])") == "");
    CHECK(why(R"("x-":[5,1])", R"("x-":[6,1])") == "class 1 is gone; old records need it");
    for (auto [from, to, what] :
         {std::tuple{R"("scale":1)", R"("scale":2)", "size: scale"},
          {R"("unit":"cm")", R"("unit":"m")", "size: unit"},
          {R"("min":0)", R"("min":1)", "size: min"},
          {R"("max":100)", R"("max":101)", "size: max"},
          {R"("ladder":[16])", R"("ladder":[8])", "size: ladder"},
          {R"("circular":true)", R"("circular":false)", "size: circular"},
          {R"("point_group":2)", R"("point_group":1)", "size: point_group"},
          {R"("published_width":7)", R"("published_width":8)", "size: published_width"},
          {R"("queried_width":9)", R"("queried_width":8)", "size: queried_width"},
          {R"("prefix_keys":true)", R"("prefix_keys":false)", "word: prefix_keys"}}) {
      CAPTURE(what);
      CHECK(why(from, to) == std::string(what) + " cannot change");
    }
  }

  TEST_CASE("an attribute keeps its type and its axis when a schema grows") {
    auto made = [](std::uint32_t number, Attribute second) {
      Attribute y{
          .name = "y", .type = Type::integer, .max_values = 1, .axis = Axis::latitude, .max = 90};
      return *Schema::make(number, {{.name = "word"}, std::move(second), y}, {LayoutClass{.k = 8}});
    };
    Attribute x{
        .name = "x", .type = Type::integer, .max_values = 1, .axis = Axis::longitude, .max = 90};
    Attribute decimal = x;
    decimal.type = Type::decimal;
    CHECK(extends(made(2, decimal), made(1, x)).error().text == "x: type cannot change");
    CHECK(extends(made(2, x), made(1, x)).has_value());
  }

  TEST_CASE("a number may have a unit, one that is known") {
    const char* height = R"({"name":"a","type":"int","unit":"cm","min":0,"max":300})";
    auto schema = parse_schema(with(height));
    REQUIRE(schema.has_value());
    CHECK(schema->at(0).unit == "cm");
    auto again = parse_schema(schema_json(*schema));
    REQUIRE(again.has_value());
    CHECK(schema_json(*again) == schema_json(*schema));
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
    CHECK(error_of(with(R"({"name":"a","type":"decimal","scale":9,"min":0,"max":1000000})"))
              .find("15 digits") != std::string::npos);
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
