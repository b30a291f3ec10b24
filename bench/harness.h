// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace beckon::bench {

/// Makes the compiler believe that the value is needed.
template <typename T>
inline void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Time this thread has had on a processor: what other programs take does not count, though a busy
/// neighbour on the same core still slows us down.
inline double cpu_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Nanoseconds per item: the median of the rounds and the quartiles around it.
struct Timing {
  double median = 0;
  double low = 0;
  double high = 0;
};

inline Timing summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  auto at = [&](std::size_t quarter) { return samples[quarter * (samples.size() - 1) / 4]; };
  return {.median = at(2), .low = at(1), .high = at(3)};
}

/// Rivals for one question, timed in turn in every round, so that a slow moment of the machine hits
/// all of them: their ratios mean more than their times. Each runs once unmeasured first. A ratio
/// is the median over the rounds of (time of the other / time of the first) in the same round.
class Contest {
 public:
  Contest(std::string question, std::uint64_t items, int rounds = 21)
      : question_(std::move(question)), items_(items), rounds_(rounds) {}

  /// `work` handles all items once. The first one added is the yardstick: ours.
  void add(std::string name, std::function<void()> work) {
    entries_.push_back({std::move(name), std::move(work), {}});
  }

  void run() {
    for (Entry& entry : entries_) entry.work();
    for (int round = 0; round < rounds_; ++round) {
      for (Entry& entry : entries_) entry.samples.push_back(time_once(entry.work));
    }
  }

  Timing timing(std::size_t entry) const { return summary(entries_[entry].samples); }

  /// How many times longer than the first entry this one takes.
  Timing ratio(std::size_t entry) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < entries_[entry].samples.size(); ++i) {
      ratios.push_back(entries_[entry].samples[i] / entries_[0].samples[i]);
    }
    return summary(ratios);
  }

  void print() const {
    std::printf("\n%s\n", question_.c_str());
    std::printf("  %-34s %10s  %-19s %s\n", "", "ns/item", "quartiles", "times the first");
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Timing t = timing(i);
      Timing r = ratio(i);
      std::printf("  %-34s %10.2f  %8.2f ..%8.2f  %6.2f  (%.2f .. %.2f)\n",
                  entries_[i].name.c_str(), t.median, t.low, t.high, r.median, r.low, r.high);
    }
    std::fflush(stdout);
  }

 private:
  struct Entry {
    std::string name;
    std::function<void()> work;
    std::vector<double> samples;
  };

  double time_once(const std::function<void()>& work) const {
    double start = cpu_nanoseconds();
    work();
    return (cpu_nanoseconds() - start) / static_cast<double>(items_);
  }

  std::string question_;
  std::uint64_t items_;
  int rounds_;
  std::vector<Entry> entries_;
};

/// One line that says whether a promise was kept; benches end with a non-zero code if one was not.
inline bool promise(const char* what, double found, const char* relation, double wanted) {
  bool kept = relation[0] == '>' ? found >= wanted : found <= wanted;
  std::printf("  %s %s: %.4g, wanted %s %.4g\n", kept ? "kept  " : "BROKEN", what, found, relation,
              wanted);
  return kept;
}

}  // namespace beckon::bench
