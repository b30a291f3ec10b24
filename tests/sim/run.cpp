// SPDX-License-Identifier: MIT
#include "tests/sim/run.h"

#include <algorithm>
#include <cmath>

#include "tests/sim/checker.h"
#include "tests/sim/nemesis.h"
#include "tests/sim/transcript.h"

namespace beckon::sim {

namespace {

constexpr std::uint64_t unjudged = 0;  // the tag of a lookup whose outcome does not count

std::string numbered(const char* name, std::size_t number) {
  std::string out = name;
  return out.append(std::to_string(number));
}

/// One seed from the first host to the verdict.
class Run {
 public:
  Run(const Plan& plan, Factory& factory, std::ostream* dump, Workload* workload)
      : plan_(plan),
        rng_(Rng(plan.seed).split("run")),
        world_(factory, Network(plan.weather, Rng(plan.seed).split("network")),
               Rng(plan.seed).split("world")),
        checker_(world_, plan_),
        workload_(workload) {
    world_.observe(&checker_);
    if (dump != nullptr) transcript_.emplace(world_, *dump);
    if (dump != nullptr) world_.observe(&*transcript_);
    make_hosts();
    nemesis_.emplace(world_, plan_, seeds_, Rng(plan.seed).split("nemesis"));
  }

  Verdict run() {
    if (populate() && harm()) conclude();
    verdict_.trace = world_.trace_hash();
    verdict_.steps = world_.steps();
    verdict_.crashes = nemesis_->crashes();
    if (workload_ != nullptr) verdict_.more = workload_->counts();
    return verdict_;
  }

 private:
  void make_hosts() {
    for (std::size_t i = 0; i < plan_.nodes; ++i) {
      Id id;
      rng_.fill(id.bytes);
      world_.add_host({.id = id, .address = numbered("n", i)}, plan_.options);
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(plan_.nodes, 2); ++i) {
      seeds_.push_back(world_.hosts()[i].self.address);
    }
  }

  bool goes_on() {
    checker_.look();
    return !checker_.violation();
  }

  bool pass_time(Duration time) {
    world_.run_until(world_.now() + time, [&] { return goes_on(); });
    checker_.look();
    if (checker_.violation()) return fail(*checker_.violation());
    if (workload_ == nullptr) return true;
    auto bad = workload_->look(world_);
    return !bad || fail(*bad);
  }

  bool fail(const std::string& what) {
    verdict_.ok = false;
    verdict_.what = what + "\n" + ring_text(world_);
    return false;
  }

  bool populate() {
    if (plan_.profile == Profile::garbage) return populate_with_garbage();
    world_.boot(0, true, {});
    if (!pass_time(std::chrono::seconds(1))) return false;
    for (HostNumber host = 1; host < plan_.nodes; ++host) {
      // The base joins first and settles: what the proof asks of the start.
      if (host == plan_.base && !settle_base()) return false;
      world_.boot(host, false, seeds_);
      bool at_once = plan_.profile == Profile::boot || rng_.chance(0.5);
      if (!at_once && !pass_time(std::chrono::milliseconds(rng_.between(0, 2000)))) return false;
    }
    if (plan_.nodes <= plan_.base && !settle_base()) return false;
    bool wait = plan_.profile != Profile::mixed || rng_.chance(0.5);
    return !wait || settle();
  }

  bool settle_base() {
    if (!settle()) return false;
    std::set<Id> base;
    for (HostNumber host = 0; host < plan_.base; ++host) base.insert(world_.hosts()[host].self.id);
    bool large_enough = plan_.base > plan_.options.list_length;
    if (plan_.regime == Regime::within_budget && large_enough) checker_.set_base(std::move(base));
    return true;
  }

  bool populate_with_garbage() {
    for (HostNumber host = 0; host < plan_.nodes; ++host) {
      auto some = [&](std::size_t count) {
        std::vector<PeerRef> out;
        while (out.size() < count) {
          out.push_back(world_.hosts()[rng_.below(plan_.nodes)].self);
        }
        return out;
      };
      chord::Assume assume{.predecessor = some(1)[0],
                           .successors = some(1 + rng_.below(plan_.options.list_length)),
                           .known = some(3)};
      if (host == 0) assume.known = some(plan_.nodes);
      world_.boot(host, false, seeds_, assume);
    }
    return true;
  }

