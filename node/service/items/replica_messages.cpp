#include "node/service/items/replica_messages.h"

namespace beckon::service {

namespace {

// --- fields shared by several bodies

constexpr std::size_t parcel_overhead = Id::size + 1 + 4;
constexpr std::size_t entry_size = ItemKey::size + 8 + 8;

void write(ByteWriter& out, const Id& id) { out.raw(id.bytes); }

Id read_id(ByteReader& in) {
  Id id;
  id.bytes = in.array<Id::size>();
  return id;
}

void write(ByteWriter& out, const Parcel& parcel) {
  write(out, parcel.ring);
  out.u8(static_cast<std::uint8_t>(parcel.kind));
  out.counted32(parcel.bytes);
}

Parcel read_parcel(ByteReader& in) {
  Parcel parcel;
  parcel.ring = read_id(in);
  parcel.kind = static_cast<ItemKind>(in.u8());
  ByteView bytes = in.counted32();
  parcel.bytes.assign(bytes.begin(), bytes.end());
  return parcel;
}

void write(ByteWriter& out, const SyncEntry& entry) {
  out.raw(entry.key.bytes());
  out.u64(entry.seq);
  out.raw(entry.check);
}

SyncEntry read_entry(ByteReader& in) {
  SyncEntry entry;
  entry.key = ItemKey::read(in);
  entry.seq = in.u64();
  entry.check = in.array<8>();
  return entry;
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

template <typename T>
Result<T> finish(const ByteReader& in, std::string_view what, T message) {
  if (auto whole = in.finish(what); !whole) return whole.error();
  return message;
}

bool rising(const std::vector<SyncEntry>& entries) {
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
    write(out, entry.parcel);
  }
  return out.take();
}

Result<PutRequest> decode_put_request(ByteView body) {
  ByteReader in(body);
  PutRequest m;
  m.entries.resize(read_count(in, max_parcels, parcel_overhead + 1));
  for (auto& entry : m.entries) {
    if (read_flag(in)) entry.expected_seq = in.u64();
    entry.parcel = read_parcel(in);
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
  write_count(out, m.parcels);
  for (const Parcel& parcel : m.parcels) write(out, parcel);
  return out.take();
}

Result<ReplicateRequest> decode_replicate_request(ByteView body) {
  ByteReader in(body);
  ReplicateRequest m;
  m.parcels.resize(read_count(in, max_parcels, parcel_overhead));
  for (Parcel& parcel : m.parcels) parcel = read_parcel(in);
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
  write(out, m.arc.after);
  write(out, m.arc.upto);
  for (const auto& digest : m.digests) out.raw(digest);
  return out.take();
}

Result<DigestRequest> decode_digest_request(ByteView body) {
  ByteReader in(body);
  DigestRequest m;
  m.arc.after = read_id(in);
  m.arc.upto = read_id(in);
  for (auto& digest : m.digests) digest = in.array<8>();
  return finish(in, "digest request", m);
}

Bytes encode(const DigestReply& m) {
  ByteWriter out;
  out.u64(m.differing);
  return out.take();
}

Result<DigestReply> decode_digest_reply(ByteView body) {
  ByteReader in(body);
  DigestReply m{.differing = in.u64()};
  return finish(in, "digest reply", m);
}

Bytes encode(const ListRequest& m) {
  ByteWriter out;
  out.raw(m.span.first.bytes());
  out.raw(m.span.last.bytes());
  out.u8(m.offer ? 1 : 0);
  write_count(out, m.entries);
  for (const SyncEntry& entry : m.entries) write(out, entry);
  return out.take();
}

Result<ListRequest> decode_list_request(ByteView body) {
  ByteReader in(body);
  ListRequest m;
  m.span.first = ItemKey::read(in);
  m.span.last = ItemKey::read(in);
  m.offer = read_flag(in);
  m.entries.resize(read_count(in, max_sync_entries, entry_size));
  for (SyncEntry& entry : m.entries) entry = read_entry(in);
  bool within = m.entries.empty() ||
                (m.span.contains(m.entries.front().key) && m.span.contains(m.entries.back().key));
  if (m.span.last < m.span.first || !within || !rising(m.entries)) in.fail();
  return finish(in, "list request", std::move(m));
}

Bytes encode(const ListReply& m) {
  ByteWriter out;
  write_count(out, m.wanted);
  for (std::uint16_t place : m.wanted) out.u16(place);
  write_count(out, m.offered);
  for (const SyncEntry& entry : m.offered) write(out, entry);
  out.raw(m.covered.bytes());
  return out.take();
}

Result<ListReply> decode_list_reply(ByteView body) {
  ByteReader in(body);
  ListReply m;
  m.wanted.resize(read_count(in, max_sync_entries, 2));
  for (std::size_t i = 0; i < m.wanted.size(); ++i) {
    m.wanted[i] = in.u16();
    if (i > 0 && m.wanted[i] <= m.wanted[i - 1]) in.fail();
  }
  m.offered.resize(read_count(in, max_sync_entries, entry_size));
  for (SyncEntry& entry : m.offered) entry = read_entry(in);
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
  write_count(out, m.parcels);
  for (const Parcel& parcel : m.parcels) write(out, parcel);
  return out.take();
}

Result<WantReply> decode_want_reply(ByteView body) {
  ByteReader in(body);
  WantReply m;
  m.done = in.u16();
  m.parcels.resize(read_count(in, max_parcels, parcel_overhead));
  for (Parcel& parcel : m.parcels) parcel = read_parcel(in);
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
