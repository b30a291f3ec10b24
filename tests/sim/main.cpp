// SPDX-License-Identifier: MIT
// beckon_sim: runs seeds, replays one with a transcript, shrinks a failing one.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

#include "tests/sim/data_workload.h"
#include "tests/sim/ring_process.h"
#include "tests/sim/run.h"

using namespace beckon;
using namespace beckon::sim;

namespace {

struct Arguments {
  std::uint64_t first = 1, last = 1;
  std::optional<Profile> profile{};  // none: a batch goes through all of them
  Narrowing narrowing{};
  bool dump = false;
  bool shrink = false;
  bool twice = false;
  bool until_failure = false;
  bool quiet = false;
  bool expect_failure = false;
  std::string file{};
};

constexpr const char* usage =
    "usage: beckon_sim --seed S [--profile P] [--nodes N] [--dump] [--shrink]\n"
    "       beckon_sim --seeds A..B [--profile P] [--twice] [--until-failure] [--expect-failure] "
    "[--quiet]\n"
    "       beckon_sim --file seeds.txt\n"
    "narrowing: --without FAULT, --fault-ms T, --pause-ms T, --list L, --base N, --adjacent N,\n"
    "           --lookups N, --default-timers, --no-fingers\n"
    "profiles: mixed boot churn adjacent half merge rejoin small garbage lossy blackout twins\n"
    "          data hostile (whole nodes)\n";

/// What this program is called: one with a planted mistake has a name of its own.
std::string program;

bool number(std::string_view text, std::uint64_t& out) {
  auto end = text.data() + text.size();
  return std::from_chars(text.data(), end, out).ptr == end && !text.empty();
}

bool parse_range(std::string_view text, Arguments& out) {
  auto dots = text.find("..");
  if (dots == text.npos) return false;
  return number(text.substr(0, dots), out.first) && number(text.substr(dots + 2), out.last);
}

bool narrow(std::string_view flag, std::uint64_t n, Arguments& out) {
  Narrowing& to = out.narrowing;
  if (flag == "--seed") return out.first = out.last = n, true;
  if (flag == "--nodes") return to.nodes = n, n > 0;
  if (flag == "--fault-ms") return to.fault_time = std::chrono::milliseconds(n), true;
  if (flag == "--pause-ms") return to.mean_pause = std::chrono::milliseconds(n), n > 0;
  if (flag == "--list") return to.list = n, n >= 1 && n <= 16;
  if (flag == "--base") return to.base = n, n >= 1;
  if (flag == "--adjacent") return to.adjacent = n, n >= 1;
  if (flag == "--lookups") return to.lookups = static_cast<int>(n), n <= 100'000;
  return false;
}

bool parse_value(std::string_view flag, std::string_view value, Arguments& out) {
  std::uint64_t n = 0;
  if (flag == "--seeds") return parse_range(value, out);
  if (flag == "--file") return !(out.file = value).empty();
  if (flag == "--profile") {
    auto profile = profile_named(value);
    if (profile) out.profile = *profile;
    return profile.has_value();
  }
  if (flag == "--without") {
    auto fault = fault_named(value);
    if (fault) out.narrowing.without.insert(*fault);
    return fault.has_value();
  }
  if (!number(value, n)) return false;
  return narrow(flag, n, out);
}

bool parse(const std::vector<std::string_view>& words, Arguments& out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--dump")
      out.dump = true;
    else if (words[i] == "--shrink")
      out.shrink = true;
    else if (words[i] == "--twice")
      out.twice = true;
    else if (words[i] == "--until-failure")
      out.until_failure = true;
    else if (words[i] == "--quiet")
      out.quiet = true;
    else if (words[i] == "--expect-failure")
      out.expect_failure = out.until_failure = true;
    else if (words[i] == "--default-timers")
      out.narrowing.default_timers = true;
    else if (words[i] == "--no-fingers")
      out.narrowing.no_fingers = true;
    else if (i + 1 == words.size() || !parse_value(words[i], words[i + 1], out))
      return false;
    else
      ++i;
  }
  return !words.empty();
}