  bool harm() {
    Time end = world_.now() + plan_.fault_time;
    switch (plan_.profile) {
      case Profile::boot:
      case Profile::garbage:
        return true;
      case Profile::adjacent:
        nemesis_->crash_adjacent(plan_.adjacent);
        return lookups_at_once();
      case Profile::half:
        nemesis_->crash_half();
        return lookups_at_once();
      case Profile::blackout:
        if (!pass_time(2 * plan_.options.remember_every)) return false;
        nemesis_->restart_everybody();
        return true;
      case Profile::merge:
        nemesis_->split(static_cast<std::size_t>(rng_.between(2, 4)));
        return pass_time(plan_.fault_time + std::chrono::seconds(rng_.between(10, 600)));
      case Profile::hostile:
        return workload_->besiege(world_, [&](Duration time) { return pass_time(time); });
      default:
        break;
    }
    std::uint64_t tag = 1;
    while (world_.now() < end) {
      double wait = -std::log(1 - rng_.real()) * static_cast<double>(plan_.mean_pause.count());
      if (!pass_time(Duration(static_cast<Duration::rep>(wait)))) return false;
      judge_lookups_under_harm(false);
      nemesis_->strike();
      if (workload_ != nullptr) workload_->act(world_);
      for (int i = 0; i < std::max(1, plan_.lookups / 20); ++i) {
        HostNumber host = rng_.below(plan_.nodes);
        // Who is no member must end a lookup too, but cannot be blamed for its outcome.
        bool member = world_.hosts()[host].member_since != Time::max();
        world_.find(host, member ? tag++ : unjudged, random_key(), freshness());
      }
    }
    return true;
  }

  chord::Freshness freshness() {
    return rng_.chance(0.5) ? chord::Freshness::routed : chord::Freshness::verified;
  }

  /// Lookups in the very moment of a mass crash, before any repair.
  bool lookups_at_once() {
    for (int i = 0; i < plan_.lookups; ++i) {
      HostNumber host = rng_.below(plan_.nodes);
      while (!world_.hosts()[host].running()) host = rng_.below(plan_.nodes);
      world_.find(host, static_cast<std::uint64_t>(i) + 1, random_key(), chord::Freshness::routed);
    }
    struck_ = world_.now();
    for (Time end = world_.now() + std::chrono::seconds(16); world_.now() < end;) {
      if (!pass_time(plan_.options.stabilize_every / 2)) return false;
      watch_repair();
    }
    return judge_lookups_under_harm(plan_.profile == Profile::adjacent);
  }

  bool judge_lookups_under_harm(bool must_succeed) {
    RingView view(world_.hosts());
    if (view.members().empty()) return true;
    for (const auto& [host, done] : world_.lookups()) {
      if (done.tag == unjudged) continue;
      ++verdict_.lookups;
      verdict_.lookup_seconds.push_back(std::chrono::duration<double>(done.took).count());
      bool found = done.outcome == chord::LookupOutcome::found;
      bool right = found && done.owner.id == view.owner(done.key).id;
      if (!found) ++verdict_.lookups_failed;
      if (found && !right) ++verdict_.lookups_wrong;
      if (must_succeed && !right) return fail("G3: a lookup failed after L-1 adjacent crashes");
    }
    world_.forget_lookups();
    return true;
  }

  bool ideal() {
    RingView view(world_.hosts());
    return joined(view) && !check_ideal(view);
  }

  bool joined(const RingView& view) const {
    std::size_t running = 0;
    for (const Host& host : world_.hosts()) running += host.running() ? 1 : 0;
    return view.members().size() == running;
  }

  double rounds_since(Time start) const {
    return std::chrono::duration<double>(world_.now() - start).count() /
           std::chrono::duration<double>(plan_.options.stabilize_every).count();
  }

  /// Notes when the ring is first seen mended since it was struck.
  void watch_repair() {
    if (!struck_) return;
    RingView view(world_.hosts());
    if (!joined(view)) return;
    if (!mended_successors_ && !check_first_successors(view)) {
      mended_successors_ = rounds_since(*struck_);
    }
    if (!mended_ && !check_ideal(view)) mended_ = rounds_since(*struck_);
  }

  bool settle() {
    Time start = world_.now(), last = start + quiet_time(plan_);
    if (!struck_) struck_ = start;
    for (watch_repair(); !ideal(); watch_repair()) {
      if (world_.now() >= last) return fail(not_ideal());
      if (!pass_time(plan_.options.stabilize_every / 2)) return false;
    }
    double rounds = mended_.value_or(rounds_since(*struck_));
    double heads = mended_successors_.value_or(rounds);
    bool starts = plan_.profile == Profile::boot;  // there the start is what counts
    verdict_.rounds_to_ideal = starts ? std::max(rounds, verdict_.rounds_to_ideal) : rounds;
    verdict_.rounds_to_successors = starts ? std::max(heads, verdict_.rounds_to_successors) : heads;
    struck_.reset();
    mended_.reset();
    mended_successors_.reset();
    return true;
  }

  std::string not_ideal() const {
    RingView view(world_.hosts());
    if (!joined(view)) return "E1: somebody never joined";
    return check_ideal(view).value_or("E1: not ideal");
  }

