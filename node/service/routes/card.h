// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/json.h"
#include "profile/schema/schema.h"

namespace beckon::service {

/// What a person shows of itself.
struct Card {
  std::string name{};           // the first one
  Json attrs = Json::object();  // all but the name
  Json ways = Json::object();   // of these, addresses that another program can open
};

/// An address that another program can open: sip:, tel: or mailto:.
bool is_uri(std::string_view text);

/// A card comes from a stranger's node: what has no place in the schema, or not the shape of a
/// value, is left out, and nothing is left of what parse_json refuses. Nothing is compared with it,
/// so texts are not folded.
Card read_card(const profile::Schema& schema, std::string_view text);

}  // namespace beckon::service
