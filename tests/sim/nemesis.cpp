// SPDX-License-Identifier: MIT
#include "tests/sim/nemesis.h"

#include <algorithm>

#include "chord/wire.h"
#include "tests/world/invariants.h"

namespace beckon::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

Nemesis::Nemesis(World& world, const Plan& plan, std::vector<std::string> seeds, Rng rng)
    : world_(world), plan_(plan), seeds_(std::move(seeds)), rng_(rng) {}

void Nemesis::strike() {
  if (plan_.faults.empty()) return;
  apply(*std::next(plan_.faults.begin(), static_cast<long>(rng_.below(plan_.faults.size()))));
}

void Nemesis::apply(Fault fault) {
  Network& network = world_.network();
  Weather& weather = network.weather();
  HostNumber one = rng_.below(plan_.nodes), two = rng_.below(plan_.nodes);
  if (too_many_changes(fault)) return;
  switch (fault) {
    case Fault::crash:
      if (auto host = any_that_may_fail()) crash(*host);
      return;
    case Fault::crash_midway:
      if (auto host = any_that_may_fail()) {
        if (!list_outlives(*host)) return;
        ++crashes_;
        world_.arm_crash(*host, rng_.below(3));
        world_.pause(*host, Duration(0));
      }
      return;
    case Fault::restart:
    case Fault::join:
      if (auto host = any(false)) restart(*host, false);
      return;
    case Fault::wipe:
      if (auto host = any(false)) restart(*host, true);
      return;
    case Fault::leave:
      if (auto host = any_that_may_fail()) world_.leave(*host);
      return;
    case Fault::pause:
      world_.pause(one, milliseconds(rng_.between(100, 60'000)));
      return;
    case Fault::clock:
      world_.step_clock(one, seconds(rng_.between(-3600, 3600)));
      return;
    case Fault::twin:
      return twin();
    case Fault::delay:
      weather.heavy_tail = rng_.real() * 0.1;
      return;
    case Fault::loss:
      weather.loss = rng_.real() * 0.4;
      return;
    case Fault::duplicate:
      weather.duplicate = rng_.real() * 0.3;
      return;
    case Fault::reorder:
      weather.reorder = !weather.reorder;
      return;
    case Fault::reset:
      weather.reset = rng_.real() * 0.05;
      return;
    case Fault::slow:
      network.slow(one, milliseconds(rng_.between(0, slowest.count())));
      return;
    case Fault::partition:
      if (rng_.chance(0.5)) return network.heal_cuts();
      return split(static_cast<std::size_t>(rng_.between(2, 4)));
    case Fault::one_way:
      network.cut_one_way(one, two);
      return;
    case Fault::swizzle:
      return swizzle();
    case Fault::disk:
      return world_.hosts()[one].disk->hurt(rng_);
  }
}

/// Copies of records last only as long as fewer nodes come and go at once than there are copies.
bool Nemesis::too_many_changes(Fault fault) {
  if (plan_.changes_at_once == 0 || fault > Fault::join) return false;
  std::erase_if(changes_, [&](Time at) { return at + plan_.change_window < world_.now(); });
  if (changes_.size() >= plan_.changes_at_once || !world_.network().whole()) return true;
  if (fault == Fault::wipe && plan_.regime != Regime::within_budget) {
    if (losses_ >= plan_.changes_at_once) return true;
    ++losses_;
  }
  changes_.push_back(world_.now());
  return false;
}

void Nemesis::crash(HostNumber host) {
  ++crashes_;
  world_.crash(host, rng_.chance(0.5) ? CrashKind::silent : CrashKind::refuses);
}

void Nemesis::restart(HostNumber host, bool wiped) {
  if (wiped) world_.wipe_disk(host);
  world_.boot(host, false, seeds_);
}

void Nemesis::split(std::size_t groups) {
  std::vector<std::set<HostNumber>> sets(groups);
  for (HostNumber i = 0; i < world_.hosts().size(); ++i) sets[rng_.below(groups)].insert(i);
  world_.note("the network splits into " + std::to_string(groups));
  world_.network().split(std::move(sets));
}

/// Stop a random subset one by one, then free them in another order.
void Nemesis::swizzle() {
  if (clogged_.empty()) freeing_ = false;
  if (!freeing_ && clogged_.size() < plan_.nodes / 2) {
    HostNumber host = rng_.below(plan_.nodes);
    clogged_.push_back(host);
    world_.network().clog(host);
    freeing_ = rng_.chance(0.3);
    return;
  }
  freeing_ = true;
  std::size_t which = rng_.below(clogged_.size());
  world_.network().unclog(clogged_[which]);
  clogged_.erase(clogged_.begin() + static_cast<long>(which));
}

/// A second process with the key of a running one, started later elsewhere: its epoch is higher.
void Nemesis::twin() {
  auto host = any(true);
  if (!host || world_.hosts().size() > plan_.nodes + 2) return;
  const Host& original = world_.hosts()[*host];
  PeerRef self{.id = original.self.id,
               .address = original.self.address + "t" + std::to_string(world_.hosts().size())};
  HostNumber number = world_.add_host(self, original.options);
  world_.hosts()[number].disk->epoch = world_.hosts()[*host].disk->epoch + 1;
  world_.boot(number, false, seeds_);
}

void Nemesis::crash_adjacent(std::size_t count) {
  RingView view(world_.hosts());
  std::size_t n = view.members().size(), start = rng_.below(n);
  std::vector<HostNumber> victims;
  for (std::size_t i = 0; i < count; ++i) victims.push_back(view.members()[(start + i) % n].host);
  for (HostNumber host : victims) crash(host);
}

void Nemesis::crash_half() {
  for (HostNumber host = 0; host < plan_.nodes; ++host) {
    bool seed = host < 2;
    if (!seed && world_.hosts()[host].running() && rng_.chance(0.5)) crash(host);
  }
}

void Nemesis::restart_everybody() {
  for (HostNumber host = 0; host < plan_.nodes; ++host) crash(host);
  for (HostNumber host = 0; host < plan_.nodes; ++host) restart(host, false);
}

void Nemesis::heal() {
  world_.network().heal();
  clogged_.clear();
  for (HostNumber host = 0; host < plan_.nodes; ++host) {
    world_.arm_crash(host, std::nullopt);
    world_.set_clock(host);
    world_.hosts()[host].disk->mend();
  }
  for (HostNumber twin = plan_.nodes; twin < world_.hosts().size(); ++twin) {
    world_.crash(twin, CrashKind::refuses);
  }
  for (HostNumber host = 0; host < world_.hosts().size(); ++host) {
    bool seed =
        std::find(seeds_.begin(), seeds_.end(), world_.hosts()[host].self.address) != seeds_.end();
    bool wanted = seed || plan_.profile == Profile::data;
    if (!wanted) continue;
    const Host& it = world_.hosts()[host];
    bool leaves = it.running() && it.process->ring().mode() == chord::Mode::leaving;
    if (leaves) world_.crash(host, CrashKind::refuses);
    if (!it.running()) restart(host, false);
  }
  world_.note("all faults end");
}

std::optional<HostNumber> Nemesis::any(bool running) {
  std::vector<HostNumber> fit;
  for (HostNumber i = 0; i < plan_.nodes; ++i) {
    if (world_.hosts()[i].running() == running) fit.push_back(i);
  }
  if (fit.empty()) return std::nullopt;
  return fit[rng_.below(fit.size())];
}

std::optional<HostNumber> Nemesis::any_that_may_fail() {
  auto host = any(true);
  return host && may_fail(*host) ? host : std::nullopt;
}

namespace {

/// Whether somebody other than `without` in this list is a member that has been one for a while.
bool has_life(const World& world, const RingView& view, const std::vector<Id>& list,
              const Id& without, const chord::RingNode* judge, Duration settled) {
  return std::any_of(list.begin(), list.end(), [&](const Id& id) {
    auto index = view.index_of(id);
    if (!index || id == without || (judge != nullptr && judge->suspected(id))) return false;
    const Host& host = world.hosts()[view.members()[*index].host];
    return host.member_since + settled <= world.now() && !host.crash_after_sends;
  });
}

/// The list its receiver might adopt from a frame under way; empty if it holds none.
std::vector<Id> list_in(const Frame& frame, const Id& receiver) {
  auto message = chord::decode(frame.type, frame.body);
  if (!message) return {};
  std::vector<Id> out;
  if (auto* state = std::get_if<chord::StateReply>(&*message)) {
    out.push_back(frame.peer.id);
    for (const PeerRef& peer : state->successors) out.push_back(peer.id);
  } else if (auto* next = std::get_if<chord::NextReply>(&*message)) {
    for (const PeerRef& peer : next->successors) {
      bool behind = !chord::Arc{.after = frame.peer.id, .upto = receiver}.contains(peer.id);
      if (!out.empty() || behind) out.push_back(peer.id);
    }
    if (next->successors.empty()) out.push_back(frame.peer.id);
  }
  return out;
}

}  // namespace

/// Whether somebody who adopts the list of a host right before it dies has another to go on with.
bool Nemesis::list_outlives(HostNumber victim) const {
  const Host& host = world_.hosts()[victim];
  if (plan_.regime != Regime::within_budget) return true;
  std::vector<Id> list = host.process->ring().snapshot().successors;
  if (list.size() == plan_.options.list_length) list.pop_back();
  RingView view(world_.hosts());
  return list.empty() || has_life(world_, view, list, host.self.id, nullptr, settled());
}

Duration Nemesis::settled() const { return 2 * plan_.options.stabilize_every + seconds(12); }

bool Nemesis::may_fail(HostNumber victim) const {
  const Host& host = world_.hosts()[victim];
  if (!host.running()) return false;
  if (plan_.regime != Regime::within_budget) {
    return victim >= plan_.base || plan_.regime == Regime::over_budget;
  }
  if (victim < plan_.base) return false;
  RingView view(world_.hosts());
  const Id& id = host.self.id;
  for (const RingView::Member& member : view.members()) {
    if (member.id == id || member.node->successors().empty()) continue;
    std::vector<Id> list = member.node->snapshot().successors;
    if (!has_life(world_, view, list, id, member.node, settled())) return false;
    // One that is about to die may hand out its list once more, with itself at the head.
    if (!world_.hosts()[member.host].crash_after_sends) continue;
    if (list.size() == plan_.options.list_length) list.pop_back();
    if (!has_life(world_, view, list, id, nullptr, settled())) return false;
  }
  for (const Host& other : world_.hosts()) {
    if (!other.running() || other.self.id == id) continue;
    for (std::vector<Id> list : other.process->ring().snapshot().lists_to_adopt) {
      std::erase(list, other.self.id);
      if (!has_life(world_, view, list, id, nullptr, settled())) return false;
    }
  }
  for (const auto& [when, event] : world_.queue()) {
    if (event.kind != Event::Kind::deliver) continue;
    const Id& receiver = world_.hosts()[event.host].self.id;
    std::vector<Id> list = list_in(event.frame, receiver);
    list.erase(std::find(list.begin(), list.end(), receiver), list.end());
    if (list.size() > plan_.options.list_length) list.resize(plan_.options.list_length);
    if (!list.empty() && !has_life(world_, view, list, id, nullptr, settled())) return false;
  }
  return true;
}

}  // namespace beckon::sim
