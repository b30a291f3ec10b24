// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/fields.h"
#include "base/time.h"
#include "profile/index/elements.h"

namespace beckon::profile {

using MessageKey = std::array<std::uint8_t, 32>;  // X25519; messages to the owner are sealed to it
using HostId = std::array<std::uint8_t, 20>;      // the node that hosts the owner

inline constexpr std::uint8_t record_format = 2;
inline constexpr std::size_t max_record_size = 947;
inline constexpr std::size_t max_hosts = 4;
inline constexpr std::size_t max_host_address = 64;
inline constexpr std::size_t max_additions = 256;

/// A node that hosts the owner, and where it listens.
struct RecordHost {
  HostId id{};
  std::string address{};  // "host:port"
  friend bool operator==(const RecordHost&, const RecordHost&) = default;
};

/// What an owner publishes: who it is, where it is hosted, and the filter of its profile; never a
/// plain value. The same bytes lie under every key. A withdrawn record has neither presence nor
/// filter and stands in the place of older versions until it expires.
///
/// A later version may say more than this one knows: presence of other slots, another class,
/// ignorable flags and additions. All of it is kept as it came, since the signature covers it.
struct Record {
  PublicKey owner_key{};
  MessageKey message_key{};
  std::vector<RecordHost> hosts{};  // 1..max_hosts; the first one is asked
  std::uint64_t version{};
  WallTime expiry{};  // whole seconds
  bool withdrawn = false;
  std::uint8_t ignorable{};  // flags that nobody needs to know; none has a meaning yet
  std::uint32_t layout{};    // the name of a class, perhaps of a later schema
  std::uint32_t presence{};  // a bit for each slot that has a value
  std::uint32_t
      open{};  // those whose numbers are too wide for the filter; never more than presence
  filters::BitArray filter{};  // one of filter_lengths; empty if withdrawn
  Bytes additions{};           // at most max_additions; none has a meaning yet
  Signature signature{};

  /// What stands before the filter, whose length depends on a code, and the signature.
  static void fields(auto& f, auto& m) {
    f.constant("format", record_format);
    f.bits8("critical flags", m.withdrawn);
    f("ignorable flags", m.ignorable);
    f("owner key", m.owner_key);
    f("message key", m.message_key);
    f.list8("hosts", m.hosts, {1, max_hosts}, [](auto& each, auto& host) {
      each("host", host.id);
      each.word8("address", host.address, {1, max_host_address});
    });
    f("version", m.version);
    f.seconds32("expiry", m.expiry);
    f("presence", m.presence);
    f("open", m.open);
    f("class", m.layout);
    f.rule("open slots are present", [&] { return (m.open & ~m.presence) == 0; });
  }
  friend bool operator==(const Record&, const Record&) = default;
};

inline constexpr double default_target_fpr = 5.5e-3;

OwnerId owner_id(const PublicKey& key);

/// What the publisher knows besides the profile.
struct Publication {
  PublicKey owner_key{};
  MessageKey message_key{};
  RecordHost host{};
  std::uint64_t version{};
  WallTime expiry{};
  double target_fpr = default_target_fpr;
};

/// Unsigned; sign_record makes it complete.
Record build_record(const Schema& schema, const Salt& salt, const Profile& profile,
                    const Publication& publication);
Record withdrawal(const Publication& publication);

/// Signs, once for a version. The signature also covers the salt, so that a record cannot be
/// replayed into another overlay.
void sign_record(const Salt& salt, const Signer& signer, const SecretSeed& seed, Record& record);
bool verify_record(const Salt& salt, const Signer& signer, const Record& record);

/// The layout of docs/protocol-index.md. Decoding refuses whatever encode would not write, so the
/// signature can be checked on the decoded record. It does not verify.
Bytes encode(const Record& record);
Result<Record> decode_record(ByteView bytes);

}  // namespace beckon::profile
