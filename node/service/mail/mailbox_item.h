// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/items/item.h"
#include "node/service/mail/letter.h"

namespace beckon::service {

/// The place on the ring where sealed letters wait for a user who is away:
/// first 20 bytes of SHA-256("mbox" | overlay | user id).
Id mailbox_key(const Digest& overlay, const UserId& user);

/// Says that a letter was fetched and may be forgotten. Only the recipient can say so; it takes the
/// letter's place until the letter would have expired, so that no copy of it comes back.
/// The first byte tells it from an envelope.
struct MailboxAck {
  PublicKey recipient{};
  Id entry{};  // sub id of the letter
  WallTime expiry{};
  Signature signature{};

  static constexpr std::uint8_t mark = 0x80;
  static constexpr Form form = exact("a mailbox acknowledgement");
  static void fields(auto& f, auto& m) {
    f.constant("mark", mark);
    f("recipient", m.recipient);
    f("entry", m.entry);
    f("expiry", m.expiry, plausible_times);
    f("signature", m.signature);
  }
};
Bytes sign_mailbox_ack(MailboxAck ack, const Digest& overlay, const SecretSeed& seed,
                       const Signer& signer);

/// A mailbox holds envelopes, which anybody may add (they are sealed, so nothing in them can be
/// checked but their form), and the recipient's acknowledgements. Both count against the
/// recipient's quota.
class MailboxRules final : public ItemRules {
 public:
  MailboxRules(const Digest& overlay, const Signer& signer) : overlay_(overlay), signer_(signer) {}

  ItemKind kind() const override { return ItemKind::mailbox_item; }
  ItemLimits limits() const override;
  Result<ItemInfo> read(const Id& ring, ByteView bytes) const override;
  bool open_to_all() const override { return false; }
  bool shared_place() const override { return true; }
  bool genuine(ByteView bytes) const override;

  static Id mailbox_item_id(ByteView envelope) { return Id::of_digest(sha256(envelope)); }

 private:
  Result<ItemInfo> read_ack(const Id& ring, ByteView bytes) const;

  Digest overlay_;
  const Signer& signer_;
};

}  // namespace beckon::service
