// SPDX-License-Identifier: MIT
#include "node/service/routes/card.h"

#include <algorithm>

#include "profile/values/text_fold.h"

namespace beckon::service {

namespace {

bool is_plain(const Json& value) {
  return value.is_number() || (value.is_string() && value.text().size() <= profile::max_text_size);
}

bool is_value(const Json& value) {
  if (!value.is_object()) return is_plain(value);
  return value.size() == 2 && is_plain(value["min"]) && is_plain(value["max"]);
}

bool is_attribute(const profile::Schema& schema, const std::string& name, const Json& value) {
  auto slot = schema.slot(name);
  if (!slot || !value.is_array()) return slot && is_value(value);
  return !value.empty() && value.size() <= schema.at(*slot).max_values &&
         std::all_of(value.begin(), value.end(), is_value);
}

bool is_way(const std::string& name, const Json& value) {
  return name == "sip" || name == "mail" || name == "phone" ||
         (value.is_string() && is_uri(value.text()));
}

}  // namespace

bool is_uri(std::string_view text) {
  return text.starts_with("sip:") || text.starts_with("sips:") || text.starts_with("tel:") ||
         text.starts_with("mailto:");
}

Card read_card(const profile::Schema& schema, std::string_view text) {
  auto json = parse_json(text, {.digits_as_written = true});
  Card out;
  if (!json || !json->is_object()) return out;
  out.attrs = *std::move(json);
  for (const std::string& name : std::vector<std::string>(out.attrs.names())) {
    const Json& value = out.attrs[name];
    bool good = is_attribute(schema, name, value);
    if (good && name == "name")
      out.name = (value.is_array() ? value.front() : value).get<std::string>();
    else if (good && is_way(name, value))
      out.ways[name] = value;
    if (!good || name == "name") out.attrs.erase(name);
  }
  return out;
}

}  // namespace beckon::service
