#pragma once

#include "base/bytes.h"
#include "chord/message.h"

namespace beckon::chord {

inline constexpr std::uint8_t wire_version = 1;
inline constexpr std::size_t max_list_entries = 32;  // of any successor list on the wire
inline constexpr std::size_t max_closer_entries = 8;

MessageType type_of(const Message& message);

/// The body of a ring frame, exactly as docs/protocol.md lays it out. Decoding is strict: what it
/// accepts encodes back to the same bytes, and a refusal names the message.
Bytes encode(const Message& message);
Result<Message> decode(std::uint8_t type, ByteView body);

/// A peer reference as every list holds it; services use the same layout.
void write_peer(ByteWriter& out, const PeerRef& peer);
PeerRef read_peer(ByteReader& in);  // fails the reader on an empty, long or unprintable address

}  // namespace beckon::chord
