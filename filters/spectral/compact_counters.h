// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "filters/spectral/counter_codes.h"

namespace beckon::filters {

/// The compact form of counters (spectral-filters 4.5): a prefix-free code in one stream, and two
/// levels of offsets that lead to runs of 64, which are then scanned. Smaller than a string array,
/// slower to read, not updatable: for counters that travel. Format:
///
///   "BKCC", version, number of steps, their widths (4 bytes), items, bits    22 bytes, big-endian
///   u64 for every 512 counters: where they begin; u16 for every 64, seen from there
///   the stream, padded by 9 zero bytes; XXH3-64 of all of the above
Bytes encode_compact(std::span<const std::uint64_t> counters, const CounterCode& code);

/// Read where it lies. open() checks all of it once, in linear time and constant memory.
class CompactCountersView {
 public:
  static constexpr std::uint32_t run = 64;
  static constexpr std::uint32_t group = 512;
  static constexpr std::uint32_t max_items = 1U << 30;

  static Result<CompactCountersView> open(ByteView block);

  std::uint32_t size() const { return items_; }
  std::uint64_t get(std::uint32_t i) const;
  std::vector<std::uint64_t> values() const;
  const CounterCode& code() const { return code_; }

 private:
  CompactCountersView(std::uint32_t items, std::uint64_t bits, CounterCode code)
      : items_(items), bits_(bits), code_(std::move(code)) {}
  std::uint64_t start(std::uint32_t run_index) const;
  Result<void> check() const;

  std::uint32_t items_;
  std::uint64_t bits_;
  CounterCode code_;
  const std::uint8_t* offsets_ = nullptr;
  const std::uint8_t* stream_ = nullptr;
};

/// The code of a few steps configurations and Elias that needs the fewest bits for these counters.
CounterCode best_code(std::span<const std::uint64_t> counters);

}  // namespace beckon::filters
