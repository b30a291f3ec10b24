#include "node/service/find/find_messages.h"

#include "profile/index/record.h"

namespace beckon::service {

namespace {

constexpr std::uint8_t home_only_bit = 1;
constexpr std::uint8_t first_x_bit = 2;
constexpr std::uint8_t first_y_bit = 4;

void write_wanted(ByteWriter& w, const profile::Wanted& wanted) {
  w.u8(static_cast<std::uint8_t>((wanted.home_only ? home_only_bit : 0) |
                                 (wanted.first_x ? first_x_bit : 0) |
                                 (wanted.first_y ? first_y_bit : 0)));
  w.u8(wanted.back);
}

profile::Wanted read_wanted(ByteReader& r) {
  std::uint8_t bits = r.u8();
  if (bits > 7) r.fail();
  return {.home_only = (bits & home_only_bit) != 0,
          .first_x = (bits & first_x_bit) != 0,
          .first_y = (bits & first_y_bit) != 0,
          .back = r.u8()};
}

bool read_bool(ByteReader& r) {
  std::uint8_t v = r.u8();
  if (v > 1) r.fail();
  return v == 1;
}

Id read_id(ByteReader& r) { return Id{r.array<Id::size>()}; }

}  // namespace

Bytes encode(const QueryRequest& m) {
  ByteWriter w;
  w.raw(m.key.bytes);
  write_wanted(w, m.wanted);
  w.raw(m.start.bytes);
  w.u8(m.after ? 1 : 0);
  if (m.after) w.raw(m.after->bytes);
  w.u8(m.credit);
  w.counted16(profile::encode(m.predicates));
  return w.take();
}

Result<QueryRequest> decode_query_request(ByteView body) {
  ByteReader r(body);
  QueryRequest m;
  m.key = read_id(r);
  m.wanted = read_wanted(r);
  m.start = read_id(r);
  if (read_bool(r)) m.after = read_id(r);
  m.credit = r.u8();
  if (m.credit == 0 || m.credit > max_credit) r.fail();
  ByteView predicates = r.counted16();
  if (auto done = r.finish("a question"); !done) return done.error();
  auto decoded = profile::decode_predicates(predicates);
  if (!decoded) return decoded.error();
  m.predicates = *std::move(decoded);
  return m;
}

Bytes encode(const QueryReply& m) {
  ByteWriter w;
  w.u8(m.settling ? 1 : 0);
  w.u8(m.more ? 1 : 0);
  w.u32(m.listed);
  w.u32(m.scanned);
  w.u8(static_cast<std::uint8_t>(m.records.size()));
  for (const Bytes& record : m.records) w.counted16(record);
  return w.take();
}

Result<QueryReply> decode_query_reply(ByteView body) {
  ByteReader r(body);
  QueryReply m;
  m.settling = read_bool(r);
  m.more = read_bool(r);
  m.listed = r.u32();
  m.scanned = r.u32();
  std::uint8_t count = r.u8();
  if (count > max_credit) r.fail();
  for (std::uint8_t i = 0; r.ok() && i < count; ++i) {
    ByteView record = r.counted16();
    if (record.empty() || record.size() > profile::max_record_size) r.fail();
    m.records.emplace_back(record.begin(), record.end());
  }
  if (m.more && m.records.empty()) r.fail();  // there would be nowhere to go on from
  if (auto done = r.finish("an answer of the index"); !done) return done.error();
  return m;
}

Bytes encode(const CountRequest& m) {
  ByteWriter w;
  w.u8(static_cast<std::uint8_t>(m.keys.size()));
  for (const Id& key : m.keys) w.raw(key.bytes);
  return w.take();
}

Result<CountRequest> decode_count_request(ByteView body) {
  ByteReader r(body);
  CountRequest m;
  std::uint8_t count = r.u8();
  if (count == 0 || count > max_counts) r.fail();
  for (std::uint8_t i = 0; r.ok() && i < count; ++i) m.keys.push_back(read_id(r));
  if (auto done = r.finish("a count"); !done) return done.error();
  return m;
}

Bytes encode(const CountReply& m) {
  ByteWriter w;
  w.u8(static_cast<std::uint8_t>(m.listed.size()));
  for (std::uint32_t listed : m.listed) w.u32(listed);
  return w.take();
}

Result<CountReply> decode_count_reply(ByteView body) {
  ByteReader r(body);
  CountReply m;
  std::uint8_t count = r.u8();
  if (count > max_counts) r.fail();
  for (std::uint8_t i = 0; r.ok() && i < count; ++i) m.listed.push_back(r.u32());
  if (auto done = r.finish("counts"); !done) return done.error();
  return m;
}

Bytes encode(const VerifyRequest& m) {
  ByteWriter w;
  w.counted16(as_bytes(m.query));
  w.u8(static_cast<std::uint8_t>(m.owners.size()));
  for (const Id& owner : m.owners) w.raw(owner.bytes);
  return w.take();
}

Result<VerifyRequest> decode_verify_request(ByteView body) {
  ByteReader r(body);
  VerifyRequest m;
  m.query = as_text(r.counted16());
  std::uint8_t count = r.u8();
  if (count == 0 || count > max_verify || !is_utf8(m.query)) r.fail();
  for (std::uint8_t i = 0; r.ok() && i < count; ++i) m.owners.push_back(read_id(r));
  if (auto done = r.finish("a verification"); !done) return done.error();
  return m;
}

Bytes encode(const VerifyReply& m) {
  ByteWriter w;
  w.u8(static_cast<std::uint8_t>(m.entries.size()));
  for (const VerifyReply::Entry& entry : m.entries) {
    w.u8(entry.yes ? 1 : 0);
    if (!entry.yes) continue;
    w.u64(entry.version);
    w.counted16(as_bytes(entry.card));
  }
  return w.take();
}

Result<VerifyReply> decode_verify_reply(ByteView body) {
  ByteReader r(body);
  VerifyReply m;
  std::uint8_t count = r.u8();
  if (count > max_verify) r.fail();
  for (std::uint8_t i = 0; r.ok() && i < count; ++i) {
    VerifyReply::Entry entry{.yes = read_bool(r)};
    if (entry.yes) {
      entry.version = r.u64();
      entry.card = as_text(r.counted16());
      if (entry.card.size() > max_card || !is_utf8(entry.card)) r.fail();
    }
    m.entries.push_back(std::move(entry));
  }
  if (auto done = r.finish("a host's answer"); !done) return done.error();
  return m;
}

}  // namespace beckon::service
