// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace beckon::service {

/// Something a person or a program at the API may want to hear of, in the order it happened.
/// `json` is one JSON object; `name` is the SSE event name (ring, hit, message, call ...).
struct Event {
  std::string name{};
  std::string json{};
};

}  // namespace beckon::service
