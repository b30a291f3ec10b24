// SPDX-License-Identifier: MIT
#include "tests/sim/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace beckon::sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<std::string_view, fault_kinds> fault_names{
    "crash", "crash_midway", "restart", "wipe",    "leave",     "join",    "pause",
    "clock", "twin",         "delay",   "loss",    "duplicate", "reorder", "reset",
    "slow",  "partition",    "one_way", "swizzle", "disk"};
constexpr std::array<std::string_view, profile_kinds> profile_names{
    "mixed", "boot",    "churn", "adjacent", "half",  "merge", "rejoin",
    "small", "garbage", "lossy", "blackout", "twins", "data",  "hostile"};

struct Shape {
  Regime regime;
  std::size_t least, most;
  std::set<Fault> faults;
};

Shape shape_of(Profile profile) {
  using enum Fault;
  switch (profile) {
    case Profile::boot:
      return {Regime::within_budget, 3, 100, {}};
    case Profile::churn:
      return {Regime::within_budget, 16, 64, {crash, restart, wipe, join, leave, crash_midway}};
    case Profile::adjacent:
      return {Regime::within_budget, 24, 64, {}};
    case Profile::half:
      return {Regime::over_budget, 48, 64, {}};
    case Profile::merge:
      return {Regime::parted, 16, 64, {partition}};
    case Profile::rejoin:
      return {Regime::within_budget, 8, 64, {crash, restart, crash_midway}};
    case Profile::small:
      return {Regime::over_budget, 1, 5, {crash, restart, wipe, leave, crash_midway}};
    case Profile::garbage:
      return {Regime::over_budget, 16, 64, {}};
    case Profile::lossy:
      return {Regime::lossy, 8, 64, {delay, loss, duplicate, reorder, reset, slow, swizzle}};
    case Profile::blackout:
      return {Regime::over_budget, 2, 32, {}};
    case Profile::twins:
      return {Regime::lossy, 5, 32, {twin, pause}};
    case Profile::data:
      return {Regime::within_budget, 5, 16, {}};
    case Profile::hostile:
      return {Regime::lossy, 20, 40, {}};
    case Profile::mixed:
      break;
  }
  return {Regime::within_budget, 3, 64, {}};
}

bool any_of(const std::set<Fault>& faults, std::initializer_list<Fault> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](Fault f) { return faults.contains(f); });
}

Regime regime_of(const std::set<Fault>& faults, bool over_budget) {
  using enum Fault;
  if (over_budget) return Regime::over_budget;
  if (any_of(faults, {partition, one_way})) return Regime::parted;
  bool wrong_verdicts =
      any_of(faults, {pause, twin, delay, loss, duplicate, reorder, reset, slow, swizzle});
  return wrong_verdicts ? Regime::lossy : Regime::within_budget;
}

std::size_t log_uniform(Rng& rng, std::size_t least, std::size_t most) {
  double low = std::log(static_cast<double>(least)), high = std::log(static_cast<double>(most) + 1);
  auto drawn = static_cast<std::size_t>(std::exp(low + rng.real() * (high - low)));
  return std::clamp(drawn, least, most);
}

chord::Options draw_options(Rng& rng, const Narrowing& narrowing) {
  chord::Options o;
  o.list_length = static_cast<std::size_t>(rng.between(2, 16));
  double scale = std::exp2(static_cast<double>(rng.between(-8, 4)) / 4);  // timers x 1/4 to x 2
  auto scaled = [&](Duration d) {
    return Duration(static_cast<Duration::rep>(static_cast<double>(d.count()) * scale));
  };
  if (narrowing.default_timers) scale = 1;
  o.stabilize_every = scaled(o.stabilize_every);
  o.probe_every = scaled(o.probe_every);
  o.finger_every = scaled(o.finger_every);
  o.passive_retry_max = 4 * o.probe_every;
  o.fingers = !narrowing.no_fingers && !rng.chance(0.125);
  if (narrowing.list) o.list_length = *narrowing.list;
  return o;
}

}  // namespace

/// Half of the runs keep to crashes and disk errors, where reads must see all that is safe.
std::set<Fault> draw_data_faults(Rng& rng) {
  using enum Fault;
  std::vector<Fault> some{crash, crash_midway, restart, wipe, leave, disk};
  if (rng.chance(0.5)) some.insert(some.end(), {pause, clock, delay, loss, reset, slow, partition});
  std::set<Fault> out{crash, join};
  for (Fault fault : some) {
    if (rng.chance(0.6)) out.insert(fault);
  }
  return out;
}

/// Lists that know all replicas, and time for several rounds of harm and repair.
void fit_to_data(Rng& rng, Plan& plan) {
  plan.options.list_length = std::max<std::size_t>(plan.options.list_length, 4);
  plan.sync_period = seconds(rng.between(10, 30));
  plan.changes_at_once = 2;
  plan.change_window = 2 * plan.sync_period + seconds(30) + 3 * plan.options.stabilize_every;
  if (plan.regime != Regime::within_budget) plan.change_window = 8 * plan.sync_period;
  plan.fault_time = 6 * plan.change_window;
  plan.mean_pause = plan.change_window / 8;
}

std::string_view name_of(Profile profile) {
  return profile_names[static_cast<std::size_t>(profile)];
}
std::string_view name_of(Fault fault) { return fault_names[static_cast<std::size_t>(fault)]; }
char letter(Regime regime) { return "ABCD"[static_cast<std::size_t>(regime)]; }

