// SPDX-License-Identifier: MIT
#include "profile/person/json_schema.h"

#include <fmt/core.h>

#include "base/json.h"
#include "profile/person/profile.h"
#include "profile/values/decimal.h"
#include "profile/values/text_fold.h"

namespace beckon::profile {

namespace {

std::string ref(std::string_view name) { return fmt::format(R"({{"$ref":"#/$defs/{}"}})", name); }

std::string either(std::string_view one, std::string_view other) {
  return fmt::format(R"({{"anyOf":[{},{}]}})", one, other);
}

std::string range_of(std::string_view bound) {
  return fmt::format(
      R"({{"type":"object","properties":{{"min":{0},"max":{0}}},"required":["min","max"],)"
      R"("additionalProperties":false}})",
      bound);
}

std::string one_or_more(std::string_view value, std::size_t most) {
  return either(value, fmt::format(R"({{"type":"array","items":{},"minItems":1,"maxItems":{}}})",
                                   value, most));
}

/// A number in the scope, or a text that reads as one ("40k", "20..30"); or a range of such.
std::string number(const Attribute& a) {
  std::int64_t last = a.max + (a.circular ? 1 : 0);  // 24 hours are 0 hours
  std::string one = either(fmt::format(R"({{"type":"number","minimum":{},"maximum":{}}})",
                                       fixed_text(a.min, a.scale), fixed_text(last, a.scale)),
                           ref("text"));
  return either(one, range_of(one));
}

std::string one_value(const Attribute& a) {
  if (a.type == Type::integer || a.type == Type::decimal) return number(a);
  return ref(a.type == Type::date ? "date" : "word");
}

std::string property(const Attribute& a) {
  return fmt::format(
      R"({}:{{"description":"{}; {} unless visibility says otherwise","allOf":[{}]}})",
      json_quoted(a.name), name_of(a.type), name_of(a.visibility),
      one_or_more(one_value(a), a.max_values));
}

std::string visibility(const std::string& names, std::string_view own) {
  return fmt::format(
      R"({{"description":"who sees what; * is all that is not named","type":"object",)"
      R"("propertyNames":{{"anyOf":[{{"enum":[{}]}},{{"pattern":"{}"}}]}},)"
      R"("additionalProperties":{{"enum":["public","match","private"]}}}})",
      names, own);
}

std::string definitions() {
  std::string text =
      fmt::format(R"({{"type":"string","minLength":1,"maxLength":{}}})", max_text_size);
  std::string number_or_range = either(ref("word"), range_of(ref("word")));
  return fmt::format(R"({{"text":{},"word":{},"date":{},"any":{}}})", text,
                     either(ref("text"), R"({"type":"number"})"), number_or_range, number_or_range);
}

}  // namespace

std::string json_schema(const Schema& schema) {
  constexpr std::string_view own = "^x-[a-z0-9_-]{1,30}$";
  std::string properties;
  std::string names = R"("*")";
  for (const Attribute& a : schema.attributes()) {
    properties += fmt::format("{},", property(a));
    names += fmt::format(",{}", json_quoted(a.name));
  }
  return fmt::format(
      R"({{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Beckon profile",)"
      R"("type":"object","properties":{{{}"visibility":{}}},"patternProperties":{{"{}":{}}},)"
      R"("additionalProperties":false,"$defs":{}}})",
      properties, visibility(names, own), own,
      one_or_more(ref("any"), schema.at(Schema::user_slot).max_values), definitions());
}

}  // namespace beckon::profile
