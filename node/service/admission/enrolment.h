// SPDX-License-Identifier: MIT
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
struct EnrolRequest {
  enum class Kind : std::uint8_t { file = 0, join = 1 };
  Kind kind = Kind::file;
  InviteSecret secret{};  // of the invite; kind join only

  static constexpr Form form = may_grow("enrolment request", wire::enrol);
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("kind", m.kind, upto(Kind::join));
    f.when("kind is 1", m.kind == Kind::join, [&] { f("secret", m.secret); });
  }
  friend bool operator==(const EnrolRequest&, const EnrolRequest&) = default;
};

/// The overlay's file, in canonical form only.
struct OverlayCodec {
  static constexpr const char* name = "overlay file";
  static Bytes encode(const Overlay& overlay);
  static Result<Overlay> decode(ByteView bytes);
};
/// Nothing stands for no list.
struct RevocationsCodec {
  static constexpr const char* name = "revocation list or nothing";
  using Value = std::optional<Revocations>;
  static Bytes encode(const Value& list) { return list ? beckon::encode(*list) : Bytes(); }
  static Result<Value> decode(ByteView bytes);
};

/// What it gets.
struct Enrolment {
  Overlay overlay{};
  std::optional<Credential> credential{};
  std::optional<Revocations> revocations{};

  static constexpr Form form = may_grow("enrolment", wire::enrolled);
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("credential", m.credential);
    f.template boxed32<OverlayCodec>("overlay file", m.overlay);
    f.template boxed32<RevocationsCodec>("revocation list", m.revocations);
  }
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
