// SPDX-License-Identifier: MIT
#include "node/service/find/index_rows.h"

#include <algorithm>
#include <iterator>

namespace beckon::service {

namespace {

std::ptrdiff_t offset(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

/// Rows lie in a row, but their filters all over memory: asks for one that is needed soon.
void fetch_ahead(const filters::BitArray& filter) {
  constexpr std::size_t words_per_line = 8;
  for (std::size_t i = 0; i < filter.words().size(); i += words_per_line)
    __builtin_prefetch(&filter.words()[i]);
}

}  // namespace

IndexRows::Place IndexRows::place(const Id& owner) const {
  if (blocks_.empty()) return {};
  auto behind = std::upper_bound(blocks_.begin(), blocks_.end(), owner,
                                 [](const Id& o, const Block& b) { return o < b.front().owner; });
  auto block = behind == blocks_.begin() ? behind : behind - 1;
  auto row = std::lower_bound(block->begin(), block->end(), owner,
                              [](const Row& r, const Id& o) { return r.owner < o; });
  return {static_cast<std::size_t>(block - blocks_.begin()),
          static_cast<std::size_t>(row - block->begin())};
}

bool IndexRows::holds(const Place& place, const Id& owner) const {
  return size_ > 0 && place.row < blocks_[place.block].size() && at(place).owner == owner;
}

IndexRows::Place IndexRows::round(Place place) const {
  if (place.row < blocks_[place.block].size()) return place;
  return {(place.block + 1) % blocks_.size(), 0};
}

void IndexRows::put(Row row) {
  Place place = this->place(row.owner);
  if (holds(place, row.owner)) {
    blocks_[place.block][place.row] = std::move(row);
    return;
  }
  ++size_;
  if (blocks_.empty()) blocks_.emplace_back();
  Block& block = blocks_[place.block];
  block.insert(block.begin() + offset(place.row), std::move(row));
  if (block.size() <= block_rows) return;
  auto middle = block.begin() + offset(block.size() / 2);
  Block upper(std::make_move_iterator(middle), std::make_move_iterator(block.end()));
  block.erase(middle, block.end());
  blocks_.insert(blocks_.begin() + offset(place.block + 1), std::move(upper));
}

void IndexRows::erase(const Id& owner) {
  Place place = this->place(owner);
  if (!holds(place, owner)) return;
  --size_;
  Block& block = blocks_[place.block];
  block.erase(block.begin() + offset(place.row));
  if (block.empty()) blocks_.erase(blocks_.begin() + offset(place.block));
}

IndexRows::Found IndexRows::scan(const profile::Matcher& matcher, const profile::Wanted& wanted,
                                 const Id& start, const std::optional<Id>& after,
                                 std::size_t credit) const {
  constexpr std::size_t ahead = 6;
  Found out;
  if (size_ == 0) return out;
  Place first = round(place(start));
  Place next = first;
  if (after) {
    next = place(*after);
    if (holds(next, *after)) ++next.row;
    next = round(next);
    if (next == first) return out;  // all were seen
  }
  do {
    const Block& block = blocks_[next.block];
    const Row& row = block[next.row];
    fetch_ahead(block[std::min(next.row + ahead, block.size() - 1)].filter);
    next = round({next.block, next.row + 1});
    ++out.scanned;
    profile::FilterView view{
        .layout = row.layout, .presence = row.presence, .open = row.open, .filter = row.filter};
    if (!wanted.admits(row.marks) || !matcher.may_match(view)) continue;
    out.owners.push_back(row.owner);
  } while (next != first && out.owners.size() < credit);
  out.more = next != first;
  return out;
}

}  // namespace beckon::service
