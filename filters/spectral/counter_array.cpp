// SPDX-License-Identifier: MIT
#include "filters/spectral/counter_array.h"

#include <algorithm>

namespace beckon::filters {

std::uint64_t& CounterArray::high(std::uint32_t i) {
  std::uint32_t& page = page_of_[i / page_size];
  if (page == 0) {
    pages_.emplace_back();
    page = static_cast<std::uint32_t>(pages_.size());
  }
  return pages_[page - 1][i % page_size];
}

void CounterArray::set(std::uint32_t i, std::uint64_t value) {
  value = std::min(value, max_count);
  low(i) = static_cast<std::uint8_t>(value);
  if (value > 0xff || page_of_[i / page_size] != 0) high(i) = value >> 8;
}

void CounterArray::add(std::uint32_t i, std::uint64_t count) { set(i, count_up(get(i), count)); }

void CounterArray::subtract(std::uint32_t i, std::uint64_t count) {
  set(i, count_down(get(i), count));
}

void CounterArray::carry(std::uint32_t i) {
  std::uint64_t& above = high(i);
  if (above == max_count >> 8) {
    low(i) = 0xff;
  } else {
    ++above;
  }
}

std::size_t CounterArray::bytes() const {
  return lines_.size() * sizeof(Line) + page_of_.size() * sizeof(std::uint32_t) +
         pages_.size() * sizeof(Page);
}

bool operator==(const CounterArray& a, const CounterArray& b) {
  if (a.size() != b.size()) return false;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (a.get(i) != b.get(i)) return false;
  }
  return true;
}

}  // namespace beckon::filters