Profile profile_for(std::uint64_t seed, const Arguments& arguments) {
  if (arguments.profile) return *arguments.profile;
  // Every second seed is mixed, the others go round the named profiles.
  if (seed % 2 == 0) return Profile::mixed;
  return ring_profiles[1 + (seed / 2) % (ring_profiles.size() - 1)];
}

Verdict run_one(std::uint64_t seed, Profile profile, const Narrowing& narrowing,
                std::ostream* dump) {
  Plan plan = draw_plan(seed, profile, narrowing);
  if (profile == Profile::data || profile == Profile::hostile) {
    NodeFactory factory(plan);
    DataWorkload workload(plan, factory);
    return run(plan, factory, dump, &workload);
  }
  RingFactory factory;
  return run(plan, factory, dump);
}

void report(std::uint64_t seed, Profile profile, const Narrowing& narrowing,
            const Verdict& verdict) {
  std::printf("seed %llu profile %s trace %016llx steps %llu ideal after %.1f rounds: %s\n",
              static_cast<unsigned long long>(seed), std::string(name_of(profile)).c_str(),
              static_cast<unsigned long long>(verdict.trace),
              static_cast<unsigned long long>(verdict.steps), verdict.rounds_to_ideal,
              verdict.ok ? "ok" : "FAILED");
  std::printf("  %s\n", describe(draw_plan(seed, profile, narrowing)).c_str());
  if (verdict.ok) return;
  std::printf("  %s\n  replay: %s %s\n", verdict.what.c_str(), program.c_str(),
              replay_flags(seed, profile, narrowing).c_str());
}

/// Fewer nodes, fewer kinds of faults, an earlier end: whatever still fails is kept.
void shrink(std::uint64_t seed, Profile profile, Narrowing narrowing) {
  auto fails = [&](const Narrowing& candidate) {
    return !run_one(seed, profile, candidate, nullptr).ok;
  };
  if (!fails(narrowing))
    return void(std::printf("seed %llu does not fail\n", static_cast<unsigned long long>(seed)));
  Plan plan = draw_plan(seed, profile, narrowing);
  for (Fault fault : plan.faults) {
    Narrowing candidate = narrowing;
    candidate.without.insert(fault);
    if (fails(candidate)) narrowing = candidate;
  }
  for (std::size_t nodes = 1; nodes < plan.nodes; ++nodes) {
    Narrowing candidate = narrowing;
    candidate.nodes = nodes;
    if (!fails(candidate)) continue;
    narrowing = candidate;
    break;
  }
  for (int share = 1; share < 16; ++share) {
    Narrowing candidate = narrowing;
    candidate.fault_time =
        std::chrono::duration_cast<std::chrono::milliseconds>(plan.fault_time * share / 16);
    if (!fails(candidate)) continue;
    narrowing = candidate;
    break;
  }
  report(seed, profile, narrowing, run_one(seed, profile, narrowing, nullptr));
}

/// What a batch saw, per profile.
struct Tally {
  std::vector<double> rounds{},
      successors{};               // stabilize periods until ideal; until heads are right
  std::vector<double> seconds{};  // of lookups under harm
  std::size_t seeds = 0, failed = 0, lookups = 0, lookups_failed = 0, lookups_wrong = 0;
  std::size_t quiet = 0, contacts = 0, crashes = 0;
  std::uint64_t steps = 0;
  std::map<std::string, std::size_t> more{};

  void add(const Verdict& v) {
    ++seeds;
    failed += v.ok ? 0 : 1;
    rounds.push_back(v.rounds_to_ideal);
    successors.push_back(v.rounds_to_successors);
    lookups += v.lookups;
    lookups_failed += v.lookups_failed;
    lookups_wrong += v.lookups_wrong;
    quiet += v.quiet_lookups;
    contacts += v.quiet_contacts;
    crashes += v.crashes;
    steps += v.steps;
    seconds.insert(seconds.end(), v.lookup_seconds.begin(), v.lookup_seconds.end());
    for (const auto& [what, count] : v.more) more[what] += count;
  }

