#pragma once

#include "base/hpke.h"
#include "chord/peer_ref.h"

namespace beckon::service {

/// Where a user is reached and which key to seal to: the payload of an author record that the
/// user's host keeps on the ring, so that a moved host and a changed key are found by the public
/// key alone.
struct Locator {
  static constexpr std::uint8_t topic = 1;

  chord::PeerRef host{};
  hpke::PublicKey message_key{};
  friend bool operator==(const Locator&, const Locator&) = default;
};

/// u8 version | host id 20 | counted8 address | message key 32
Bytes encode(const Locator& locator);
Result<Locator> decode_locator(ByteView payload);

}  // namespace beckon::service
