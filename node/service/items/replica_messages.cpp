#include "node/service/items/replica_messages.h"

namespace beckon::service {

namespace {

// --- fields shared by several bodies

constexpr std::size_t parcel_overhead = Id::size + 1 + 4;
constexpr std::size_t part_size = 2 * ItemKey::size + 16;

void write(ByteWriter& out, const Id& id) { out.raw(id.bytes); }

Id read_id(ByteReader& in) {
  Id id;
  id.bytes = in.array<Id::size>();
  return id;
}

void write(ByteWriter& out, const RawItem& raw_item) {
  write(out, raw_item.ring);
  out.u8(static_cast<std::uint8_t>(raw_item.kind));
  out.counted32(raw_item.bytes);
}

RawItem read_raw_item(ByteReader& in) {
  RawItem raw_item;
  raw_item.ring = read_id(in);
  raw_item.kind = static_cast<ItemKind>(in.u8());
  ByteView bytes = in.counted32();
  raw_item.bytes.assign(bytes.begin(), bytes.end());
  return raw_item;
}

void write(ByteWriter& out, const Span& span) {
  out.raw(span.first.bytes());
  out.raw(span.last.bytes());
}

Span read_span(ByteReader& in) {
  Span span;
  span.first = ItemKey::read(in);
  span.last = ItemKey::read(in);
  if (span.last < span.first) in.fail();
  return span;
}

bool read_flag(ByteReader& in) {
  auto flag = in.u8();
  if (flag > 1) in.fail();
  return flag == 1;
}

Status read_status(ByteReader& in) {
  auto status = in.u8();
  if (status > last_status) in.fail();
  return static_cast<Status>(status);
}

template <typename List>
void write_count(ByteWriter& out, const List& list) {
  out.u16(static_cast<std::uint16_t>(list.size()));
}

/// A count no larger than the limit, nor than what the rest of the body can hold.
std::size_t read_count(ByteReader& in, std::size_t limit, std::size_t least_size_each) {
  std::size_t count = in.u16();
  if (count > limit || count * least_size_each > in.remaining()) {
    in.fail();
    return 0;
  }
  return count;
}

void write_places(ByteWriter& out, const std::vector<std::uint16_t>& places) {
  write_count(out, places);
  for (std::uint16_t place : places) out.u16(place);
}

std::vector<std::uint16_t> read_places(ByteReader& in, std::size_t limit) {
  std::vector<std::uint16_t> places(read_count(in, limit, 2));
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = in.u16();
    if (i > 0 && places[i] <= places[i - 1]) in.fail();
  }
  return places;
}

template <typename T>
Result<T> finish(const ByteReader& in, std::string_view what, T message) {
  if (auto whole = in.finish(what); !whole) return whole.error();
  return message;
}

bool rising(const std::vector<ItemStamp>& entries) {
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i - 1].key >= entries[i].key) return false;
  }
  return true;
}

}  // namespace

// --- PUT

Bytes encode(const PutRequest& m) {
  ByteWriter out;
  write_count(out, m.entries);
  for (const auto& entry : m.entries) {
    out.u8(entry.expected_seq ? 1 : 0);
    if (entry.expected_seq) out.u64(*entry.expected_seq);
    write(out, entry.raw_item);
  }
  return out.take();
}

Result<PutRequest> decode_put_request(ByteView body) {
  ByteReader in(body);
  PutRequest m;
  m.entries.resize(read_count(in, max_parcels, parcel_overhead + 1));
  for (auto& entry : m.entries) {
    if (read_flag(in)) entry.expected_seq = in.u64();
    entry.raw_item = read_raw_item(in);
  }
  return finish(in, "put request", std::move(m));
}

Bytes encode(const PutReply& m) {
  ByteWriter out;
  out.u8(m.wanted);
  write_count(out, m.entries);
  for (const auto& entry : m.entries) {
    out.u8(static_cast<std::uint8_t>(entry.status));
    out.u8(entry.copies);
    out.u64(entry.seq);
  }
  return out.take();
}

Result<PutReply> decode_put_reply(ByteView body) {
  ByteReader in(body);
  PutReply m;
  m.wanted = in.u8();
  m.entries.resize(read_count(in, max_parcels, 10));
  for (auto& entry : m.entries) {
    entry.status = read_status(in);
    entry.copies = in.u8();
    entry.seq = in.u64();
  }
  return finish(in, "put reply", std::move(m));
}

// --- GET

Bytes encode(const GetRequest& m) {
  ByteWriter out;
  write(out, m.ring);
  out.u8(static_cast<std::uint8_t>(m.kind));
  out.u64(m.newer_than);
  out.u8(m.after ? 1 : 0);
  if (m.after) write(out, *m.after);
  return out.take();
}

Result<GetRequest> decode_get_request(ByteView body) {
  ByteReader in(body);
  GetRequest m;
  m.ring = read_id(in);
  m.kind = static_cast<ItemKind>(in.u8());
  m.newer_than = in.u64();
  if (read_flag(in)) m.after = read_id(in);
  return finish(in, "get request", std::move(m));
}

Bytes encode(const GetReply& m) {
  ByteWriter out;
  out.u8(m.more ? 1 : 0);
  write_count(out, m.items);
  for (const Bytes& item : m.items) out.counted32(item);
  return out.take();
}

Result<GetReply> decode_get_reply(ByteView body) {
  ByteReader in(body);
  GetReply m;
  m.more = read_flag(in);
  m.items.resize(read_count(in, max_parcels, 4));
  for (Bytes& item : m.items) {
    ByteView bytes = in.counted32();
    item.assign(bytes.begin(), bytes.end());
  }
  return finish(in, "get reply", std::move(m));
}

