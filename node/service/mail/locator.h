#pragma once

#include "base/hpke.h"
#include "chord/peer_ref.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

/// Where a user is reached and which key to seal to: the payload of an author record that the
/// user's host keeps on the ring, so that a moved host and a changed key are found by the public
/// key alone.
struct Locator {
  static constexpr std::uint8_t topic = 1;

  chord::PeerRef host{};
  hpke::PublicKey message_key{};
  static constexpr Form form = exact("a locator");
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("host", m.host.id);
    f.text8("address", m.host.address, upto(chord::max_address_size));
    f("message key", m.message_key);
  }
  friend bool operator==(const Locator&, const Locator&) = default;
};

}  // namespace beckon::service
