// SPDX-License-Identifier: MIT
#include "tests/node/service/items/data_sim.h"

#include <algorithm>

namespace beckon::test {

using namespace beckon::service;
using namespace std::chrono_literals;
using chord::Id;

namespace {

FakeNet::Options net_options(DataSim::Profile profile, Rng rng) {
  FakeNet::Options options;
  options.detect = std::chrono::milliseconds(rng.between(0, 8000));
  options.max_delay = std::chrono::milliseconds(rng.between(2, 200));
  options.successors = static_cast<std::size_t>(rng.between(4, 16));
  if (profile == DataSim::Profile::lossy) options.loss = 0.01 * static_cast<double>(rng.below(11));
  return options;
}

ReplicaOptions replica_options(Rng rng) {
  ReplicaOptions options;
  options.replicas = static_cast<std::size_t>(rng.between(2, 4));
  options.sync_period = std::chrono::seconds(rng.between(15, 90));
  return options;
}

std::size_t node_count(Rng rng) { return static_cast<std::size_t>(rng.between(3, 14)); }

std::string brief(const ItemKey& key) { return key.ring.brief(); }

}  // namespace

DataSim::Counts& DataSim::Counts::operator+=(const Counts& o) {
  puts += o.puts, safe_puts += o.safe_puts, gets += o.gets, found += o.found, stale += o.stale;
  tombstones += o.tombstones, crashes += o.crashes, losses += o.losses, replays += o.replays;
  disk_faults += o.disk_faults;
  return *this;
}

std::optional<Version> DataSim::Written::must_exist(WallTime now) const {
  if (!safe || expiry <= now) return {};
  for (const auto& [seq, end] : issued) {
    if (seq > safe->seq && end <= now) return {};
  }
  return safe;
}

DataSim::DataSim(std::uint64_t seed, Profile profile)
    : profile_(profile),
      rng_(Rng(seed).split("plan")),
      ring_(node_count(Rng(seed).split("nodes")), seed,
            net_options(profile, Rng(seed).split("net")),
            replica_options(Rng(seed).split("replicas"))) {
  ring_.watch = [this](const Id& node, const Item* before, const Item* after) {
    watch(node, before, after);
  };
  for (std::uint64_t i = 0; i < 12; ++i) authors_.emplace_back(seed * 1000 + i, ring_.signer);
  ring_.net.run_for(30s);
}

void DataSim::run() {
  for (int i = 0; i < 120 && failure.empty(); ++i) {
    if (!act()) continue;
    ring_.net.run_for(std::chrono::milliseconds(rng_.between(10, 12'000)));
    check_always();
  }
  if (failure.empty()) settle();
}

bool DataSim::act() {
  switch (rng_.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      put();
      return true;
    case 4:
    case 5:
      get();
      return true;
    case 6:
      replay();
      return true;
    case 7:
      crash();
      return true;
    case 8:
      restart();
      return true;
    default:
      if (profile_ == Profile::partition) return split_or_heal(), true;
      if (profile_ == Profile::disk) return hurt_disk(), true;
      return false;
  }
}

void DataSim::put() {
  auto nodes = ring_.net.live();
  std::size_t who = rng_.below(authors_.size());
  Id from = nodes[rng_.below(nodes.size())];
  Written& known = written_[who];
  AuthorItem record =
      authors_[who].record(++known.last_seq, ring_.now(), std::string(rng_.below(300), 'p'));
  record.life = rng_.chance(0.2) ? std::chrono::seconds(rng_.between(60, 600)) : 24h;
  if (known.last_seq > 1 && rng_.chance(0.2)) {
    record = tombstone_for(known.newest, record.seq, ring_.now());
    ++counts.tombstones;
  }
  known.newest = record;
  known.issued.emplace_back(record.seq, record.expiry());
  RawItem raw_item = authors_[who].raw_item(record);
  seen_.push_back(raw_item);
  ++counts.puts;
  ring_.at(from).put({{raw_item, {}}}, [this, who, record, raw_item](const auto& stored) {
    if (stored[0].copies < ring_.options.replicas || stored[0].seq != record.seq) return;
    ++counts.safe_puts;
    Written& w = written_[who];
    Version version{record.seq, sha256(raw_item.bytes)};
    if (w.safe && *w.safe > version) return;
    w.safe = version;
    w.safe_is_tombstone = record.tombstone;
    w.expiry = record.expiry();
  });
}

void DataSim::get() {
  auto nodes = ring_.net.live();
  std::size_t who = rng_.below(authors_.size());
  Id from = nodes[rng_.below(nodes.size())];
  auto before = written_[who].safe;
  ++counts.gets;
  auto done = [this, before, who](const Result<std::vector<Item>>& items) {
    WallTime now = ring_.now();
    if (items) ++counts.found;
    for (const Item& item : items ? *items : std::vector<Item>{}) {
      if (ring_.book.judge_fully(raw_item(item), now).status != Status::ok) fail("D1/D3: bad read");
      if (before && written_[who].must_exist(now) && version(item) < *before) {
        ++counts.stale;
        // Only crashes, and every replica asked: an acknowledged version must be seen.
        if (profile_ == Profile::crashes)
          fail("history: older than acknowledged " + brief(item.key));
      }
    }
  };
  ring_.at(from).get(authors_[who].ring(), ItemKind::author_item, done, ItemClient::Reach::all);
}

void DataSim::replay() {
  if (seen_.empty()) return;
  auto nodes = ring_.net.live();
  ++counts.replays;
  const RawItem& old = seen_[rng_.below(seen_.size())];
  Id from = nodes[rng_.below(nodes.size())];
  Id to = nodes[rng_.below(nodes.size())];
  if (from == to) return;
  ring_.net.inject(from, to, raw(FrameType::replicate_req), encode(ReplicateRequest{{old}}));
}

/// At most r-1 nodes fail in the time that repair needs.
bool DataSim::within_budget() {
  Duration window = ring_.options.sync_period * 2 + 30s + ring_.net.options().detect;
  if (profile_ != Profile::crashes) window = ring_.options.sync_period * 8;
  Time now = ring_.net.time();
  std::erase_if(faults_, [&](Time t) { return t + window < now; });
  return faults_.size() + 1 < ring_.options.replicas && ring_.net.live().size() > 2 && !split_;
}

void DataSim::crash() {
  if (!within_budget()) return;
  auto nodes = ring_.net.live();
  Id who = nodes[rng_.below(nodes.size())];
  faults_.push_back(ring_.net.time());
  ++counts.crashes;
  ring_.net.crash(who);
  MemoryStore& disk = ring_.net.node(who).disk();
  bool lost = rng_.chance(0.5);
  if (lost) ++counts.losses, disk.wipe();
  if (lossy_disks_.erase(who) > 0) {
    disk.power_loss();
    disk.lose_syncs(false);
    lost = true;
  }
  if (lost) std::erase_if(last_, [&](const auto& entry) { return entry.first.first == who; });
}

void DataSim::restart() {
  for (const Id& id : ring_.net.ids()) {
    if (ring_.net.node(id).up() || rng_.chance(0.3)) continue;
    ring_.net.start(id);
    return;
  }
}

void DataSim::split_or_heal() {
  if (split_) {
    ring_.net.heal();
  } else {
    std::set<Id> side;
    for (const Id& id : ring_.net.ids()) {
      if (rng_.chance(0.5)) side.insert(id);
    }
    ring_.net.partition({side});
  }
  split_ = !split_;
}

void DataSim::hurt_disk() {
  auto nodes = ring_.net.live();
  Id who = nodes[rng_.below(nodes.size())];
  MemoryStore& disk = ring_.net.node(who).disk();
  ++counts.disk_faults;
  switch (rng_.below(3)) {
    case 0:
      disk.fail_commit(1 + rng_.below(5));
      break;
    case 1:
      disk.limit_bytes(rng_.chance(0.5) ? disk.bytes() : SIZE_MAX);
      break;
    default:
      // A disk that forgets what it was told to keep counts as lost, so it spends the budget.
      if (!within_budget() || lossy_disks_.contains(who)) return;
      faults_.push_back(ring_.net.time() + 1h);
      lossy_disks_.insert(who);
      disk.lose_syncs(true);
  }
}

void DataSim::check_always() {
  check_tables();
  check_durable();
}

void DataSim::check_tables() {
  for (const Id& id : ring_.net.live()) {
    const ItemTable& table = ring_.at(id).table();
    if (ItemTable::footprint(table.total()) > ring_.options.max_bytes) {
      fail("D7: " + id.brief() + " holds more than its quota");
    }
    for (std::size_t who = 0; who < authors_.size(); ++who) {
      ItemKey key = authors_[who].item_key();
      const Item* item = table.find(key);
      if (!item) continue;
      auto judged = ring_.book.judge_fully(raw_item(*item), ring_.now());
      if (judged.status != Status::ok && judged.status != Status::expired) {
        fail("D1: " + id.brief() + " holds a record that is not genuine");
      }
    }
  }
}

void DataSim::watch(const Id& node, const Item* before, const Item* after) {
  const ItemKey& key = (before ? before : after)->key;
  if (!after) {
    last_.erase({node, key});
    return;
  }
  // Also over a restart: what the disk gives back is at least what was there before.
  auto [last, fresh] = last_.try_emplace({node, key}, *after);
  if (version(*after) < version(last->second) && last->second.live(ring_.now())) {
    fail("D2: " + node.brief() + " went back at " + brief(key));
  }
  last->second = *after;
}

void DataSim::check_durable() {
  for (const auto& [who, known] : written_) {
    auto wanted = known.must_exist(ring_.now());
    if (!wanted) continue;
    auto best = ring_.newest_on_disk(authors_[who].item_key());
    if (!best || *best < *wanted) fail("D4: lost " + brief(authors_[who].item_key()));
  }
}

/// No faults any more, and time to mend: then everything is in its place.
void DataSim::settle() {
  if (split_) split_or_heal();
  ring_.net.options().loss = 0;
  for (const Id& id : ring_.net.ids()) {
    MemoryStore& disk = ring_.net.node(id).disk();
    disk.limit_bytes(SIZE_MAX);
    disk.lose_syncs(false);
    if (!ring_.net.node(id).up()) ring_.net.start(id);
  }
  for (int i = 0; i < 8 && failure.empty(); ++i) {
    ring_.net.run_for(ring_.options.sync_period);
    check_always();
  }
  if (failure.empty()) check_quiet();
}

void DataSim::check_quiet() {
  WallTime now = ring_.now();
  for (const auto& [who, known] : written_) {
    ItemKey key = authors_[who].item_key();
    std::optional<Version> held;
    for (const Id& id : ring_.holders(key)) {
      const Item* item = ring_.at(id).table().find(key);
      if (held && *held != version(*item)) fail("D6: copies differ at " + brief(key));
      held = version(*item);
      if (known.safe && known.safe_is_tombstone && known.expiry > now && *held < *known.safe) {
        fail("D3b: something older than a tombstone at " + brief(key));
      }
    }
    bool expected = held || known.must_exist(now);
    const Item* any = held ? ring_.at(ring_.holders(key)[0]).table().find(key) : nullptr;
    if (expected && (!any || any->live(now)) && !ring_.in_place(key)) {
      fail("D5: not on exactly the first r nodes: " + brief(key));
    }
  }
}

}  // namespace beckon::test
