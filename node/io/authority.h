// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "node/io/identity.h"
#include "node/service/admission/enrolment.h"
#include "node/service/admission/invite.h"
#include "node/service/admission/overlay.h"

namespace beckon::io {

/// The authority of an overlay, on the one node that holds its key: signs the overlay's own schema,
/// and in a closed one admits newcomers by one-time secrets and expels members. Everything lives
/// below one directory (0700): `key`, `ledger` (serials given out, invites open, members admitted),
/// `revocations`. Each change is durable before the call returns.
class Authority final : public service::Enroller {
 public:
  struct Options {
    std::chrono::hours credential_life{30 * 24};
    std::chrono::hours invite_life{7 * 24};
    std::size_t max_open_invites = 256;
    std::size_t max_members = 65536;
    std::chrono::hours member_memory{365 * 24};  // who was away so long after its credential ended
                                                 // is forgotten, and its place on the ring too
  };
  struct Member {
    service::Credential credential{};  // the latest one
    chord::Id id{};
  };

  struct NewOverlay {
    std::string name{};
    service::Admission admission = service::Admission::closed;
    std::string schema{};  // JSON; empty: the built-in one
  };
  /// Makes the key, and returns the overlay with a fresh salt and its schema signed. Refused when
  /// the directory holds an authority already.
  static Result<service::Overlay> create(const std::filesystem::path& directory,
                                         const NewOverlay& wanted);
  static Result<Authority> open(const std::filesystem::path& directory, service::Overlay overlay,
                                Options options);
  static Result<Authority> open(const std::filesystem::path& directory, service::Overlay overlay) {
    return open(directory, std::move(overlay), Options());
  }
  static bool exists(const std::filesystem::path& directory);

  /// The founder's own credential, role authority.
  Result<service::Credential> admit_self(const PublicKey& key, WallTime now);
  /// A string for one newcomer, who will find this node at `addresses`.
  Result<service::Invite> invite(const chord::Id& inviter, std::vector<std::string> addresses,
                                 WallTime now);
  Result<service::Credential> admit(const PublicKey& key, const service::EnrolRequest& request,
                                    WallTime now) override;
  Result<service::Credential> renew(const chord::Id& member, WallTime now) override;
  /// Expels a member; the new list is to be given to Transport::set_revocations.
  Result<service::Revocations> revoke(const chord::Id& member, WallTime now);
  const service::Revocations& revocations() const { return revocations_; }
  /// Signs a schema (JSON) that extends the present one. Nothing is kept here: the caller keeps the
  /// document and gives it to Transport::set_schema.
  Result<service::SchemaDocument> grow(const service::Overlay& present,
                                       const std::string& schema) const;
  std::vector<Member> members() const;  // in id order
  std::size_t open_invites() const { return invites_.size(); }

 private:
  Authority() = default;
  Result<service::Credential> issue(const PublicKey& key, service::Role role, WallTime now);
  Result<service::Credential> sign(service::Credential draft, const chord::Id& id, WallTime now);
  void forget_ended(WallTime now);
  service::Nonce place_of(const Digest& key_hash) const;
  Result<void> save();
  Bytes encode_ledger() const;
  Result<void> decode_ledger(ByteView bytes);

  std::filesystem::path directory_{};
  service::Overlay overlay_{};
  Options options_{};
  SecretSeed seed_{};
  std::uint64_t next_serial_ = 1;
  std::map<Digest, WallTime> invites_{};  // SHA-256 of the secret, good until
  std::map<chord::Id, service::Credential> members_{};
  service::Revocations revocations_{};
};

}  // namespace beckon::io
