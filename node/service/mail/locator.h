// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/hpke.h"
#include "chord/peer_ref.h"
#include "node/service/kernel/frames.h"

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
  static constexpr Form form = exact("a locator");
  static void fields(auto& f, auto& m) {
    f.constant("version", 2);
    f.list8("hosts", m.hosts, {1, max_hosts}, [](auto& each, auto& host) {
      each("host", host.id);
      each.text8("address", host.address, upto(chord::max_address_size));
    });
    f("message key", m.message_key);
    f.bytes16("additions", m.additions, upto(max_additions));
  }
  friend bool operator==(const Locator&, const Locator&) = default;
};

}  // namespace beckon::service
