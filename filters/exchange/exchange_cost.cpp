// SPDX-License-Identifier: MIT
#include "filters/exchange/exchange_cost.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "filters/bloom/bloom.h"
#include "filters/coding/bit_coder.h"
#include "filters/exchange/set_summaries.h"

namespace beckon::filters {

namespace {

constexpr std::uint64_t bytes_per_id = 8;

/// What follows a one-shot message: the ids that pass, then a bit for each.
template <typename Passes>
ExchangeCost answer(std::uint64_t sent, std::span<const Hash128> opener,
                    std::span<const Hash128> answerer, Passes passes) {
  std::set<std::uint64_t> held;
  for (const Hash128& element : opener) held.insert(element.low);
  ExchangeCost out{.filter_bytes = sent, .messages = 3};
  for (const Hash128& element : answerer) {
    if (!passes(element)) continue;
    ++out.offered;
    out.common += held.count(element.low);
  }
  out.id_bytes = out.offered * bytes_per_id + (out.offered + 7) / 8;
  return out;
}

}  // namespace

Result<ExchangeCost> progressive_cost(const BloomTreeShape& shape, std::span<const Hash128> opener,
                                      std::span<const Hash128> answerer,
                                      const ExchangeLimits& limits) {
  auto a = ExchangeOpener::make(shape, opener, limits);
  if (!a) return a.error();
  ExchangeAnswerer b(answerer, limits);
  ExchangeCost out;
  Bytes message = a->open();
  // Each level takes two messages, the ids and what is held of them are the last two.
  for (std::size_t step = 0; step <= 2 * shape.depth(); ++step) {
    bool to_answerer = step % 2 == 0;
    bool about_ids = step + 1 >= 2 * shape.depth();
    (about_ids ? out.id_bytes : out.filter_bytes) += message.size();
    ++out.messages;
    if (step + 1 == 2 * shape.depth()) out.offered = (message.size() - 1) / bytes_per_id;
    auto next = to_answerer ? b.receive(message) : a->receive(message);
    if (!next) return next.error();
    if (!next->send) break;
    message = std::move(*next->send);
  }
  out.common = b.common().size();
  return out;
}

ExchangeCost one_shot_cost(OneShot form, double rate, std::span<const Hash128> opener,
                           std::span<const Hash128> answerer) {
  auto n = static_cast<double>(std::max<std::size_t>(opener.size(), 1));
  if (form == OneShot::plain) {
    auto bits = static_cast<std::uint32_t>(std::max(8.0, n * summary_sizes(rate).plain));
    BloomFilter filter(bits, BloomFilter::best_k(bits, opener.size()));
    for (const Hash128& element : opener) filter.insert(element);
    return answer(filter.bits().byte_count(), opener, answerer,
                  [&](const Hash128& element) { return filter.may_contain(element); });
  }
  auto bits = static_cast<std::uint32_t>(std::max(8.0, -n / std::log1p(-rate)));
  BloomFilter list(bits, 1);
  for (const Hash128& element : opener) list.insert(element);
  return answer(encode_bits(list.bits()).size(), opener, answerer,
                [&](const Hash128& element) { return list.may_contain(element); });
}

double best_one_shot_rate(OneShot form, std::uint64_t opener, std::uint64_t answerer) {
  double best = 0.5;
  double least = 0;
  for (double rate = 0.5; rate > 1e-7; rate *= 0.93) {
    SummarySizes sizes = summary_sizes(rate);
    double bits =
        static_cast<double>(opener) * (form == OneShot::plain ? sizes.plain : sizes.one_position) +
        static_cast<double>(answerer) * rate * (8 * bytes_per_id + 1);
    if (least == 0 || bits < least) {
      least = bits;
      best = rate;
    }
  }
  return best;
}

ExchangeCost all_ids_cost(std::span<const Hash128> opener, std::span<const Hash128> answerer) {
  std::set<std::uint64_t> held;
  for (const Hash128& element : answerer) held.insert(element.low);
  ExchangeCost out{.messages = 2, .offered = opener.size()};
  for (const Hash128& element : opener) out.common += held.count(element.low);
  out.id_bytes = opener.size() * bytes_per_id + (opener.size() + 7) / 8;
  return out;
}

}  // namespace beckon::filters
