// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "node/service/mail/outbox.h"

namespace beckon::service {

/// What participants of a call say to each other's nodes; the body of a Letter of kind call, as
/// JSON. The letter's thread is the number of the call.
struct CallMessage {
  enum class Op : std::uint8_t {
    invite,  // `members`: the caller, and in a group everybody invited
    accept,
    decline,  // `text` says why: "busy" or "declined"
    roster,   // from the caller: who is in the call now
    line,     // `text`
    alive,
    hangup,
  };
  static constexpr std::size_t max_line = 4096;
  static constexpr std::size_t max_members = 64;

  Op op = Op::alive;
  std::string text{};
  std::uint64_t count{};  // grows by one with every message of this sender to this recipient
  std::vector<PersonRef> members{};
  friend bool operator==(const CallMessage&, const CallMessage&) = default;
};

std::string encode(const CallMessage& message);
Result<CallMessage> decode_call_message(std::string_view body);

}  // namespace beckon::service
