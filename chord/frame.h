// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "chord/peer_ref.h"

namespace beckon::chord {

/// One unit of the wire, in either direction: on its way out `peer` is whom to send it to, on its
/// way in it is who sent it, as TLS proved. The transport carries frames and knows no body.
/// On the wire: u32 length | u8 type | u64 request | body.
/// `length` counts what follows it. Types below 0x08 are the transport's
/// (node/service/admission/hello.h), those below 0x20 the ring's (chord/wire.h), the rest the
/// services' (node/service/kernel/frames.h).
struct Frame {
  PeerRef peer{};
  std::uint8_t type{};
  std::uint64_t request{};  // pairs a reply with its request; 0 for frames that expect none
  Bytes body{};
};

inline constexpr std::size_t max_frame_body = 256 * 1024;

}  // namespace beckon::chord
