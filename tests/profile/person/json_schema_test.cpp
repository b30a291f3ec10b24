// SPDX-License-Identifier: MIT
#include "profile/person/json_schema.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "base/json.h"

using namespace beckon;
using namespace beckon::profile;

TEST_SUITE_BEGIN("profile/json_schema");

TEST_CASE("every attribute has its scope and number of values, and nothing else is let in") {
  Json schema = json_or_null(json_schema(Schema::built_in()));
  CHECK(schema["properties"].size() == Schema::built_in().attributes().size() + 1);
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["patternProperties"].contains("^x-[a-z0-9_-]{1,30}$"));
  std::string age = schema["properties"]["age"].dump();
  CHECK(age.find(R"("minimum":1,"maximum":120)") != std::string::npos);
  CHECK(schema["properties"]["longitude"].dump().find(R"("maximum":180})") != std::string::npos);
  CHECK(schema["properties"]["hobby"].dump().find(R"("maxItems":8)") != std::string::npos);
  CHECK(schema["properties"]["visibility"].dump().find(R"(["public","match","private"])") !=
        std::string::npos);
}

TEST_CASE("the schema that ships is the one of the built-in attributes") {
  std::ifstream file(BECKON_PROFILE_SCHEMA);
  std::string shipped{std::istreambuf_iterator<char>(file), {}};
  CHECK(shipped == json_or_null(json_schema(Schema::built_in())).dump(2) + "\n");
}

TEST_SUITE_END();
