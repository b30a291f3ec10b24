// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chord/peer_ref.h"
#include "node/service/admission/enrolment.h"

namespace beckon::service {

/// One string that is enough to join: where a member listens, who it is, which overlay, and in a
/// closed one the secret that admits one newcomer once. As text "beckon1:" and base64url (no
/// padding) of: version 1 | admission | overlay id | node id | i64 not after | counted8 name |
/// u8 count, count x counted8 address | closed: authority key, secret | first 4 bytes of SHA-256
/// over all of it. The checksum catches a slip of the clipboard, nothing more.
struct Invite {
  OverlayId overlay{};
  std::string name{};  // of the overlay, to show
  Admission admission = Admission::open;
  chord::Id inviter{};
  WallTime not_after{};
  std::vector<std::string> addresses{};  // 1..4, each 1..64 bytes
  std::optional<PublicKey> authority{};  // closed only
  std::optional<InviteSecret> secret{};  // closed only

  std::string text() const;
  static Result<Invite> parse(std::string_view text);
  friend bool operator==(const Invite&, const Invite&) = default;
};

}  // namespace beckon::service
