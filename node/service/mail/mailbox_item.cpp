// SPDX-License-Identifier: MIT
#include "node/service/mail/mailbox_item.h"

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/mbox-ack/v1";

/// Of an acknowledgement, all but its last field.
Bytes signed_bytes(const Digest& overlay, ByteView ack) {
  ByteWriter w;
  w.raw(as_bytes(domain));
  w.raw(overlay);
  w.raw(ack.first(ack.size() - sizeof(Signature)));
  return w.take();
}

/// An envelope carries its expiry only. Seen as written at the earliest moment that allows it, the
/// common rule "not issued in the future" bounds its life.
ItemInfo info(const Id& sub, const UserId& recipient, WallTime expiry, bool acknowledged) {
  return {.sub = sub,
          .seq = acknowledged ? 1U : 0U,
          .issued = expiry - max_letter_life,
          .expiry = expiry,
          .tombstone = acknowledged,
          .author = recipient};
}

}  // namespace

Id mailbox_key(const Digest& overlay, const UserId& user) {
  return Id::of_digest(sha256({as_bytes("mbox"), overlay, user.bytes}));
}

Bytes sign_mailbox_ack(MailboxAck ack, const Digest& overlay, const SecretSeed& seed,
                       const Signer& signer) {
  ack.signature = signer.sign(seed, signed_bytes(overlay, encode(ack)));
  return encode(ack);
}

ItemLimits MailboxRules::limits() const {
  return {.max_bytes = Envelope::max_size,
          .max_life = std::chrono::duration_cast<std::chrono::seconds>(max_letter_life),
          .per_author_items = 1000,
          .per_author_bytes = 16 * 1024 * 1024};
}

Result<ItemInfo> MailboxRules::read_ack(const Id& ring, ByteView bytes) const {
  auto ack = decode<MailboxAck>(bytes);
  if (!ack) return ack.error();
  UserId recipient = user_id(ack->recipient);
  if (mailbox_key(overlay_, recipient) != ring) return to_error(Status::wrong_key);
  return info(ack->entry, recipient, ack->expiry, true);
}

Result<ItemInfo> MailboxRules::read(const Id& ring, ByteView bytes) const {
  if (!bytes.empty() && bytes[0] == MailboxAck::mark) return read_ack(ring, bytes);
  auto envelope = decode_envelope(bytes);
  if (!envelope) return envelope.error();
  if (mailbox_key(overlay_, envelope->to) != ring) return to_error(Status::wrong_key);
  return info(mailbox_item_id(bytes), envelope->to, envelope->expiry, false);
}

bool MailboxRules::genuine(ByteView bytes) const {
  auto ack = decode<MailboxAck>(bytes);
  if (!ack) return decode_envelope(bytes).has_value();
  return signer_.verify(ack->recipient, signed_bytes(overlay_, bytes), ack->signature);
}

}  // namespace beckon::service
