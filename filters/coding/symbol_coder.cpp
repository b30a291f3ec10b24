// SPDX-License-Identifier: MIT
#include "filters/coding/symbol_coder.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace beckon::filters {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t lowest_state = std::uint64_t{1} << 31;
constexpr std::size_t many_symbols = 4096;  // from here on four states pay for their 32 bytes
constexpr std::size_t state_bytes = 8;
constexpr std::size_t word_bytes = 4;

std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
}

/// One symbol into the state; at most one word leaves first, so the state stays below 2^63.
inline std::uint64_t push(std::uint64_t state, const SymbolModel::Symbol& symbol,
                          std::uint32_t*& words) {
  constexpr unsigned headroom = 63 - SymbolModel::scale_bits;
  *words = static_cast<std::uint32_t>(state);
  bool full = state >> headroom >= symbol.frequency;
  words += full ? 1 : 0;
  state >>= full ? 32 : 0;
  // The quotient is right or one too small, as with Modulus.
  std::uint64_t quotient = high_product(state, symbol.inverse);
  std::uint64_t rest = state - quotient * symbol.frequency;
  bool short_by_one = rest >= symbol.frequency;
  quotient += short_by_one ? 1 : 0;
  rest -= short_by_one ? symbol.frequency : 0;
  return (quotient << SymbolModel::scale_bits) + rest + symbol.start;
}

template <std::size_t lanes>
Bytes encode_lanes(const SymbolModel& model, std::span<const std::uint8_t> symbols) {
  // Last symbol first: the decoder takes them back in the opposite order. A symbol emits a word at
  // most, and one more slot takes the word written but not kept.
  std::vector<std::uint32_t> words(symbols.size() + 1);
  std::uint32_t* end = words.data();
  std::array<std::uint64_t, lanes> states;
  states.fill(lowest_state);
  std::size_t i = symbols.size();
  for (; i % lanes != 0; --i) {
    states[(i - 1) % lanes] = push(states[(i - 1) % lanes], model.symbol(symbols[i - 1]), end);
  }
  for (; i > 0; i -= lanes) {
    for (std::size_t lane = lanes; lane-- > 0;) {
      states[lane] = push(states[lane], model.symbol(symbols[i - lanes + lane]), end);
    }
  }
  auto count = static_cast<std::size_t>(end - words.data());
  std::reverse(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  Bytes out(lanes * state_bytes + count * word_bytes);
  std::memcpy(out.data(), states.data(), lanes * state_bytes);
  std::memcpy(out.data() + lanes * state_bytes, words.data(), count * word_bytes);
  return out;
}

/// One symbol out of the state. Whether a word is needed is as random as the data, so it is taken
/// without a branch; the caller keeps `next` within its padding.
inline std::uint8_t pop(std::uint64_t& state, const SymbolModel& model,
                        const std::uint32_t*& next) {
  auto slot = static_cast<std::uint32_t>(state) & (SymbolModel::scale - 1);
  std::uint8_t s = model.at(slot);
  const SymbolModel::Symbol& symbol = model.symbol(s);
  std::uint64_t small = symbol.frequency * (state >> SymbolModel::scale_bits) + slot - symbol.start;
  std::uint64_t filled = small << 32 | *next;
  bool low = small < lowest_state;
  state = low ? filled : small;
  next += low ? 1 : 0;
  return s;
}

template <std::size_t lanes>
Result<void> decode_lanes(const SymbolModel& model, ByteView bytes, std::span<std::uint8_t> out) {
  if (bytes.size() < lanes * state_bytes || bytes.size() % word_bytes != 0) {
    return invalid("coded bits end too early");
  }
  std::array<std::uint64_t, lanes> states;
  std::memcpy(states.data(), bytes.data(), lanes * state_bytes);
  for (std::uint64_t state : states) {
    if (state < lowest_state || state >> 63 != 0) return invalid("coded bits begin wrongly");
  }
  // Zeros behind the words let a whole turn of the lanes read past the end before we look.
  std::size_t count = bytes.size() / word_bytes - lanes * state_bytes / word_bytes;
  std::vector<std::uint32_t> words(count + lanes + 1);
  if (count > 0) std::memcpy(words.data(), bytes.data() + lanes * state_bytes, count * word_bytes);
  const std::uint32_t* next = words.data();
  const std::uint32_t* end = words.data() + count;
  std::size_t i = 0;
  for (; i + lanes <= out.size() && next <= end; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) out[i + lane] = pop(states[lane], model, next);
  }
  for (; i < out.size() && next <= end; ++i) out[i] = pop(states[i % lanes], model, next);
  bool at_start = std::all_of(states.begin(), states.end(),
                              [](std::uint64_t state) { return state == lowest_state; });
  if (i < out.size() || next != end || !at_start) {
    return invalid("coded bits do not end where they should");
  }
  return {};
}

}  // namespace

SymbolModel::SymbolModel(std::span<const std::uint64_t> weights) {
  std::uint64_t total = 0;
  for (std::uint64_t weight : weights) total += weight;
  ENSURE(total > 0 && weights.size() <= symbols_.size());
  std::uint32_t sum = 0;
  std::size_t largest = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] == 0) continue;
    symbols_[s].frequency = std::max(1U, static_cast<std::uint32_t>(weights[s] * scale / total));
    sum += symbols_[s].frequency;
    if (symbols_[s].frequency > symbols_[largest].frequency) largest = s;
  }
  // Rounding leaves at most 256 parts too few or too many; where they are most, they matter least.
  symbols_[largest].frequency += scale - sum;
  ENSURE(symbols_[largest].frequency >= 1 && symbols_[largest].frequency <= scale);
  std::uint32_t start = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    Symbol& symbol = symbols_[s];
    if (symbol.frequency == 0) continue;
    symbol.start = start;
    symbol.inverse = ~std::uint64_t{0} / symbol.frequency;
    std::fill_n(slots_.begin() + start, symbol.frequency, static_cast<std::uint8_t>(s));
    start += symbol.frequency;
  }
}

Bytes encode_symbols(const SymbolModel& model, std::span<const std::uint8_t> symbols) {
  if (symbols.size() >= many_symbols) return encode_lanes<4>(model, symbols);
  return encode_lanes<1>(model, symbols);
}

Result<void> decode_symbols(const SymbolModel& model, ByteView bytes, std::span<std::uint8_t> out) {
  if (out.size() >= many_symbols) return decode_lanes<4>(model, bytes, out);
  return decode_lanes<1>(model, bytes, out);
}

}  // namespace beckon::filters
