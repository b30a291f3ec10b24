// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "filters/go/go_filter.h"

namespace beckon::filters {

enum class Question : std::uint8_t { value, any, covers };

/// What a Monte-Carlo run builds and asks. Every attribute publishes one range of `width` values in
/// a scope of `scope` values, hashed with k positions, groups of d and s fresh positions each; with
/// `texts` texts beside it.
struct SimulationSpec {
  struct Range {
    std::uint64_t scope = 1;
    std::uint64_t width = 1;
    Grouping grouping{};
  };
  std::uint32_t bits = 512;
  std::uint32_t k = 8;
  std::vector<Range> ranges{};
  std::uint32_t texts = 0;
  Question question = Question::value;
  std::uint64_t query = 1;           // width of the window asked for
  std::uint32_t far_samples = 1000;  // questions per attribute and trial, far from the range
};

struct SimulationResult {
  std::uint64_t trials = 0;
  double rate = 0;  // false positive rate, summed over attributes and texts as the model sums it
  double standard_error = 0;
  double set_bits = 0;  // mean
  std::uint64_t false_negatives = 0;
  std::uint64_t asked = 0;  // questions whose right answer is no
  /// With no mistake seen, what the rate is below with a confidence of 95 %: of N questions drawn
  /// at random none errs with chance 5 % if the rate is 3 / N. 1 if none was asked.
  double below = 1;
};

/// Real filters with real hashing beside go_model. One trial: fresh seeds, a random place for each
/// range, then questions that should all be answered no. Windows near a range decide most of the
/// rate but are few, so they are all asked; of those far away a sample is. The caller checks the
/// specification (width <= scope, query as the question allows).
class GoSimulation {
 public:
  GoSimulation(SimulationSpec spec, Rng rng);

  /// What cannot be simulated, in a sentence.
  static Result<void> check(const SimulationSpec& spec);

  void run_trial();
  SimulationResult result() const;

 private:
  struct Placed {
    std::uint64_t at = 0;  // the range's first value, counted from the scope's start
    const GoAttribute* attribute = nullptr;
    const SimulationSpec::Range* range = nullptr;
  };

  GoFilter build(std::vector<Placed>& placed);
  std::uint64_t random_place(const SimulationSpec::Range& range);
  bool says_yes(const GoFilter& filter, const Placed& placed, std::uint64_t start) const;
  double wrong_share(const GoFilter& filter, const Placed& placed);
  double text_rate(const GoFilter& filter);
  void count_false_negatives(const GoFilter& filter, const Placed& placed);

  SimulationSpec spec_;
  Rng rng_;
  std::uint64_t trials_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t drawn_ = 0;  // those of them drawn from many
  double sum_ = 0;
  double sum_of_squares_ = 0;
  double set_bits_ = 0;
  std::uint64_t false_negatives_ = 0;
};

}  // namespace beckon::filters