  void print(std::string_view name) {
    auto spread = [](std::vector<double>& of, double high = 0.95) {
      if (of.empty()) return std::string("-");
      std::sort(of.begin(), of.end());
      auto at = [&](double q) {
        return of[static_cast<std::size_t>(q * static_cast<double>(of.size() - 1))];
      };
      char text[64];
      std::snprintf(text, sizeof text, "%.1f / %.1f / %.1f", at(0.5), at(high), at(1.0));
      return std::string(text);
    };
    std::printf(
        "%-9s %7zu seeds, %zu failed; rounds to ideal %s (p50/p95/max), to right successors %s; "
        "%zu crashes; lookups under harm %zu, failed %zu, wrong %zu, %s s (p50/p99/max); "
        "quiet %zu, mean contacts %.2f; %llu steps\n",
        std::string(name).c_str(), seeds, failed, spread(rounds).c_str(),
        spread(successors).c_str(), crashes, lookups, lookups_failed, lookups_wrong,
        spread(seconds, 0.99).c_str(), quiet,
        quiet == 0 ? 0.0 : static_cast<double>(contacts) / static_cast<double>(quiet),
        static_cast<unsigned long long>(steps));
    for (const auto& [what, count] : more) std::printf("          %s: %zu\n", what.c_str(), count);
  }
};

int batch(const Arguments& arguments) {
  std::map<Profile, Tally> tallies;
  std::size_t run = 0;
  std::size_t failed = 0;
  for (std::uint64_t seed = arguments.first; seed <= arguments.last; ++seed) {
    Profile profile = profile_for(seed, arguments);
    Verdict verdict = run_one(seed, profile, arguments.narrowing, nullptr);
    if (arguments.twice &&
        run_one(seed, profile, arguments.narrowing, nullptr).trace != verdict.trace) {
      verdict.ok = false;
      verdict.what = "the same seed made two histories";
    }
    tallies[profile].add(verdict);
    ++run;
    failed += verdict.ok ? 0 : 1;
    if (!arguments.quiet || !verdict.ok) report(seed, profile, arguments.narrowing, verdict);
    std::fflush(stdout);
    if (arguments.until_failure && !verdict.ok) break;
  }
  for (auto& [profile, tally] : tallies) tally.print(name_of(profile));
  std::printf("%zu of %zu seeds failed\n", failed, run);
  return (failed == 0) == arguments.expect_failure ? 1 : 0;
}

/// Lines "SEED PROFILE [flags of beckon_sim]"; # begins a comment.
int from_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::fprintf(stderr, "cannot read %s\n", path.c_str()), 2;
  int failed = 0;
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    std::istringstream words(line);
    std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    if (all.empty()) continue;
    if (all.size() < 2) return std::fprintf(stderr, "want SEED PROFILE: %s\n", line.c_str()), 2;
    all.insert(all.begin(), "--seed");
    all.insert(all.begin() + 2, "--profile");
    Arguments one;
    if (!parse({all.begin(), all.end()}, one)) {
      return std::fprintf(stderr, "not understood: %s\n", line.c_str()), 2;
    }
    Verdict verdict = run_one(one.first, *one.profile, one.narrowing, nullptr);
    report(one.first, *one.profile, one.narrowing, verdict);
    failed += verdict.ok ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  program = std::filesystem::path(argv[0]).filename();
  Arguments arguments;
  if (!parse({argv + 1, argv + argc}, arguments)) return std::fputs(usage, stderr), 2;
  if (!arguments.file.empty()) return from_file(arguments.file);
  Profile profile = profile_for(arguments.first, arguments);
  if (arguments.shrink) return shrink(arguments.first, profile, arguments.narrowing), 0;
  if (!arguments.dump) return batch(arguments);
  Verdict verdict = run_one(arguments.first, profile, arguments.narrowing, &std::cout);
  std::cout.flush();
  report(arguments.first, profile, arguments.narrowing, verdict);
  return verdict.ok ? 0 : 1;
}
