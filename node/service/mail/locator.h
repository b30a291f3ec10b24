#pragma once

#include <vector>

#include "base/hpke.h"
#include "chord/peer_ref.h"

namespace beckon::service {

/// Where a user is reached and which key to seal to: the payload of an author record that the
/// user's host keeps on the ring, so that a moved host and a changed key are found by the public
/// key alone.
struct Locator {
  static constexpr std::uint8_t topic = 1;

  static constexpr std::size_t max_hosts = 4;
  static constexpr std::size_t max_additions = 256;

  std::vector<chord::PeerRef> hosts{};  // 1..max_hosts; the first one is asked
  hpke::PublicKey message_key{};
  Bytes additions{};  // what a later version says; none has a meaning yet
  friend bool operator==(const Locator&, const Locator&) = default;
};

/// u8 version | u8 number of hosts, each id 20 and counted8 address | message key 32 | counted16
/// additions, at most 256
Bytes encode(const Locator& locator);
Result<Locator> decode_locator(ByteView payload);

}  // namespace beckon::service
