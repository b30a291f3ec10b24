// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "chord/message.h"

namespace beckon::chord {

MessageType type_of(const Message& message);

/// The body of a ring frame, whichever it is; the layouts are in chord/message.h.
Bytes encode(const Message& message);
Result<Message> decode(std::uint8_t type, ByteView body);

}  // namespace beckon::chord
