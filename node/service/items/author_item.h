// SPDX-License-Identifier: MIT
#pragma once

#include "base/crypto.h"
#include "node/service/admission/overlay.h"
#include "node/service/items/item.h"

namespace beckon::service {

/// A record whose place on the ring is the hash of its author: whoever knows the author's key finds
/// it, nobody else can write there. One per author and topic. The overlay is signed, too, so that
/// it cannot be replayed into another.
///
/// Layout: "beckon/record/v1" | overlay 32 | the fields; then the signature, 64 bytes, over exactly
/// the bytes before it.
struct AuthorItem {
  std::uint8_t topic{};
  PublicKey author{};
  std::uint64_t seq{};
  WallTime issued{};
  std::chrono::seconds life{};
  bool tombstone = false;
  Bytes payload{};
  static void fields(auto& f, auto& m) {
    f("topic", m.topic);
    f("author", m.author);
    f("seq", m.seq);
    f("issued", m.issued, upto(std::uint64_t{1} << 52));
    f.seconds32("life", m.life);
    f("tombstone", m.tombstone);
    f.bytes32("payload", m.payload);
    f.rule("no payload in a tombstone", [&] { return !m.tombstone || m.payload.empty(); });
  }

  friend bool operator==(const AuthorItem&, const AuthorItem&) = default;
  WallTime expiry() const { return issued + life; }
};

/// First 20 bytes of SHA-256("key" | overlay | topic | author key).
Id author_record_key(const OverlayId& overlay, std::uint8_t topic, const PublicKey& author);

/// Signs; `record.author` must be the public key of `seed`.
Bytes sign_author_record(const AuthorItem& record, const OverlayId& overlay, const SecretSeed& seed,
                         const Signer& signer);

/// Strict, but neither signature nor clock: those are for RuleBook::judge_fully.
Result<AuthorItem> decode_author_record(ByteView bytes, const OverlayId& overlay);

/// The next sequence number: an author who lost the last one still moves on with the clock.
std::uint64_t next_seq(std::uint64_t last_durable, WallTime now);

/// A tombstone that outlives what it deletes.
AuthorItem tombstone_for(const AuthorItem& record, std::uint64_t seq, WallTime now);

class AuthorItemRules final : public ItemRules {
 public:
  static constexpr std::size_t max_payload = 64 * 1024 - 256;  // whole record within 64 KiB
  static constexpr std::chrono::seconds max_life = std::chrono::hours(24);

  AuthorItemRules(const OverlayId& overlay, const Signer& signer)
      : overlay_(overlay), signer_(signer) {}

  ItemKind kind() const override { return ItemKind::author_item; }
  ItemLimits limits() const override;
  Result<ItemInfo> read(const Id& ring, ByteView bytes) const override;
  bool genuine(ByteView bytes) const override;

 private:
  OverlayId overlay_;
  const Signer& signer_;
};

}  // namespace beckon::service
