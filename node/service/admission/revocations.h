// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "node/service/admission/credential.h"
#include "node/service/admission/hello.h"

namespace beckon::service {

/// Whom a closed overlay has expelled: node ids with the moment their credential ends by itself and
/// the entry may be forgotten. The list with the higher version replaces the lower one, whole.
struct Revocations {
  OverlayId overlay{};
  std::uint64_t version{};  // 0: the empty list nobody signed
  std::map<chord::Id, WallTime> expelled{};
  Signature signature{};

  static constexpr std::size_t max_entries = 4096;
  bool contains(const chord::Id& id) const { return expelled.contains(id); }
  static constexpr Form form = exact("revocation list", wire::revocations);
  static void signed_fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("overlay", m.overlay);
    f("list version", m.version);
    f.map32("expelled", m.expelled, upto(max_entries), [](auto& g, auto& id, auto& until) {
      g("node", id);
      g("until", until);
    });
  }
  static void fields(auto& f, auto& m) {
    signed_fields(f, m);
    f("signature", m.signature);
  }
  Bytes signed_part() const;
  bool signed_by(const PublicKey& authority, const Signer& signer) const;
  friend bool operator==(const Revocations&, const Revocations&) = default;
};

}  // namespace beckon::service
