// SPDX-License-Identifier: MIT
#include "node/service/items/item_holder.h"

#include <algorithm>

namespace beckon::service {

ItemHolder::ItemHolder(Context& context, const RuleBook& rules, const Neighbourhood& neighbourhood,
                       const ReplicaOptions& options)
    : context_(context),
      rules_(rules),
      neighbourhood_(neighbourhood),
      options_(options),
      places_({options.place_rate, options.place_burst, 4 * options.rate_peers}) {}

void ItemHolder::load() {
  std::vector<Mutation> bad;
  WallTime now = context_.now().wall;
  auto scanned = context_.store().scan(Table::items, {}, [&](ByteView key, ByteView value) {
    auto item = decode_row(key, value, rules_);
    if (item && item->live(now)) {
      table_.put(std::move(*item));
      return true;
    }
    if (!item) ++counters_.damaged;
    bad.push_back({Table::items, Bytes(key.begin(), key.end()), {}});
    return true;
  });
  if (!scanned)
    context_.log(LogLevel::error, "items not loaded", {{"reason", scanned.error().text}});
  if (counters_.damaged > 0) {
    context_.log(LogLevel::warning, "damaged items dropped; other nodes hold copies of them",
                 {{"records", std::to_string(counters_.damaged)}});
  }
  if (!bad.empty()) context_.write(std::move(bad), [](Result<void>) {});
}

Arc ItemHolder::concern_of(const Id& peer) const {
  return neighbourhood_.concern_of(peer, context_.successors(), options_.near());
}

bool ItemHolder::near(const Id& peer) const {
  return concern_of(peer).contains(context_.self().id) ||
         neighbourhood_.among_first(options_.replicas + 1, peer);
}

const Item* ItemHolder::live(const ItemKey& key) const {
  const Item* item = table_.find(key);
  // One that is being erased is as good as gone: whoever brings it again has it written again.
  bool here = item && item->live(context_.now().wall) && !forgetting_.contains(key);
  return here ? item : nullptr;
}

std::vector<Status> ItemHolder::take(std::vector<Offer> offers, Intake intake, TakeDone done) {
  std::vector<Going> going;
  std::vector<Status> expected;
  std::vector<Mutation> mutations;
  for (Offer& offer : offers) {
    going.push_back(consider(std::move(offer), intake));
    expected.push_back(going.back().status);
    if (const auto& item = going.back().item) {
      begin(*item);
      mutations.push_back({Table::items, encode(item->key), encode_row(*item)});
    }
  }
  mutations.insert(mutations.begin(), evictions_.begin(), evictions_.end());
  evictions_.clear();
  // Who sends only what is refused shall not keep the disk busy.
  if (std::ranges::count(expected, Status::ok) == 0) {
    context_.after(Duration{0}, [this, going = std::move(going), done = std::move(done)]() mutable {
      settle(std::move(going), {}, done);
    });
    return expected;
  }
  // Also when nothing is to be written: what an offer found pending is durable once writes made
  // earlier are, and those complete first.
  context_.write(std::move(mutations),
                 [this, going = std::move(going), done = std::move(done)](
                     Result<void> written) mutable { settle(std::move(going), written, done); });
  return expected;
}

ItemHolder::Going ItemHolder::consider(Offer offer, Intake intake) {
  auto judged = rules_.judge(std::move(offer.raw_item), context_.now().wall);
  Item& item = judged.item;
  auto refuse = [&](Status status) {
    ++counters_.refused;
    return Going{.status = status, .key = item.key};
  };
  if (judged.status != Status::ok) return refuse(judged.status);
  // Copies may come to who was a holder a moment ago. A put is for the owner; the one behind it
  // passes it on.
  std::size_t places = intake == Intake::put ? 2 : options_.replicas + 1;
  if (!neighbourhood_.among_first(places, item.key.ring)) return refuse(Status::not_responsible);
  bool put = offer.source && !offer.source->copied;
  if (put && !rules_.find(item.key.kind)->may_put(item.bytes, offer.source->peer)) {
    return refuse(Status::forbidden);
  }
  auto current = newest(item.key);
  if (offer.expected_seq && *offer.expected_seq != (current ? current->seq : 0)) {
    return refuse(Status::cas_mismatch);
  }
  Going going{.status = Status::ok, .key = item.key, .version = version(item)};
  if (current && going.version <= *current) {
    bool same = going.version == *current;
    if (!same && intake == Intake::put) return refuse(Status::too_old);
    return going;
  }
  if (put && !may_write(offer.source->peer, item)) return refuse(Status::quota);
  item.source = offer.source;
  Status room = room_for(item);
  if (room == Status::ok && !rules_.genuine(item)) room = Status::bad_signature;
  if (room == Status::bad_signature) ++counters_.forged;
  if (room != Status::ok) return refuse(room);
  if (current && current->seq == going.version.seq) ++counters_.equivocations;
  going.item = std::move(item);
  return going;
}

bool ItemHolder::may_write(const Id& writer, const Item& item) {
  bool counted = rules_.find(item.key.kind)->shared_place() && !item.info.tombstone &&
                 writer != context_.self().id;
  Id both = Id::of_digest(sha256({writer.bytes, item.key.ring.bytes}));
  return !counted || places_.take(both, 1, context_.now().mono);
}

std::optional<Version> ItemHolder::newest(const ItemKey& key) const {
  std::optional<Version> out;
  if (const Item* item = live(key)) out = version(*item);
  auto pending = pending_.find(key);
  if (pending != pending_.end() && (!out || *out < pending->second.newest)) {
    out = pending->second.newest;
  }
  return out;
}

Status ItemHolder::room_for(const Item& item) {
  const ItemLimits limits = rules_.find(item.key.kind)->limits();
  const Item* held = table_.find(item.key);
  std::size_t cost = ItemTable::cost(item);
  std::size_t freed = held ? ItemTable::cost(*held) : 0;
  std::size_t more_items = held ? 0 : 1;

  auto author = table_.of_author(item.key.kind, item.info.author);
  auto waiting = pending_by_author_.find({item.key.kind, item.info.author});
  if (waiting != pending_by_author_.end()) {
    author.items += waiting->second.items;
    author.bytes += waiting->second.bytes;
  }
  // Half is kept for what the author's own side puts: copies may lie where the author never put
  // them.
  std::size_t parts = item.source && item.source->copied ? 2 : 1;
  if (author.items + more_items > limits.per_author_items / parts ||
      author.bytes + cost > limits.per_author_bytes / parts + freed) {
    return Status::quota;
  }
  if (pending_total_.bytes + cost > options_.max_pending_bytes) return Status::rate;

  ItemTable::Usage after{
      .items = table_.total().items + pending_total_.items + more_items,
      .bytes = table_.total().bytes + pending_total_.bytes + cost - freed,
  };
  std::size_t wanted = ItemTable::footprint(after);
  if (more_items > 0 && crowds_out(item, wanted)) return Status::quota;
  if (wanted <= options_.max_bytes) {
    if (said_full_ && wanted <= options_.max_bytes / 10 * 9) {
      said_full_ = false;
      context_.log(LogLevel::info, "there is room for records of the ring again",
                   {{"used_bytes", std::to_string(wanted)}});
    }
    return Status::ok;
  }
  if (!neighbourhood_.among_first(options_.replicas, item.key.ring)) return full();
  if (!rules_.genuine(item)) return Status::bad_signature;  // a forgery shall push nothing out
  return evict_strays(wanted - options_.max_bytes) ? Status::ok : full();
}

/// One node with much to store may use what is free, but not what others will need.
bool ItemHolder::crowds_out(const Item& item, std::size_t wanted) const {
  if (!item.source || wanted <= options_.max_bytes / 2) return false;
  bool copied = item.source->copied;
  auto theirs = ItemTable::footprint(table_.of_source({.peer = item.source->peer}));
  if (copied) theirs += ItemTable::footprint(table_.of_source(*item.source));
  return theirs > options_.max_bytes / (copied ? options_.holder_parts : options_.writer_parts);
}

Status ItemHolder::full() {
  ++counters_.full;
  if (!std::exchange(said_full_, true)) {
    context_.log(LogLevel::warning,
                 "records for the ring fill all the memory they may take; new ones are refused. "
                 "More: beckon config set store.size",
                 {{"limit_bytes", std::to_string(options_.max_bytes)}});
  }
  return Status::full;
}

bool ItemHolder::evict_strays(std::size_t bytes) {
  auto arc = neighbourhood_.strays(options_.replicas);
  if (!arc) return false;
  std::vector<ItemKey> victims;
  ItemTable::Usage freed;
  table_.each(*arc, [&](const Item& item) {
    if (pending_.contains(item.key)) return true;
    victims.push_back(item.key);
    ++freed.items;
    freed.bytes += ItemTable::cost(item);
    return ItemTable::footprint(freed) < bytes;
  });
  if (ItemTable::footprint(freed) < bytes) return false;
  for (const ItemKey& key : victims) {
    table_.erase(key);
    evictions_.push_back({Table::items, encode(key), {}});
    ++counters_.evicted;
  }
  return true;
}

void ItemHolder::begin(const Item& item) {
  Pending& pending = pending_[item.key];
  pending.newest = std::max(pending.newest, version(item));
  ++pending.writes;
  for (auto* usage : {&pending_total_, &pending_by_author_[{item.key.kind, item.info.author}]}) {
    usage->items += 1;
    usage->bytes += ItemTable::cost(item);
  }
}

void ItemHolder::end(const Item& item) {
  auto pending = pending_.find(item.key);
  if (--pending->second.writes == 0) pending_.erase(pending);
  auto author = pending_by_author_.find({item.key.kind, item.info.author});
  for (auto* usage : {&pending_total_, &author->second}) {
    usage->items -= 1;
    usage->bytes -= ItemTable::cost(item);
  }
  if (author->second.items == 0) pending_by_author_.erase(author);
}

void ItemHolder::settle(std::vector<Going> going, const Result<void>& written,
                        const TakeDone& done) {
  for (Going& g : going) {
    if (!g.item) continue;
    end(*g.item);
    const Item* held = table_.find(g.key);
    if (!written || (held && held->live(context_.now().wall) && version(*held) >= g.version)) {
      continue;
    }
    ++counters_.stored;
    table_.put(std::move(*g.item));
  }
  if (!written)
    context_.log(LogLevel::error, "items not stored", {{"reason", written.error().text}});
  std::vector<Taken> taken;
  for (const Going& g : going) {
    const Item* held = table_.find(g.key);
    Taken t{.status = g.status, .seq = held ? held->info.seq : 0};
    if (t.status == Status::ok && (!held || version(*held) < g.version)) t.status = Status::storage;
    taken.push_back(t);
  }
  done(std::move(taken));
}

void ItemHolder::forget(const std::vector<std::pair<ItemKey, Version>>& versions) {
  std::vector<Mutation> mutations;
  std::vector<std::pair<ItemKey, Version>> going;
  for (const auto& [key, what] : versions) {
    const Item* held = table_.find(key);
    // A pending write of this key comes before the erasure and must not be erased by it.
    if (!held || version(*held) != what || pending_.contains(key)) continue;
    if (!forgetting_.insert(key).second) continue;
    going.emplace_back(key, what);
    mutations.push_back({Table::items, encode(key), {}});
  }
  if (mutations.empty()) return;
  context_.write(std::move(mutations), [this, going](Result<void> written) {
    for (const auto& [key, what] : going) {
      forgetting_.erase(key);
      const Item* held = table_.find(key);
      if (written && held && version(*held) == what) table_.erase(key);
    }
  });
}

void ItemHolder::drop_expired() {
  std::vector<std::pair<ItemKey, Version>> gone;
  for (const ItemKey& key : table_.expired(context_.now().wall, options_.expiry_batch)) {
    gone.emplace_back(key, version(*table_.find(key)));
  }
  counters_.expired += gone.size();
  forget(gone);
}

}  // namespace beckon::service
