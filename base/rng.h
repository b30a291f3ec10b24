// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace beckon {

/// The only source of chance below node/io: xoshiro256**, seeded by whoever owns the process or the
/// simulation. Same seed, same sequence, on every machine. Not for keys: those need real entropy.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);                   // uniform in [0, bound); bound > 0
  std::int64_t between(std::int64_t low, std::int64_t high);  // uniform in [low, high]
  double real();                                              // uniform in [0, 1)
  bool chance(double probability) { return real() < probability; }
  void fill(std::span<std::uint8_t> out);

  /// An independent stream named by purpose, so an extra draw in one does not shift the others.
  Rng split(std::string_view name) const;

  friend bool operator==(const Rng&, const Rng&) = default;

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace beckon
