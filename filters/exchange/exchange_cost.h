// SPDX-License-Identifier: MIT
#pragma once

#include "filters/exchange/exchange.h"

namespace beckon::filters {

/// What finding the common elements of two sets took, messages counted as they would be sent.
struct ExchangeCost {
  std::uint64_t filter_bytes = 0;  // trees, filters, lists: everything but ids
  std::uint64_t id_bytes = 0;      // ids and which of them are held
  std::uint32_t messages = 0;
  std::uint64_t offered = 0;  // ids sent
  std::uint64_t common = 0;   // of these, really common
  std::uint64_t bytes() const { return filter_bytes + id_bytes; }
  std::uint32_t rounds() const { return (messages + 1) / 2; }
};

/// Both sides of a progressive exchange, run to the end.
Result<ExchangeCost> progressive_cost(const BloomTreeShape& shape, std::span<const Hash128> opener,
                                      std::span<const Hash128> answerer,
                                      const ExchangeLimits& limits = {});

/// One message that stands for the whole set, the other side's ids that pass it, and which are
/// held.
enum class OneShot {
  plain,       // a Bloom filter with its best k
  compressed,  // one position in many bits, entropy coded: the shortest known form of such a list
};
ExchangeCost one_shot_cost(OneShot form, double rate, std::span<const Hash128> opener,
                           std::span<const Hash128> answerer);

/// The rate at which the expected bytes of a one-shot exchange are fewest.
double best_one_shot_rate(OneShot form, std::uint64_t opener, std::uint64_t answerer);

/// The opener sends all its ids.
ExchangeCost all_ids_cost(std::span<const Hash128> opener, std::span<const Hash128> answerer);

}  // namespace beckon::filters
