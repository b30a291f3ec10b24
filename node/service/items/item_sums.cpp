// SPDX-License-Identifier: MIT
#include "node/service/items/item_sums.h"

#include <algorithm>

namespace beckon::service {

const ItemKey& ItemSums::key_of(const Entry& entry) { return *entry.key; }

std::size_t ItemSums::below(const Entries& entries, const ItemKey& key) {
  auto at = std::ranges::lower_bound(entries, key, {}, key_of);
  return static_cast<std::size_t>(at - entries.begin());
}

std::size_t ItemSums::upto(const Entries& entries, const ItemKey& key) {
  auto at = std::ranges::upper_bound(entries, key, {}, key_of);
  return static_cast<std::size_t>(at - entries.begin());
}

void ItemSums::add(const ItemKey& key, const ItemSum& number) {
  auto chunk = holding(key);
  if (chunk->second.entries.size() == chunk_limit) chunk = split(chunk, key);
  Entries& entries = chunk->second.entries;
  std::size_t at = below(entries, key);
  ENSURE(at == entries.size() || *entries[at].key != key);
  entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(at), {&key, number});
  chunk->second.sum += number;
}

void ItemSums::remove(const ItemKey& key) {
  auto chunk = holding(key);
  Entries& entries = chunk->second.entries;
  std::size_t at = below(entries, key);
  ENSURE(at < entries.size() && *entries[at].key == key);
  chunk->second.sum -= entries[at].number;
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
  join_next(chunk);
  if (chunk != chunks_.begin()) join_next(std::prev(chunk));
}

/// Makes room and says where `coming` belongs now. What comes in rising order, as from a disk,
/// leaves full chunks behind instead of halves.
ItemSums::Chunks::iterator ItemSums::split(Chunks::iterator full, const ItemKey& coming) {
  Entries& entries = full->second.entries;
  bool rising = std::next(full) == chunks_.end() && *entries.back().key < coming;
  auto middle = rising ? entries.end() : entries.begin() + chunk_limit / 2;
  const ItemKey& border = rising ? coming : *middle->key;
  auto next = chunks_.emplace_hint(std::next(full), border, Chunk{});
  next->second.entries.assign(middle, entries.end());
  for (const Entry& entry : next->second.entries) next->second.sum += entry.number;
  full->second.sum -= next->second.sum;
  entries.erase(middle, entries.end());
  return coming < border ? full : next;
}

void ItemSums::join_next(Chunks::iterator chunk) {
  auto next = std::next(chunk);
  if (next == chunks_.end()) return;
  Entries& entries = chunk->second.entries;
  const Entries& more = next->second.entries;
  if (entries.size() + more.size() >= chunk_limit / 2) return;
  entries.insert(entries.end(), more.begin(), more.end());
  chunk->second.sum += next->second.sum;
  chunks_.erase(next);
}

ItemSums::Part ItemSums::part(Chunks::const_iterator chunk, const Span& span) const {
  // Borders of chunks say enough for all but the first and the last: no entry is looked at there.
  const Entries& entries = chunk->second.entries;
  auto next = std::next(chunk);
  bool from_start = span.first <= chunk->first;
  bool to_end = next != chunks_.end() && next->first <= span.last;
  return {from_start ? 0 : below(entries, span.first),
          to_end ? entries.size() : upto(entries, span.last)};
}

ItemSums::Total ItemSums::over(const Span& span) const {
  Total out;
  for (auto i = holding(span.first); i != chunks_.end() && i->first <= span.last; ++i) {
    const Chunk& chunk = i->second;
    auto [first, last] = part(i, span);
    ++out.steps;
    out.items += last - first;
    if (last - first == chunk.entries.size()) {
      out.sum += chunk.sum;
      continue;
    }
    for (std::size_t k = first; k < last; ++k) out.sum += chunk.entries[k].number;
    out.steps += last - first;
  }
  return out;
}

std::vector<Span> ItemSums::cut(const Span& span, std::size_t parts, std::uint64_t turn) const {
  std::size_t items = over(span).items;
  parts = std::min(parts, items);
  std::vector<Span> out;
  Span rest = span;
  std::size_t passed = 0;
  for (auto i = holding(span.first); out.size() + 1 < parts; ++i) {
    auto [first, last] = part(i, span);
    while (out.size() + 1 < parts) {
      std::size_t rank = (out.size() * items + turn % items) / parts;  // the last of this part
      if (rank >= passed + (last - first)) break;
      const ItemKey& border = *i->second.entries[first + (rank - passed)].key;
      out.push_back({rest.first, border});
      rest.first = after(border);
    }
    passed += last - first;
  }
  out.push_back(rest);
  return out;
}

}  // namespace beckon::service