Result<Profile> profile_named(std::string_view name) {
  for (int i = 0; i < profile_kinds; ++i) {
    if (name_of(static_cast<Profile>(i)) == name) return static_cast<Profile>(i);
  }
  return invalid("no profile is called '" + std::string(name) + "'");
}

Result<Fault> fault_named(std::string_view name) {
  for (int i = 0; i < fault_kinds; ++i) {
    if (name_of(static_cast<Fault>(i)) == name) return static_cast<Fault>(i);
  }
  return invalid("no fault is called '" + std::string(name) + "'");
}

Plan draw_plan(std::uint64_t seed, Profile profile, const Narrowing& narrowing) {
  Rng rng = Rng(seed).split("plan");
  Shape shape = shape_of(profile);
  Plan plan{.seed = seed, .profile = profile};
  plan.options = draw_options(rng, narrowing);
  plan.nodes = log_uniform(rng, shape.least, shape.most);
  plan.faults = shape.faults;
  bool over_budget = shape.regime == Regime::over_budget;
  if (profile == Profile::mixed) {
    // Half of the runs stay among the faults of regime A, where the strictest checks apply.
    int kinds = rng.chance(0.5) ? static_cast<int>(Fault::join) + 1 : ring_fault_kinds;
    for (int i = 0; i < kinds; ++i) {
      if (rng.chance(0.5)) plan.faults.insert(static_cast<Fault>(i));
    }
    over_budget = rng.chance(0.2);
  }
  if (profile == Profile::data) plan.faults = draw_data_faults(rng);
  plan.weather.delay_max = milliseconds(rng.between(5, 80));
  plan.fault_time = plan.options.stabilize_every * rng.between(4, 40);
  plan.mean_pause = plan.options.stabilize_every / rng.between(1, 20);
  for (Fault fault : narrowing.without) plan.faults.erase(fault);
  if (narrowing.nodes) plan.nodes = *narrowing.nodes;
  bool whole_nodes = profile == Profile::data || profile == Profile::hostile;
  plan.regime = profile == Profile::hostile ? shape.regime : regime_of(plan.faults, over_budget);
  if (whole_nodes) fit_to_data(rng, plan);
  if (narrowing.fault_time) plan.fault_time = *narrowing.fault_time;
  if (narrowing.mean_pause) plan.mean_pause = *narrowing.mean_pause;
  if (narrowing.lookups) plan.lookups = *narrowing.lookups;
  if (profile == Profile::adjacent) {
    plan.options.list_length = std::min(plan.options.list_length, plan.nodes / 2);
  }
  if (!plan.options.fingers) {  // a lookup goes from list to list, perhaps all the way round
    plan.options.lookup_contacts =
        std::max(plan.options.lookup_contacts, 2 * plan.nodes / plan.options.list_length);
  }
  bool keeps_base =
      plan.regime == Regime::within_budget && profile != Profile::adjacent && !whole_nodes;
  std::size_t wanted = keeps_base ? plan.options.list_length + 1 : 1;
  plan.base =
      std::min(wanted, plan.nodes > 4 ? plan.nodes - 2 : std::max<std::size_t>(1, plan.nodes / 2));
  if (narrowing.base) plan.base = *narrowing.base;
  plan.adjacent = narrowing.adjacent.value_or(plan.options.list_length - 1);
  return plan;
}

std::string describe(const Plan& plan) {
  std::string faults;
  for (Fault fault : plan.faults) faults.append(" ").append(name_of(fault));
  auto ms = [](Duration d) { return std::to_string(d.count() / 1000) + " ms"; };
  return "regime " + std::string(1, letter(plan.regime)) + ", " + std::to_string(plan.nodes) +
         " nodes (" + std::to_string(plan.base) + " base), L " +
         std::to_string(plan.options.list_length) + ", stabilize every " +
         ms(plan.options.stabilize_every) + (plan.options.fingers ? "" : ", no fingers") +
         ", faults for " + ms(plan.fault_time) + ":" + (faults.empty() ? " none" : faults);
}

std::string replay_flags(std::uint64_t seed, Profile profile, const Narrowing& narrowing) {
  std::string out =
      "--seed " + std::to_string(seed) + " --profile " + std::string(name_of(profile));
  if (narrowing.nodes) out += " --nodes " + std::to_string(*narrowing.nodes);
  for (Fault fault : narrowing.without) out += " --without " + std::string(name_of(fault));
  if (narrowing.fault_time) {
    out += " --fault-ms " + std::to_string(narrowing.fault_time->count() / 1000);
  }
  auto add = [&](const char* flag, const auto& value) {
    if (value) out += flag + std::to_string(*value);
  };
  if (narrowing.mean_pause) {
    out += " --pause-ms " + std::to_string(narrowing.mean_pause->count() / 1000);
  }
  add(" --list ", narrowing.list);
  add(" --base ", narrowing.base);
  add(" --adjacent ", narrowing.adjacent);
  add(" --lookups ", narrowing.lookups);
  if (narrowing.default_timers) out += " --default-timers";
  if (narrowing.no_fingers) out += " --no-fingers";
  return out + " --dump";
}

Duration quiet_time(const Plan& plan) {
  auto rounds = static_cast<Duration::rep>(std::max(plan.options.list_length, std::size_t{8}));
  Duration quiet = 4 * rounds * plan.options.stabilize_every + 4 * plan.options.probe_every;
  // A joiner may be waiting its longest back-off, and time-outs do not shrink with the timers.
  return quiet + plan.options.join_retry_max * 2 + seconds(60);
}

}  // namespace beckon::sim
