// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "chord/peer_ref.h"
#include "node/service/people/user.h"

namespace beckon::service {

/// How to reach somebody: from a record that was found, a contact, or a locator. All but the key is
/// a hint.
struct PersonRef {
  PublicKey key{};
  std::string name{};
  hpke::PublicKey message_key{};  // all zero while unknown
  chord::PeerRef host{};
  UserId id() const { return user_id(key); }
  friend bool operator==(const PersonRef&, const PersonRef&) = default;
};

}  // namespace beckon::service
