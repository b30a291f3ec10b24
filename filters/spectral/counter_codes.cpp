// SPDX-License-Identifier: MIT
#include "filters/spectral/counter_codes.h"

#include <bit>

#include "filters/bits/bits.h"

namespace beckon::filters {

namespace {

unsigned width_of(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value)); }

/// Elias delta of n >= 1: the length of the length in unary, the length, then n without its
/// leading one.
void write_elias(BitWriter& out, std::uint64_t n) {
  unsigned length = width_of(n);
  unsigned prefix = width_of(length) - 1;
  out.put(0, prefix);
  out.put(1, 1);
  out.put(length & low_mask(prefix), prefix);
  out.put(n & low_mask(length - 1), length - 1);
}

unsigned elias_bits(std::uint64_t n) {
  unsigned length = width_of(n);
  return 2 * (width_of(length) - 1) + length;
}

std::optional<std::uint64_t> read_elias(BitReader& in) {
  unsigned prefix = in.zeros(6);
  std::uint64_t length = std::uint64_t{1} << prefix | in.get(prefix);
  if (!in.ok() || length > 64) return {};
  auto rest = static_cast<unsigned>(length - 1);
  std::uint64_t n = std::uint64_t{1} << rest | in.get(rest);
  if (!in.ok() || n - 1 > max_count) return {};
  return n;
}

}  // namespace

void BitWriter::put(std::uint64_t value, unsigned count) {
  std::uint64_t need = (size_ + count) / 8 + bit_padding;
  if (bytes_.size() < need) bytes_.resize(need + need / 2);
  store_bits(bytes_.data(), size_, value, count);
  size_ += count;
}

Bytes BitWriter::take() {
  bytes_.resize((size_ + 7) / 8 + bit_padding);
  return std::move(bytes_);
}

std::uint64_t BitReader::get(unsigned count) {
  if (!ok_ || count > bits_ - at_) {
    ok_ = false;
    return 0;
  }
  std::uint64_t value = load_bits(bytes_, at_, count);
  at_ += count;
  return value;
}

unsigned BitReader::zeros(unsigned limit) {
  unsigned count = 0;
  while (ok_ && get(1) == 0) {
    if (++count > limit) ok_ = false;
  }
  return ok_ ? count : 0;
}

Result<CounterCode> CounterCode::steps(std::vector<std::uint8_t> widths) {
  if (widths.size() > max_steps) return invalid("a steps code has at most 4 steps");
  for (std::uint8_t width : widths) {
    if (width > max_width) return invalid("a step is at most 15 bits wide");
  }
  return CounterCode(std::move(widths));
}

void CounterCode::write(BitWriter& out, std::uint64_t count) const {
  for (std::uint8_t width : widths_) {
    std::uint64_t span = std::uint64_t{1} << width;
    if (count < span) {
      out.put(0, 1);
      out.put(count, width);
      return;
    }
    out.put(1, 1);
    count -= span;
  }
  write_elias(out, count + 1);
}

std::optional<std::uint64_t> CounterCode::read(BitReader& in) const {
  std::uint64_t base = 0;
  for (std::uint8_t width : widths_) {
    bool here = in.get(1) == 0;
    if (here) {
      std::uint64_t count = base + in.get(width);
      return in.ok() ? std::optional(count) : std::nullopt;
    }
    base += std::uint64_t{1} << width;
  }
  auto n = read_elias(in);
  if (!n || *n - 1 > max_count - base) return {};
  return base + *n - 1;
}

unsigned CounterCode::bits(std::uint64_t count) const {
  unsigned prefix = 0;
  for (std::uint8_t width : widths_) {
    std::uint64_t span = std::uint64_t{1} << width;
    ++prefix;
    if (count < span) return prefix + width;
    count -= span;
  }
  return prefix + elias_bits(count + 1);
}

std::string CounterCode::name() const {
  if (widths_.empty()) return "elias";
  std::string out = "steps ";
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    out += (i == 0 ? "" : ",") + std::to_string(widths_[i]);
  }
  return out;
}

}  // namespace beckon::filters
