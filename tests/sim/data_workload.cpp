// SPDX-License-Identifier: MIT
#include "tests/sim/data_workload.h"

#include <algorithm>

namespace beckon::sim {

using namespace std::chrono_literals;
using service::Item;
using service::ItemKey;
using service::ItemKind;
using service::Version;

namespace {

constexpr std::size_t author_count = 10;
constexpr std::size_t besieged_authors = 60;
constexpr int besieged_reads = 300;

bool only_crashes(const std::set<Fault>& faults) {
  using enum Fault;
  std::set<Fault> harmless{crash, crash_midway, restart, wipe, leave, join, disk};
  return std::includes(harmless.begin(), harmless.end(), faults.begin(), faults.end());
}

NodeProcess* node_at(const World& world, HostNumber host) {
  return dynamic_cast<NodeProcess*>(world.hosts()[host].process.get());
}

}  // namespace

DataWorkload::DataWorkload(const Plan& plan, NodeFactory& factory)
    : plan_(plan),
      factory_(factory),
      rng_(Rng(plan.seed).split("data")),
      strict_(plan.regime == Regime::within_budget && only_crashes(plan.faults)) {
  std::size_t count = plan.profile == Profile::hostile ? besieged_authors : author_count;
  for (std::uint64_t i = 0; i < count; ++i) {
    authors_.emplace_back(plan.seed * 1000 + i, factory.signer());
  }
}

void DataWorkload::fail(const std::string& what) {
  if (!violation_) violation_ = what;
}

std::optional<HostNumber> DataWorkload::anybody(const World& world) {
  std::vector<HostNumber> fit;
  for (HostNumber i = 0; i < world.hosts().size(); ++i) {
    const Host& host = world.hosts()[i];
    if (host.member_since != Time::max() && node_at(world, i) != nullptr) fit.push_back(i);
  }
  if (fit.empty()) return std::nullopt;
  return fit[rng_.below(fit.size())];
}

void DataWorkload::act(World& world) {
  for (std::uint64_t i = rng_.below(3) + 1; i > 0; --i) {
    auto host = anybody(world);
    if (!host) return;
    std::size_t who = rng_.below(authors_.size());
    if (rng_.chance(0.6)) {
      put(world, *host, who);
    } else {
      get(world, *host, who, Reach::all, false);
    }
  }
}

void DataWorkload::put(World& world, HostNumber host, std::size_t who) {
  Written& known = written_[who];
  WallTime now = world.true_time();
  auto record = authors_[who].record(++known.last_seq, now, std::string(rng_.below(300), 'p'));
  if (known.last_seq > 1 && plan_.profile == Profile::data && rng_.chance(0.2)) {
    record = service::tombstone_for(known.newest, record.seq, now);
    ++counts_["tombstones"];
  }
  known.newest = record;
  service::RawItem raw_item = authors_[who].raw_item(record);
  Version version{record.seq, sha256(raw_item.bytes)};
  ++counts_["puts"];
  auto done = [this, who, version, tombstone = record.tombstone](const auto& stored) {
    if (stored[0].copies < factory_.replicas().replicas || stored[0].seq != version.seq) return;
    ++counts_["safe puts"];
    Written& w = written_[who];
    if (w.safe && *w.safe > version) return;
    w.safe = version;
    w.safe_is_tombstone = tombstone;
  };
  world.tell(host, [&](Process& process) {
    return dynamic_cast<NodeProcess&>(process).act(
        [raw_item, done](service::Service& s) {
          s.replicas().put({{raw_item, {}}}, done);
        },
        world.clock(host));
  });
}

void DataWorkload::get(World& world, HostNumber host, std::size_t who, Reach reach, bool quiet) {
  Read read{.who = who, .safe = written_[who].safe, .quiet = quiet, .reach = reach};
  ++counts_[reach == Reach::all ? "reads of all" : "reads of one"];
  Id key = authors_[who].ring();
  auto done = [this, read](const auto& items) { returned(read, items); };
  world.tell(host, [&](Process& process) {
    return dynamic_cast<NodeProcess&>(process).act(
        [key, reach, done](service::Service& s) {
          s.replicas().get(key, ItemKind::author_item, done, reach);
        },
        world.clock(host));
  });
}

/// The history checker: what a read returns is genuine, not older than what it must have seen.
void DataWorkload::returned(const Read& read, const Result<std::vector<Item>>& items) {
  Written& w = written_[read.who];
  std::optional<Version> best;
  for (const Item& item : items ? *items : std::vector<Item>{}) {
    auto judged = factory_.rules().judge_fully(raw_item(item), item.info.issued);
    if (judged.status != Status::ok || item.key != authors_[read.who].item_key() ||
        item.info.seq > w.last_seq) {
      return fail("D1: a read returned what its author never wrote");
    }
    best = std::max(best, std::optional(version(item)));
  }
  bool right = best && (!read.safe || *best >= *read.safe);
  if (right) ++counts_[read.reach == Reach::all ? "right of all" : "right of one"];
  if (best && !right) ++counts_["stale reads"];
  std::string key = authors_[read.who].ring().brief();
  if (strict_ && best && !right) fail("history: a read of " + key + " is older than acknowledged");
  if (!read.quiet) return;
  if (read.safe && !right) fail("history: once quiet, a read of " + key + " misses what is safe");
  if (w.read_quiet > best) fail("history: once quiet, a read of " + key + " went back");
  w.read_quiet = std::max(w.read_quiet, best);
}

std::optional<Version> DataWorkload::newest_on_disk(const World& world, const ItemKey& key) const {
  std::optional<Version> best;
  for (const Host& host : world.hosts()) {
    auto row = static_cast<NodeDisk&>(*host.disk).store.get(service::Table::items, encode(key));
    if (!row || !*row) continue;
    auto item = service::decode_row(encode(key), **row, factory_.rules());
    if (item) best = std::max(best, std::optional(version(*item)));
  }
  return best;
}

Violation DataWorkload::look(const World& world) {
  if (factory_.went_back) fail(*factory_.went_back);
  for (const auto& [who, known] : written_) {
    ItemKey key = authors_[who].item_key();
    if (known.safe && newest_on_disk(world, key) < known.safe) fail("D4: lost " + key.ring.brief());
  }
  if (auto bad = check_tables(world)) fail(*bad);
  return violation_;
}

Violation DataWorkload::check_tables(const World& world) const {
  for (HostNumber i = 0; i < world.hosts().size(); ++i) {
    NodeProcess* node = node_at(world, i);
    if (node == nullptr) continue;
    const service::ItemTable& table = node->service().replicas().table();
    if (service::ItemTable::footprint(table.total()) > factory_.replicas().max_bytes) {
      return "D7: host " + std::to_string(i) + " holds more than its quota";
    }
    for (const auto& [who, known] : written_) {
      const Item* item = table.find(authors_[who].item_key());
      if (item != nullptr && !factory_.rules().genuine(*item)) {
        return "D1: host " + std::to_string(i) + " holds a record that is not genuine";
      }
    }
  }
  return std::nullopt;
}

void DataWorkload::read_everything(World& world) {
  for (HostNumber host = 0; host < world.hosts().size(); ++host) {
    if (node_at(world, host) == nullptr) continue;
    for (const auto& [who, known] : written_) get(world, host, who, Reach::all, true);
  }
}

Violation DataWorkload::look_quiet(const World& world) {
  RingView view(world.hosts());
  for (const auto& [who, known] : written_) {
    if (auto bad = check_place(world, view, who)) fail(*bad);
  }
  return violation_ ? violation_ : look(world);
}

/// D5, D6 and D3b: the same version on exactly the first r members, and nothing a tombstone buried.
Violation DataWorkload::check_place(const World& world, const RingView& view,
                                    std::size_t who) const {
  ItemKey key = authors_[who].item_key();
  const Written& known = written_.at(who);
  std::set<HostNumber> wanted, holders;
  std::size_t n = view.members().size(), first = *view.index_of(view.owner(key.ring).id);
  for (std::size_t i = 0; i < std::min(n, factory_.replicas().replicas); ++i) {
    wanted.insert(view.members()[(first + i) % n].host);
  }
  std::optional<Version> held;
  for (HostNumber host = 0; host < world.hosts().size(); ++host) {
    if (!world.hosts()[host].running()) continue;
    NodeProcess* node = node_at(world, host);
    if (node == nullptr) return std::nullopt;  // what a liar holds is nobody's promise
    const Item* item = node->service().replicas().table().find(key);
    if (item == nullptr) continue;
    holders.insert(host);
    if (held && *held != version(*item)) return "D6: copies differ at " + key.ring.brief();
    held = version(*item);
  }
  if (known.safe && known.safe_is_tombstone && held && *held < *known.safe) {
    return "D3b: something older than a tombstone at " + key.ring.brief();
  }
  if ((held || known.safe) && holders != wanted) {
    return "D5: not on exactly the first r nodes: " + key.ring.brief();
  }
  return std::nullopt;
}

/// Everything is written in peace; then the liars begin, and people read.
bool DataWorkload::besiege(World& world, const Pass& pass) {
  for (std::size_t who = 0; who < authors_.size(); ++who) {
    put(world, *anybody(world), who);
    if (!pass(100ms)) return false;
  }
  if (!pass(repair_time())) return false;
  std::map<std::string, std::size_t> before = counts_;
  factory_.lying = true;
  if (!pass(10s)) return false;
  for (int i = 0; i < besieged_reads; ++i) {
    if (auto host = anybody(world)) {
      get(world, *host, rng_.below(authors_.size()), i % 2 == 0 ? Reach::all : Reach::first, false);
    }
    if (!pass(200ms)) return false;
  }
  if (!pass(30s)) return false;
  for (const char* name : {"reads of all", "reads of one", "right of all", "right of one"}) {
    counts_[std::string("besieged ") + name] = counts_[name] - before[name];
  }
  factory_.lying = false;
  return true;
}

}  // namespace beckon::sim