  void conclude() {
    nemesis_->heal();
    if (!pass_time(pauses_left()) || !pass_time(late_frames())) return;
    if (!forget_twins() || !rescue() || !settle()) return;
    if (plan_.options.fingers && !settle_fingers()) return;
    if (!quiet_lookups() || !quiet_data()) return;
    RingView view(world_.hosts());
    if (auto bad = check_ideal(view)) fail("no longer ideal without a fault: " + *bad);
  }

  bool quiet_data() {
    if (workload_ == nullptr) return true;
    if (!pass_time(workload_->repair_time())) return false;
    for (int round = 0; round < 2; ++round) {
      workload_->read_everything(world_);
      if (!pass_time(std::chrono::seconds(30))) return false;
    }
    auto bad = workload_->look_quiet(world_);
    return !bad || fail(*bad);
  }

  /// The older of two processes with one key may outlive the later one; for a while after that
  /// there are peers that refuse it, as they must.
  bool forget_twins() {
    if (!plan_.faults.contains(Fault::twin)) return true;
    return pass_time(plan_.options.epoch_memory + std::chrono::seconds(15));
  }

  /// Harm may have left nobody who remembers a ring; then a person starts one again.
  bool rescue() {
    bool patient = plan_.profile == Profile::blackout || plan_.regime == Regime::within_budget;
    if (patient || !RingView(world_.hosts()).members().empty()) return true;
    if (!pass_time(std::chrono::seconds(180))) return false;
    if (!RingView(world_.hosts()).members().empty()) return true;
    world_.note("nobody is a member any more: a person creates the ring again");
    world_.crash(0, CrashKind::refuses);
    world_.boot(0, true, {});
    return true;
  }

  /// A frame that was delayed in the midst of it holds up what follows it on its link, and a dial
  /// takes three times as long.
  Duration late_frames() const {
    Duration most{};
    if (plan_.faults.contains(Fault::delay)) most += 100 * plan_.weather.delay_max;
    if (plan_.faults.contains(Fault::slow)) most += 2 * Nemesis::slowest;
    return 3 * most;
  }

  Duration pauses_left() const {
    Duration most{};
    for (const Host& host : world_.hosts()) {
      if (host.running() && host.paused_until > world_.now()) {
        most = std::max(most, Duration(host.paused_until - world_.now()));
      }
    }
    return most;
  }

  bool settle_fingers() {
    Time last = world_.now() + 40 * plan_.options.finger_every;
    while (auto bad = check_fingers(RingView(world_.hosts()))) {
      if (world_.now() >= last) return fail(*bad);
      if (!pass_time(plan_.options.finger_every)) return false;
    }
    return true;
  }

  Id random_key() {
    Id key;
    rng_.fill(key.bytes);
    return key;
  }

  bool quiet_lookups() {
    RingView view(world_.hosts());
    if (view.members().empty()) return true;
    world_.forget_lookups();
    std::map<std::uint64_t, Id> asked;
    for (int i = 0; i < plan_.lookups; ++i) {
      const auto& member = view.members()[rng_.below(view.members().size())];
      auto tag = 1'000'000 + static_cast<std::uint64_t>(i);
      asked[tag] = random_key();
      world_.find(member.host, tag, asked[tag], freshness());
      if (!pass_time(std::chrono::milliseconds(50))) return false;
    }
    if (!pass_time(std::chrono::seconds(16))) return false;
    double n = static_cast<double>(view.members().size());
    for (const auto& [host, done] : world_.lookups()) {
      if (asked.erase(done.tag) == 0) continue;
      bool found = done.outcome == chord::LookupOutcome::found;
      if (!found) {
        return fail("E3: a lookup of " + done.key.brief() + " by host " + std::to_string(host) +
                    " failed in a quiet ring after " + std::to_string(done.contacts) + " contacts");
      }
      if (done.owner.id != view.owner(done.key).id) {
        return fail("E3: a lookup of " + done.key.brief() + " by host " + std::to_string(host) +
                    " found " + done.owner.address + ", which does not own it");
      }
      ++verdict_.quiet_lookups;
      verdict_.quiet_contacts += done.contacts;
      bool short_path = static_cast<double>(done.contacts) <= std::log2(n) + 4;
      if (plan_.options.fingers && !short_path) {
        return fail("E3: a lookup took " + std::to_string(done.contacts) + " contacts");
      }
    }
    if (!asked.empty()) return fail("E3: a lookup never ended");
    return true;
  }

  Plan plan_;
  Rng rng_;
  World world_;
  Checker checker_;
  Workload* workload_;
  std::optional<Transcript> transcript_{};
  std::optional<Nemesis> nemesis_{};
  std::vector<std::string> seeds_{};
  std::optional<Time> struck_{};  // when what settle() waits for began
  std::optional<double> mended_{}, mended_successors_{};
  Verdict verdict_{};
};

}  // namespace

Verdict run(const Plan& plan, Factory& factory, std::ostream* dump, Workload* workload) {
  return Run(plan, factory, dump, workload).run();
}

}  // namespace beckon::sim
