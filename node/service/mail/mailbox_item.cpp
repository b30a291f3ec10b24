#include "node/service/mail/mailbox_item.h"

namespace beckon::service {

namespace {

constexpr std::uint8_t ack_mark = 0x80;
constexpr std::size_t signature_size = 64;
constexpr std::string_view domain = "beckon/mbox-ack/v1";

Bytes signed_bytes(const Digest& overlay, ByteView body) {
  ByteWriter w;
  w.raw(as_bytes(domain));
  w.raw(overlay);
  w.raw(body);
  return w.take();
}

struct Ack {
  MailboxAck ack{};
  Signature signature{};
  ByteView body{};  // what is signed
};

Result<Ack> decode_ack(ByteView bytes) {
  ByteReader r(bytes);
  Ack out;
  std::uint8_t mark = r.u8();
  out.ack.recipient = r.array<32>();
  out.ack.entry.bytes = r.array<Id::size>();
  out.ack.expiry = wall_from_ms(r.i64());
  out.signature = r.array<signature_size>();
  if (mark != ack_mark || !is_plausible(out.ack.expiry)) r.fail();
  if (auto done = r.finish("a mailbox acknowledgement"); !done) return done.error();
  out.body = bytes.first(bytes.size() - signature_size);
  return out;
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

Bytes sign_mailbox_ack(const MailboxAck& ack, const Digest& overlay, const SecretSeed& seed,
                       const Signer& signer) {
  ByteWriter w;
  w.u8(ack_mark);
  w.raw(ack.recipient);
  w.raw(ack.entry.bytes);
  w.i64(to_ms(ack.expiry));
  Signature signature = signer.sign(seed, signed_bytes(overlay, w.bytes()));
  w.raw(signature);
  return w.take();
}

ItemLimits MailboxRules::limits() const {
  return {.max_bytes = Envelope::max_size,
          .max_life = std::chrono::duration_cast<std::chrono::seconds>(max_letter_life),
          .per_author_items = 1000,
          .per_author_bytes = 16 * 1024 * 1024};
}

Result<ItemInfo> MailboxRules::read_ack(const Id& ring, ByteView bytes) const {
  auto ack = decode_ack(bytes);
  if (!ack) return ack.error();
  UserId recipient = user_id(ack->ack.recipient);
  if (mailbox_key(overlay_, recipient) != ring) return to_error(Status::wrong_key);
  return info(ack->ack.entry, recipient, ack->ack.expiry, true);
}

Result<ItemInfo> MailboxRules::read(const Id& ring, ByteView bytes) const {
  if (!bytes.empty() && bytes[0] == ack_mark) return read_ack(ring, bytes);
  auto envelope = decode_envelope(bytes);
  if (!envelope) return envelope.error();
  if (mailbox_key(overlay_, envelope->to) != ring) return to_error(Status::wrong_key);
  return info(mailbox_item_id(bytes), envelope->to, envelope->expiry, false);
}

bool MailboxRules::genuine(ByteView bytes) const {
  auto ack = decode_ack(bytes);
  if (!ack) return decode_envelope(bytes).has_value();
  return signer_.verify(ack->ack.recipient, signed_bytes(overlay_, ack->body), ack->signature);
}

}  // namespace beckon::service
