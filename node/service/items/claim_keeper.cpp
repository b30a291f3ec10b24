// SPDX-License-Identifier: MIT
#include "node/service/items/claim_keeper.h"

#include <algorithm>

namespace beckon::service {

namespace {

constexpr Duration mend_pause = std::chrono::seconds(1);
constexpr Arc whole_ring{};

Bytes disk_key() { return {'d', 'i', 's', 'k'}; }  // in Table::meta
Bytes key_of(const Id& end) { return {end.bytes.begin(), end.bytes.end()}; }

std::uint64_t disk_number(const Store& store) {  // 0: none
  auto stored = store.get(Table::meta, disk_key());
  if (!stored || !*stored) return 0;
  ByteReader in(**stored);
  std::uint64_t number = in.u64();
  return in.finish("disk number") ? number : 0;
}

}  // namespace

std::vector<Mutation> to_mutations(const ClaimWrites& writes) {
  std::vector<Mutation> out;
  for (const Id& end : writes.erase) out.push_back({Table::claims, key_of(end), {}});
  for (const ClaimRow& row : writes.put) {
    out.push_back({Table::claims, key_of(row.arc.upto), encode_claim(row)});
  }
  return out;
}

void ClaimKeeper::load() {
  const Store& store = context_.store();
  std::vector<ClaimRow> rows;
  std::vector<Mutation> old;
  bool whole = true;
  auto scanned = store.scan(Table::claims, {}, [&](ByteView key, ByteView value) {
    old.push_back({Table::claims, Bytes(key.begin(), key.end()), {}});
    auto row = decode_claim(value);
    whole = whole && row && key_of(row->arc.upto) == old.back().key;
    if (whole) rows.push_back(std::move(*row));
    return true;
  });
  Holder self{.node = context_.self().id, .disk = disk_number(store)};
  auto restored = Claims::restore(self, rows);
  if (self.disk == 0 || !scanned || !whole || !restored) return begin_disk(std::move(old));
  claims_ = std::move(*restored);
}

void ClaimKeeper::begin_disk(std::vector<Mutation> old) {
  if (!old.empty()) {
    context_.log(LogLevel::warning, "what this node knew of the holders of keys is damaged",
                 {{"rows", std::to_string(old.size())}});
  }
  SecretRng::Secret secret = context_.secrets().next();
  std::uint64_t number = std::max<std::uint64_t>(1, ByteReader(secret).u64());
  claims_ = Claims({.node = context_.self().id, .disk = number});
  ByteWriter out;
  out.u64(number);
  old.push_back({Table::meta, disk_key(), out.take()});
  std::uint64_t write = ++last_write_;
  pending_[write] = {whole_ring};
  context_.write(std::move(old),
                 [this, write](const Result<void>& result) { written(write, result.has_value()); });
}

Settled ClaimKeeper::settled(const Id& key) const {
  if (torn_) return {};
  for (const auto& [number, arcs] : pending_) {
    if (std::ranges::any_of(arcs, [&](const Arc& arc) { return arc.contains(key); })) return {};
  }
  return claims_.settled(key);
}

void ClaimKeeper::found(Done done) {
  auto writes = claims_.found();
  if (writes) return write(*writes, std::move(done));
  context_.after(Duration{0}, [done = std::move(done), error = writes.error()] { done(error); });
}

void ClaimKeeper::change(const Change& change, Done done) {
  write(change(claims_), std::move(done));
}

/// Also if nothing is to be written: an earlier write of the same rows may be under way, and it
/// completes first.
void ClaimKeeper::write(const ClaimWrites& writes, Done done) {
  std::uint64_t number = ++last_write_;
  auto& arcs = pending_[number];
  for (const ClaimRow& row : writes.put) arcs.push_back(row.arc);
  context_.write(to_mutations(writes),
                 [this, number, done = std::move(done)](const Result<void>& result) {
                   bool lost = torn_ || !result;
                   written(number, result.has_value());
                   if (result && lost) {
                     return done(Error{ErrorCode::unavailable, "an earlier write failed"});
                   }
                   done(result);
                 });
}

void ClaimKeeper::written(std::uint64_t number, bool durable) {
  pending_.erase(number);
  if (!durable && !std::exchange(torn_, true)) {
    context_.log(LogLevel::error, "what was promised about the holders of keys is not stored");
  }
  if (torn_ && !mending_) mending_ = context_.timer(mend_pause, [this] { mend(); });
}

/// Writes every row again, with the disk's number. Rows on disk that are none any more go.
void ClaimKeeper::mend() {
  if (!pending_.empty()) return;  // the end of that one sets the timer again
  std::vector<Mutation> all;
  auto scanned = context_.store().scan(Table::claims, {}, [&](ByteView key, ByteView) {
    all.push_back({Table::claims, Bytes(key.begin(), key.end()), {}});
    return true;
  });
  for (Mutation& row : to_mutations({.put = claims_.rows()})) all.push_back(std::move(row));
  ByteWriter out;
  out.u64(claims_.self().disk);
  all.push_back({Table::meta, disk_key(), out.take()});
  std::uint64_t number = ++last_write_;
  pending_[number] = {whole_ring};
  bool readable = scanned.has_value();
  context_.write(std::move(all), [this, number, readable](const Result<void>& result) {
    torn_ = torn_ && !(result && readable);
    written(number, result.has_value());
  });
}

}  // namespace beckon::service
