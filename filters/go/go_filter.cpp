// SPDX-License-Identifier: MIT
#include "filters/go/go_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace beckon::filters {

namespace {

Modulus modulus_of(const BitArray& bits) {
  return Modulus(static_cast<std::uint32_t>(bits.size()));
}

Result<void> check_values(const GoAttribute& attribute, std::int64_t lo, std::int64_t hi) {
  if (lo > hi)
    return invalid(fmt::format("the range {}..{} of '{}' is empty", lo, hi, attribute.name));
  if (attribute.scope.contains(lo) && attribute.scope.contains(hi)) return {};
  return invalid(fmt::format("'{}' must lie in {}..{}, got {}", attribute.name, attribute.scope.lo,
                             attribute.scope.hi, attribute.scope.contains(lo) ? hi : lo));
}

bool fills(const GroupRow& row, std::uint64_t base_bits) {
  return row.length() > GoFilter::fill_factor * base_bits;
}

}  // namespace

bool may_contain_text(const BitArray& bits, std::uint32_t k, const Hash128& seed) {
  Modulus modulus = modulus_of(bits);
  for (std::uint32_t j = 0; j < k; ++j) {
    if (!bits.test(modulus.of(word(seed, j)))) return false;
  }
  return true;
}

bool row_overlaps(const BitArray& bits, const GroupRow& row) {
  if (row.more >= GoFilter::max_groups) return !bits.none();
  Modulus modulus = modulus_of(bits);
  // A zero kills every window that holds it, and the next possible window starts at the next block;
  // so ones are counted from a block's start, each word is probed at most once, and k ones in a
  // row are a whole window.
  std::uint32_t ones = 0;
  for (std::uint64_t block = 0;; ++block) {
    Hash128 seed = group_seed(row.seed, row.kind, row.first + block);
    for (std::uint32_t j = 0; j < row.s; ++j) {
      if (!bits.test(modulus.of(word(seed, j)))) {
        if (block >= row.more) return false;
        ones = 0;
        break;
      }
      if (++ones == row.k) return true;
    }
  }
}

bool row_covered(const BitArray& bits, const GroupRow& row, std::uint64_t base_bits) {
  if (fills(row, base_bits)) return bits.count() == bits.size();
  Modulus modulus = modulus_of(bits);
  std::uint64_t left = row.length();
  for (std::uint64_t block = 0; left > 0; ++block) {
    Hash128 seed = group_seed(row.seed, row.kind, row.first + block);
    for (std::uint32_t j = 0; j < row.s && left > 0; ++j, --left) {
      if (!bits.test(modulus.of(word(seed, j)))) return false;
    }
  }
  return true;
}

GoFilter::GoFilter(std::shared_ptr<const GoLayout> layout)
    : layout_(std::move(layout)), bits_(layout_->bits()), modulus_(layout_->bits()) {}

GoFilter::GoFilter(std::shared_ptr<const GoLayout> layout, BitArray bits)
    : layout_(std::move(layout)), bits_(std::move(bits)), modulus_(modulus_of(bits_)) {}

Result<GoFilter> GoFilter::from_bits(std::shared_ptr<const GoLayout> layout, BitArray bits) {
  if (bits.size() < GoLayout::min_bits || layout->bits() % bits.size() != 0) {
    return invalid(fmt::format("a filter of {} bits does not belong to a layout of {}", bits.size(),
                               layout->bits()));
  }
  return GoFilter(std::move(layout), std::move(bits));
}

double GoFilter::fill() const {
  return static_cast<double>(bits_.count()) / static_cast<double>(bits_.size());
}

void GoFilter::insert_text(const Hash128& seed) { insert_texts({&seed, 1}); }

void GoFilter::insert_texts(std::span<const Hash128> seeds) {
  set_positions(seeds, layout_->k(), modulus_, bits_.words());
}

Result<void> GoFilter::insert_point(const GoAttribute& attribute, std::int64_t value) {
  if (auto ok = check_values(attribute, value, value); !ok) return ok;
  insert(GoLayout::row(attribute, Kind::point, value, value));
  return {};
}

Result<void> GoFilter::insert_range(const GoAttribute& attribute, std::int64_t lo,
                                    std::int64_t hi) {
  if (auto ok = check_values(attribute, lo, hi); !ok) return ok;
  insert(GoLayout::row(attribute, Kind::range, lo, hi));
  return {};
}

void GoFilter::insert(const GroupRow& row) {
  if (fills(row, layout_->bits())) return set_all();
  // Every group but the borrowed ones of the last window brings s words; the last block is partial.
  std::array<Hash128, 64> seeds;
  std::uint64_t length = row.length();
  std::uint64_t whole = length / row.s;
  for (std::uint64_t block = 0; block < whole; block += seeds.size()) {
    auto some = std::span(seeds).first(std::min<std::uint64_t>(seeds.size(), whole - block));
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i] = group_seed(row.seed, row.kind, row.first + block + i);
    }
    set_positions(some, row.s, modulus_, bits_.words());
  }
  Hash128 last = group_seed(row.seed, row.kind, row.first + whole);
  set_positions({&last, 1}, static_cast<std::uint32_t>(length % row.s), modulus_, bits_.words());
}

void GoFilter::set_all() {
  for (std::size_t i = 0; i < bits_.size(); ++i) bits_.set(i);
}

bool GoFilter::may_contain_text(const Hash128& seed) const {
  return filters::may_contain_text(bits_, layout_->k(), seed);
}

bool GoFilter::may_contain(const GoAttribute& attribute, std::int64_t value) const {
  return may_overlap(attribute, value, value);
}

bool GoFilter::may_overlap(const GoAttribute& attribute, std::int64_t lo, std::int64_t hi) const {
  lo = std::max(lo, attribute.scope.lo);
  hi = std::min(hi, attribute.scope.hi);
  if (lo > hi) return false;
  return row_overlaps(bits_, GoLayout::row(attribute, Kind::point, lo, hi)) ||
         row_overlaps(bits_, GoLayout::row(attribute, Kind::range, lo, hi));
}

bool GoFilter::may_cover(const GoAttribute& attribute, std::int64_t lo, std::int64_t hi) const {
  if (lo > hi || !attribute.scope.contains(lo) || !attribute.scope.contains(hi)) return false;
  auto covered = [&](Kind kind) {
    return row_covered(bits_, GoLayout::row(attribute, kind, lo, hi), layout_->bits());
  };
  return covered(Kind::range) || covered(Kind::point);
}

bool GoFilter::compatible(const GoFilter& other) const {
  return bits_.size() == other.bits_.size() &&
         (layout_ == other.layout_ || *layout_ == *other.layout_);
}

void GoFilter::merge(const GoFilter& other) {
  ENSURE(compatible(other));
  bits_ |= other.bits_;
}

GoFilter GoFilter::fold(std::uint32_t bits) const {
  ENSURE(bits >= GoLayout::min_bits);
  return GoFilter(layout_, bits_.fold(bits));
}

bool operator==(const GoFilter& a, const GoFilter& b) {
  return a.compatible(b) && a.bits_ == b.bits_;
}

}  // namespace beckon::filters
