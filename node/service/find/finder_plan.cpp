// SPDX-License-Identifier: MIT
#include "node/service/find/finder.h"

#include <algorithm>

#include "node/service/kernel/frames.h"

namespace beckon::service {

void Finder::plan(SearchId id, std::size_t branch) {
  Running& r = searches_.at(id);
  const auto& ways = r.accesses[branch];
  std::size_t fewest = ways.front().probes.size();
  for (const profile::Access& way : ways) fewest = std::min(fewest, way.probes.size());
  std::vector<std::size_t> rivals;  // equally few index nodes: the shorter list decides
  for (std::size_t i = 0; i < ways.size(); ++i) {
    r.report.ways.push_back(
        {.branch = branch, .label = ways[i].label, .probes = ways[i].probes.size()});
    if (ways[i].probes.size() == fewest) rivals.push_back(i);
  }
  std::vector<Id> unknown;
  if (rivals.size() >= 2 && r.search.access.empty()) {
    for (std::size_t way : rivals) {
      for (const profile::Probe& probe : ways[way].probes) {
        if (!remembered(Id{probe.key})) unknown.push_back(Id{probe.key});
      }
    }
  }
  if (unknown.empty() || r.plans.full()) return choose(id, branch);
  r.plans.start(count(&r, std::move(unknown)), [this, id, branch] { choose(id, branch); });
}

std::optional<std::uint32_t> Finder::remembered(const Id& key) const {
  const Count* found = counts_.find(key);
  bool fresh = found != nullptr && context_.now().mono - found->at < options_.count_age;
  return fresh ? std::optional(found->listed) : std::nullopt;
}

void Finder::remember(const Id& key, std::uint32_t listed) {
  counts_.touch(key) = {.listed = listed, .at = context_.now().mono};
}

Flow<void> Finder::count(Running* r, std::vector<Id> keys) {
  Scope questions(keys.size());
  for (const Id& key : keys) questions.start(count_key(r, key));
  auto idle = questions.idle();
  co_await idle;
}

Flow<void> Finder::count_key(Running* r, Id key) {
  auto owner_known = recall(context_, key);
  auto owner = co_await owner_known;
  if (!owner || r->paused) co_return;
  ++r->report.lookups;
  r->report.hops += owner->contacts;
  r->report.messages += 2 + 2 * owner->contacts;
  Bytes body = encode(CountRequest{.keys = {key}});
  r->report.bytes += body.size();
  auto answer =
      ask(context_, owner->owner, FrameType::count_req, std::move(body), options_.request_timeout);
  auto frame = co_await answer;
  auto reply = frame ? decode<CountReply>(frame->body) : Result<CountReply>(frame.error());
  if (reply && reply->listed.size() == 1) remember(key, reply->listed.front());
  if (frame && !r->paused) r->report.bytes += frame->body.size();
}

/// Records under all of its keys together; none while one of them is not known.
std::optional<std::uint64_t> Finder::listed(const profile::Access& way) const {
  std::uint64_t sum = 0;
  for (const profile::Probe& probe : way.probes) {
    auto count = remembered(Id{probe.key});
    if (!count) return std::nullopt;
    sum += *count;
  }
  return sum;
}

/// Fewest index nodes first, then the shorter lists; a list that nobody counted is taken for a long
/// one.
void Finder::choose(SearchId id, std::size_t branch) {
  Running& r = searches_.at(id);
  const auto& ways = r.accesses[branch];
  std::size_t best = ways.size() - 1;  // `everybody` always does
  std::pair<std::size_t, std::uint64_t> least{ways[best].probes.size(), ~std::uint64_t{0}};
  std::size_t first_line = 0;
  while (r.report.ways[first_line].branch != branch) ++first_line;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    auto records = listed(ways[i]);
    r.report.ways[first_line + i].listed = records;
    std::pair cost{ways[i].probes.size(), records.value_or(~std::uint64_t{0} - 1)};
    bool forced = !r.search.access.empty();
    if (forced ? ways[i].label == r.search.access : cost < least) {
      best = i;
      least = cost;
    }
  }
  r.report.ways[first_line + best].chosen = true;
  for (const profile::Probe& probe : ways[best].probes) {
    r.jobs.push_back({.branch = branch, .probe = probe, .access = best, .way = first_line + best});
  }
  --r.planning;
  pump(id);
}

}  // namespace beckon::service
