#pragma once

#include <string>
#include <string_view>

#include "profile/schema/schema.h"

namespace beckon::service {

/// What a person shows of itself, as members of JSON objects.
struct CardText {
  std::string attrs{};  // "age":24,"hobby":["chess"] without the name
  std::string name{};   // the first one, plain
  std::string ways{};   // "sip":"sip:alice@example.net": addresses that another program can open
};

/// An address that another program can open: sip:, tel: or mailto:.
bool is_uri(std::string_view text);

/// A card comes from a stranger's node: what has no place in the schema, or not the shape of a
/// value, is left out, and nothing is left of what is not a JSON object. Nothing is compared with
/// it, so texts are not folded.
CardText read_card(const profile::Schema& schema, std::string_view card);

}  // namespace beckon::service
