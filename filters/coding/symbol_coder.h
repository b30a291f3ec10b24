// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace beckon::filters {

/// How often each of at most 256 symbols occurs, as whole parts of 2^scale_bits: none for weight 0
/// (such a symbol can be neither written nor read), else at least one. Made from whole numbers
/// only, so that both ends of a wire get the same parts on every machine.
class SymbolModel {
 public:
  static constexpr unsigned scale_bits = 14;
  static constexpr std::uint32_t scale = 1U << scale_bits;

  /// 1 .. 256 weights, not all zero, with a sum below 2^50.
  explicit SymbolModel(std::span<const std::uint64_t> weights);

  struct Symbol {
    std::uint64_t inverse = 0;  // floor((2^64 - 1) / frequency)
    std::uint32_t frequency = 0;
    std::uint32_t start = 0;  // sum of the frequencies before
  };
  const Symbol& symbol(std::uint8_t s) const { return symbols_[s]; }
  std::uint8_t at(std::uint32_t slot) const { return slots_[slot]; }

 private:
  std::array<Symbol, 256> symbols_{};
  std::array<std::uint8_t, scale> slots_{};
};

/// Range coding of the asymmetric kind (rANS): the state is a 64-bit number, a symbol multiplies it
/// by 1/probability, 32-bit words leave when it grows past 2^63. Long inputs use four states in
/// turn, so that the processor works on four symbols at a time. The result is within a few bytes of
/// the entropy under the model.
Bytes encode_symbols(const SymbolModel& model, std::span<const std::uint8_t> symbols);

/// Fills `out`, whose length the caller knows and has bounded. Refuses bytes that encode_symbols
/// cannot have made for this model: too few, too many, or states that do not end where they began.
Result<void> decode_symbols(const SymbolModel& model, ByteView bytes, std::span<std::uint8_t> out);

}  // namespace beckon::filters