// --- REPLICATE

Bytes encode(const ReplicateRequest& m) {
  ByteWriter out;
  write_count(out, m.raw_items);
  for (const RawItem& raw_item : m.raw_items) write(out, raw_item);
  return out.take();
}

Result<ReplicateRequest> decode_replicate_request(ByteView body) {
  ByteReader in(body);
  ReplicateRequest m;
  m.raw_items.resize(read_count(in, max_parcels, parcel_overhead));
  for (RawItem& raw_item : m.raw_items) raw_item = read_raw_item(in);
  return finish(in, "replicate request", std::move(m));
}

Bytes encode(const ReplicateReply& m) {
  ByteWriter out;
  write_count(out, m.statuses);
  for (Status status : m.statuses) out.u8(static_cast<std::uint8_t>(status));
  return out.take();
}

Result<ReplicateReply> decode_replicate_reply(ByteView body) {
  ByteReader in(body);
  ReplicateReply m;
  m.statuses.resize(read_count(in, max_parcels, 1));
  for (Status& status : m.statuses) status = read_status(in);
  return finish(in, "replicate reply", std::move(m));
}

// --- SYNC

Bytes encode(const DigestRequest& m) {
  ByteWriter out;
  write_count(out, m.parts);
  for (const auto& part : m.parts) {
    write(out, part.span);
    out.u64(part.sum.high);
    out.u64(part.sum.low);
  }
  return out.take();
}

Result<DigestRequest> decode_digest_request(ByteView body) {
  ByteReader in(body);
  DigestRequest m;
  m.parts.resize(read_count(in, max_digests, part_size));
  for (std::size_t i = 0; i < m.parts.size(); ++i) {
    m.parts[i].span = read_span(in);
    m.parts[i].sum.high = in.u64();
    m.parts[i].sum.low = in.u64();
    // Overlaps would let a short request cause much work.
    if (i > 0 && m.parts[i].span.first <= m.parts[i - 1].span.last) in.fail();
  }
  return finish(in, "digest request", std::move(m));
}

Bytes encode(const DigestReply& m) {
  ByteWriter out;
  write_places(out, m.differing);
  return out.take();
}

Result<DigestReply> decode_digest_reply(ByteView body) {
  ByteReader in(body);
  DigestReply m{.differing = read_places(in, max_digests)};
  return finish(in, "digest reply", std::move(m));
}

Bytes encode(const ListRequest& m) {
  ByteWriter out;
  write(out, m.span);
  out.u8(m.offer ? 1 : 0);
  write_count(out, m.entries);
  for (const ItemStamp& entry : m.entries) out.raw(entry.bytes());
  return out.take();
}

Result<ListRequest> decode_list_request(ByteView body) {
  ByteReader in(body);
  ListRequest m;
  m.span = read_span(in);
  m.offer = read_flag(in);
  m.entries.resize(read_count(in, max_sync_entries, ItemStamp::size));
  for (ItemStamp& entry : m.entries) entry = ItemStamp::read(in);
  bool within = m.entries.empty() ||
                (m.span.contains(m.entries.front().key) && m.span.contains(m.entries.back().key));
  if (!within || !rising(m.entries)) in.fail();
  return finish(in, "list request", std::move(m));
}

Bytes encode(const ListReply& m) {
  ByteWriter out;
  write_places(out, m.wanted);
  write_count(out, m.offered);
  for (const ItemStamp& entry : m.offered) out.raw(entry.bytes());
  out.raw(m.covered.bytes());
  return out.take();
}

Result<ListReply> decode_list_reply(ByteView body) {
  ByteReader in(body);
  ListReply m;
  m.wanted = read_places(in, max_sync_entries);
  m.offered.resize(read_count(in, max_sync_entries, ItemStamp::size));
  for (ItemStamp& entry : m.offered) entry = ItemStamp::read(in);
  m.covered = ItemKey::read(in);
  if (!rising(m.offered)) in.fail();
  return finish(in, "list reply", std::move(m));
}

Bytes encode(const WantRequest& m) {
  ByteWriter out;
  write_count(out, m.keys);
  for (const ItemKey& key : m.keys) out.raw(key.bytes());
  return out.take();
}

Result<WantRequest> decode_want_request(ByteView body) {
  ByteReader in(body);
  WantRequest m;
  m.keys.resize(read_count(in, max_sync_entries, ItemKey::size));
  for (ItemKey& key : m.keys) key = ItemKey::read(in);
  return finish(in, "want request", std::move(m));
}

Bytes encode(const WantReply& m) {
  ByteWriter out;
  out.u16(m.done);
  write_count(out, m.raw_items);
  for (const RawItem& raw_item : m.raw_items) write(out, raw_item);
  return out.take();
}

Result<WantReply> decode_want_reply(ByteView body) {
  ByteReader in(body);
  WantReply m;
  m.done = in.u16();
  m.raw_items.resize(read_count(in, max_parcels, parcel_overhead));
  for (RawItem& raw_item : m.raw_items) raw_item = read_raw_item(in);
  return finish(in, "want reply", std::move(m));
}

// --- CHAIN

Bytes encode(const ChainRequest& m) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(m.predecessors.size()));
  for (const Id& id : m.predecessors) write(out, id);
  return out.take();
}

Result<ChainRequest> decode_chain_request(ByteView body) {
  ByteReader in(body);
  std::size_t count = in.u8();
  ChainRequest m;
  if (count > max_chain || count * Id::size > in.remaining()) {
    in.fail();
  } else {
    m.predecessors.resize(count);
  }
  for (Id& id : m.predecessors) id = read_id(in);
  return finish(in, "chain request", std::move(m));
}

}  // namespace beckon::service
