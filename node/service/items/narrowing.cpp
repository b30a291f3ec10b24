// SPDX-License-Identifier: MIT
#include "node/service/items/narrowing.h"

#include <algorithm>

namespace beckon::service {

Narrowing::Narrowing(const Arc& arc, Options options) : options_(options) {
  ENSURE(options.first_parts >= 1 && options.first_parts <= options.next_parts);
  ENSURE(options.next_parts >= 2 && options.next_parts <= max_digests / 2);
  auto spans = spans_of(arc);
  std::ranges::sort(spans, {}, &Span::first);
  unsure_.assign(spans.begin(), spans.end());
}

DigestRequest Narrowing::ask(const ItemSums& sums, std::uint64_t turn) {
  DigestRequest out;
  asked_.clear();
  while (!unsure_.empty() && out.parts.size() + options_.next_parts <= max_digests) {
    Span span = unsure_.front();
    unsure_.pop_front();
    auto parts = cut(sums, span, turn);
    if (begun_ && parts.size() == 1) {  // one ring id, or items went meanwhile
      found_.push_back(span);
      continue;
    }
    for (const Span& part : parts) {
      auto total = sums.over(part);
      out.parts.push_back({part, total.sum});
      asked_.push_back({part, total.items});
    }
  }
  begun_ = true;
  return out;
}

std::vector<Span> Narrowing::cut(const ItemSums& sums, const Span& span, std::uint64_t turn) const {
  // The last part may be twice as large as the others, and shall still not be cut again.
  std::size_t aim = std::max<std::size_t>(1, options_.list_at_once / 2);
  std::size_t wanted = std::max<std::size_t>(2, 1 + sums.over(span).items / aim);
  std::size_t most = begun_ ? options_.next_parts : options_.first_parts;
  auto parts = sums.cut(span, std::min(wanted, most), turn);
  if (!options_.whole_ids) return parts;
  std::vector<Span> out;
  ItemKey first = span.first;
  for (const Span& part : parts) {
    ItemKey last = std::min(highest_at(part.last.ring), span.last);
    if (last < first) continue;
    out.push_back({first, last});
    if (last == span.last) break;
    first = after(last);
  }
  return out;
}

bool Narrowing::answered(const DigestReply& reply) {
  if (!reply.differing.empty() && reply.differing.back() >= asked_.size()) return false;
  std::vector<Span> again;
  std::size_t joined = 0;  // items of the last found
  const Span* last = nullptr;
  for (std::uint16_t place : reply.differing) {
    const auto& [span, items] = asked_[place];
    if (items > options_.list_at_once) {
      again.push_back(span);
      last = nullptr;
      continue;
    }
    // Neighbours share a list: where all differs, it takes as few requests as there are full lists.
    bool joins = last && after(last->last) == span.first && joined + items <= max_sync_entries;
    if (joins) {
      found_.back().last = span.last;
    } else {
      found_.push_back(span);
    }
    joined = joins ? joined + items : items;
    last = &found_.back();
  }
  unsure_.insert(unsure_.begin(), again.begin(), again.end());
  asked_.clear();
  return true;
}

}  // namespace beckon::service
