#include "node/service/mail/mail_messages.h"

namespace beckon::service {

namespace {

void write_request(ByteWriter& w, const FetchRequest& m) {
  w.raw(m.user);
  w.i64(to_ms(m.time));
  w.u8(m.after ? 1 : 0);
  if (m.after) w.raw(m.after->bytes);
}

}  // namespace

Bytes fetch_signed_bytes(const FetchRequest& m, const Digest& overlay, const Id& asked) {
  ByteWriter w;
  w.raw(as_bytes("beckon/mbox-fetch/v1"));
  w.raw(overlay);
  w.raw(asked.bytes);
  write_request(w, m);
  return w.take();
}

Bytes encode(const FetchRequest& m) {
  ByteWriter w;
  write_request(w, m);
  w.raw(m.signature);
  return w.take();
}

Result<FetchRequest> decode_fetch_request(ByteView body) {
  ByteReader r(body);
  FetchRequest m;
  m.user = r.array<32>();
  m.time = wall_from_ms(r.i64());
  std::uint8_t more = r.u8();
  if (more > 1 || !is_plausible(m.time)) r.fail();
  if (more == 1) m.after = Id{r.array<Id::size>()};
  m.signature = r.array<64>();
  if (auto done = r.finish("a mailbox request"); !done) return done.error();
  return m;
}

Bytes encode(const FetchReply& m) {
  ByteWriter w;
  w.u8(m.more ? 1 : 0);
  w.u16(static_cast<std::uint16_t>(m.envelopes.size()));
  for (const Bytes& envelope : m.envelopes) w.counted32(envelope);
  return w.take();
}

Result<FetchReply> decode_fetch_reply(ByteView body) {
  ByteReader r(body);
  FetchReply m;
  std::uint8_t more = r.u8();
  std::uint16_t count = r.u16();
  if (more > 1) r.fail();
  m.more = more == 1;
  for (std::uint16_t i = 0; r.ok() && i < count; ++i) {
    ByteView envelope = r.counted32();
    if (envelope.empty() || envelope.size() > Envelope::max_size) r.fail();
    m.envelopes.emplace_back(envelope.begin(), envelope.end());
  }
  if (auto done = r.finish("letters from a mailbox"); !done) return done.error();
  return m;
}

Bytes encode(Delivery outcome) { return {static_cast<std::uint8_t>(outcome)}; }

Result<Delivery> decode_delivery(ByteView body) {
  if (body.size() != 1 || body[0] > 3) return invalid("the answer to a letter is malformed");
  return static_cast<Delivery>(body[0]);
}

}  // namespace beckon::service
