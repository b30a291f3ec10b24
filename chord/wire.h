// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "chord/message.h"

namespace beckon::chord {

MessageType type_of(const Message& message);

/// The body of a ring frame, whichever it is; the layouts are in chord/message.h.
Bytes encode(const Message& message);
Result<Message> decode(std::uint8_t type, ByteView body);

/// Whether this version has a message of that type, and that layout of it: the first byte of the
/// body. One that it has not is no fault of the sender.
bool is_known(std::uint8_t type, ByteView body);
/// Whether frames of that type answer others; of types to come those with an even number do.
bool is_reply(std::uint8_t type);

}  // namespace beckon::chord
