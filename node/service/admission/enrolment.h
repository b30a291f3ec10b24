#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "node/service/admission/credential.h"
#include "node/service/admission/overlay.h"
#include "node/service/admission/revocations.h"

namespace beckon::service {

using InviteSecret = std::array<std::uint8_t, 16>;

/// What a newcomer asks on an enrolment connection. Its key is the one TLS proved.
/// On the wire: version 1 | u8 kind | secret when kind is `join`.
struct EnrolRequest {
  enum class Kind : std::uint8_t { file = 0, join = 1 };
  Kind kind = Kind::file;
  InviteSecret secret{};  // of the invite; kind join only

  Bytes encode() const;
  static Result<EnrolRequest> decode(ByteView body);
  friend bool operator==(const EnrolRequest&, const EnrolRequest&) = default;
};

/// What it gets. On the wire: version 1 | u8 1 and credential, or 0 | counted32 overlay file |
/// counted32 revocation list, or nothing.
struct Enrolment {
  Overlay overlay{};
  std::optional<Credential> credential{};
  std::optional<Revocations> revocations{};

  Bytes encode() const;
  static Result<Enrolment> decode(ByteView body);
  friend bool operator==(const Enrolment&, const Enrolment&) = default;
};

/// Decides about newcomers and members: the holder of the authority's key. What it grants is
/// durable before it returns.
class Enroller {
 public:
  virtual ~Enroller() = default;
  virtual Result<Credential> admit(const PublicKey& key, const EnrolRequest& request,
                                   WallTime now) = 0;  // a secret is good once
  /// The next credential of a member, for the same key and place. Asked again soon, the same one.
  virtual Result<Credential> renew(const chord::Id& member, WallTime now) = 0;
};

}  // namespace beckon::service
