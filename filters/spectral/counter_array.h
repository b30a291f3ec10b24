// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "filters/bits/large_pages.h"
#include "filters/spectral/counter_codes.h"

namespace beckon::filters {

/// Counters of 0..max_count made for quick updates: the low eight bits of each lie in one array,
/// the rest in pages that exist only where a counter has passed 255. A carry happens once in 256
/// increments, so nearly every update touches one byte. A counter that reaches max_count stays
/// there whatever is taken away: what it lost count of cannot be taken back.
class CounterArray {
 public:
  explicit CounterArray(std::uint32_t size)
      : size_(size), lines_((size + page_size - 1) / page_size), page_of_(lines_.size()) {}

  std::uint32_t size() const { return size_; }
  std::uint64_t get(std::uint32_t i) const {
    std::uint32_t page = page_of_[i / page_size];
    return page == 0 ? low(i) : low(i) | pages_[page - 1][i % page_size] << 8;
  }
  void set(std::uint32_t i, std::uint64_t value);  // values past max_count become max_count
  void increment(std::uint32_t i) {
    if (++low(i) == 0) carry(i);
  }
  void add(std::uint32_t i, std::uint64_t count);
  void subtract(std::uint32_t i, std::uint64_t count);  // stops at zero
  void prefetch(std::uint32_t i) const { prefetch_line(i / page_size); }

  // For counting a whole line of 64 counters at once (count_lines.h): the low bytes of a line, and
  // what to do for each of them that began anew at zero.
  std::uint8_t* line(std::uint32_t at) { return lines_[at].low.data(); }
  void prefetch_line(std::uint32_t at) const { __builtin_prefetch(&lines_[at], 1); }
  void carry(std::uint32_t i);

  std::size_t bytes() const;  // memory held
  friend bool operator==(const CounterArray& a, const CounterArray& b);

 private:
  static constexpr std::uint32_t page_size = 64;
  using Page = std::array<std::uint64_t, page_size>;
  struct alignas(64) Line {  // of cache, so that a block of 64 counters is one
    std::array<std::uint8_t, page_size> low{};
  };

  std::uint64_t& high(std::uint32_t i);

  std::uint8_t& low(std::uint32_t i) { return lines_.data()->low.data()[i]; }
  std::uint8_t low(std::uint32_t i) const { return lines_.data()->low.data()[i]; }

  std::uint32_t size_;
  std::vector<Line, LargePages<Line>> lines_;
  std::vector<std::uint32_t> page_of_;  // 1 + index into pages_, or 0
  std::vector<Page> pages_;
};

}  // namespace beckon::filters
