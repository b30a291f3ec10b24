// SPDX-License-Identifier: MIT
#include "filters/exchange/exchange.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "filters/coding/bit_coder.h"
#include "filters/coding/filter_coder.h"
#include "filters/tree/bloom_tree_codec.h"

namespace beckon::filters {

namespace {

enum class MessageKind : std::uint8_t { open = 1, common = 2, level = 3, ids = 4, confirm = 5 };
constexpr std::uint8_t version = 1;
constexpr std::size_t id_bytes = 8;

Bytes framed(MessageKind kind, ByteView body) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(kind));
  out.raw(body);
  return out.take();
}

/// Of the ones of `all`, which are in `some`; `some` has no others.
BitArray mask_of(const BitArray& all, const BitArray& some) {
  BitArray out(all.count());
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all.test(i)) continue;
    if (some.test(i)) out.set(next);
    ++next;
  }
  return out;
}

BitArray unmask(const BitArray& all, const BitArray& mask) {
  BitArray out(all.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.test(i) && mask.test(next++)) out.set(i);
  }
  return out;
}

Result<void> check(const BloomTreeShape& shape, const ExchangeLimits& limits) {
  auto checked = shape.check();
  if (!checked) return checked;
  std::uint64_t visits = 1;
  for (const TreeLevel& level : shape.levels) visits *= level.k;
  if (visits > limits.visits) return invalid("an element would be in too many filters");
  if (shape.levels[0].bits > limits.level_bits) return invalid("the root is larger than we take");
  return {};
}

Error too_large() { return invalid("a level of the exchange is larger than we take"); }
Error unexpected() { return invalid("a message out of turn in an exchange"); }

}  // namespace

BloomTreeShape exchange_shape(std::uint64_t opener, std::uint64_t answerer, std::uint64_t salt) {
  // Found by trying (docs/filters-bloomtree.md): two positions in two bits an element, then filters
  // of two bits. A larger other side wants a sparser root, for all of it must be turned away.
  auto n = static_cast<double>(std::max<std::uint64_t>(opener, 4));
  double more = std::sqrt(std::max(1.0, static_cast<double>(answerer) / n));
  auto root = static_cast<std::uint32_t>(std::min(2 * n * more, double{1U << 23}));
  std::vector<TreeLevel> levels{{root, 2}, {2, 1}, {2, 1}};
  if (answerer > 30'000) levels.push_back({2, 1});
  return {.levels = levels, .salt = salt};
}

ExchangeFrontier::ExchangeFrontier(const BloomTreeShape& shape, std::span<const Hash128> elements)
    : shape_(shape), positions_(shape) {
  constexpr std::uint32_t root[] = {0};
  elements_.reserve(elements.size());
  for (std::uint32_t i = 0; i < elements.size(); ++i) {
    elements_.push_back({positions_.salted(elements[i]), i, {}});
    place(elements_.back(), root);
  }
}

void ExchangeFrontier::place(Element& element, std::span<const std::uint32_t> slots) const {
  std::uint32_t m = shape_.levels[level_].bits;
  std::vector<std::uint32_t> bits;
  TreePositions::Filter found;
  for (std::uint32_t slot : slots) {
    std::uint32_t filter = filters_[slot];
    std::uint32_t count = positions_.of(element.hash, level_, filter, found);
    for (std::uint32_t i = 0; i < count; ++i) bits.push_back(slot * m + (found[i] - filter * m));
  }
  element.bits = std::move(bits);
}

std::size_t ExchangeFrontier::bit_count() const {
  return filters_.size() * shape_.levels[level_].bits;
}

BitArray ExchangeFrontier::bits() const {
  BitArray out(bit_count());
  for (const Element& element : elements_) {
    for (std::uint32_t bit : element.bits) out.set(bit);
  }
  return out;
}

void ExchangeFrontier::keep(const BitArray& allowed) {
  std::erase_if(elements_, [&](const Element& element) {
    return !std::all_of(element.bits.begin(), element.bits.end(),
                        [&](std::uint32_t bit) { return allowed.test(bit); });
  });
}

void ExchangeFrontier::descend(const BitArray& common) {
  std::uint32_t m = shape_.levels[level_].bits;
  std::vector<std::uint32_t> slot_of(common.size());
  std::vector<std::uint32_t> below;
  for (std::uint32_t bit = 0; bit < common.size(); ++bit) {
    if (!common.test(bit)) continue;
    slot_of[bit] = static_cast<std::uint32_t>(below.size());
    below.push_back(filters_[bit / m] * m + bit % m);
  }
  filters_ = std::move(below);
  ++level_;
  for (Element& element : elements_) {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t bit : element.bits) slots.push_back(slot_of[bit]);
    place(element, slots);
  }
}

std::vector<std::uint32_t> ExchangeFrontier::indices() const {
  std::vector<std::uint32_t> out;
  for (const Element& element : elements_) out.push_back(element.index);
  return out;
}

Result<ExchangeOpener> ExchangeOpener::make(const BloomTreeShape& shape,
                                            std::span<const Hash128> elements,
                                            const ExchangeLimits& limits) {
  auto checked = check(shape, limits);
  if (!checked) return checked.error();
  if (elements.size() > limits.elements) return invalid("too many elements for an exchange");
  return ExchangeOpener(shape, elements, limits);
}

Bytes ExchangeOpener::open() {
  opened_ = true;
  sent_ = frontier_.bits();
  ByteWriter out;
  out.u8(version);
  put_shape(out, shape_);
  out.raw(encode_bits(sent_, sent_bits));
  return framed(MessageKind::open, out.bytes());
}

Bytes ExchangeOpener::level_message() {
  sent_ = frontier_.bits();
  std::uint32_t m = shape_.levels[frontier_.level()].bits;
  return framed(MessageKind::level, encode_filters(sent_, m));
}

Result<ExchangeStep> ExchangeOpener::receive(ByteView message) {
  ByteReader in(message);
  std::uint8_t kind = in.u8();
  if (!in.ok() || !opened_ || finished_) return unexpected();
  if (kind == static_cast<std::uint8_t>(MessageKind::common)) return take_common(in.rest());
  if (kind == static_cast<std::uint8_t>(MessageKind::ids)) return take_ids(in.rest());
  return unexpected();
}

Result<ExchangeStep> ExchangeOpener::take_common(ByteView body) {
  if (frontier_.level() + 1 == shape_.depth()) return unexpected();
  auto mask = decode_bits(sent_.count(), body);
  if (!mask) return mask.error();
  BitArray common = unmask(sent_, *mask);
  frontier_.keep(common);
  frontier_.descend(common);
  if (frontier_.bit_count() > limits_.level_bits) return too_large();
  return ExchangeStep{.send = level_message()};
}

Result<ExchangeStep> ExchangeOpener::take_ids(ByteView body) {
  if (body.size() % id_bytes != 0 || body.size() / id_bytes > limits_.elements) {
    return invalid("a list of ids of the wrong length");
  }
  std::map<std::uint64_t, std::uint32_t> ours;
  for (std::uint32_t index : frontier_.indices()) ours.emplace(elements_[index].low, index);
  BitArray held(body.size() / id_bytes);
  ByteReader in(body);
  for (std::size_t i = 0; i < held.size(); ++i) {
    auto found = ours.find(in.u64());
    if (found == ours.end()) continue;
    held.set(i);
    common_.push_back(found->second);
  }
  std::sort(common_.begin(), common_.end());
  common_.erase(std::unique(common_.begin(), common_.end()), common_.end());
  finished_ = true;
  return ExchangeStep{.send = framed(MessageKind::confirm, encode_bits(held, sent_bits)),
                      .finished = true};
}

Result<ExchangeStep> ExchangeAnswerer::receive(ByteView message) {
  ByteReader in(message);
  std::uint8_t kind = in.u8();
  if (!in.ok() || finished_) return unexpected();
  if (kind == static_cast<std::uint8_t>(MessageKind::open) && !shape_) return take_open(in);
  bool open = shape_.has_value();
  if (kind == static_cast<std::uint8_t>(MessageKind::level) && open && !offering_) {
    return take_level(in.rest());
  }
  if (kind == static_cast<std::uint8_t>(MessageKind::confirm) && offering_)
    return take_confirm(in.rest());
  return unexpected();
}

Result<ExchangeStep> ExchangeAnswerer::take_open(ByteReader& in) {
  if (in.u8() != version) return invalid("an exchange of a version we do not know");
  if (elements_.size() > limits_.elements) return invalid("too many elements for an exchange");
  auto shape = take_shape(in);
  if (!shape) return shape.error();
  auto checked = check(*shape, limits_);
  if (!checked) return checked.error();
  shape_ = std::move(*shape);
  frontier_.emplace(*shape_, elements_);
  return take_level(in.rest());
}

Result<ExchangeStep> ExchangeAnswerer::take_level(ByteView body) {
  if (frontier_->bit_count() > limits_.level_bits) return too_large();
  std::uint32_t m = shape_->levels[frontier_->level()].bits;
  auto theirs = frontier_->level() == 0 ? decode_bits(m, body)
                                        : decode_filters(frontier_->bit_count(), m, body);
  if (!theirs) return theirs.error();
  frontier_->keep(*theirs);
  if (frontier_->level() + 1 < shape_->depth()) {
    BitArray common = frontier_->bits();
    Bytes mask = encode_bits(mask_of(*theirs, common), sent_bits);
    frontier_->descend(common);
    return ExchangeStep{.send = framed(MessageKind::common, mask)};
  }
  offered_ = frontier_->indices();
  offering_ = true;
  ByteWriter ids;
  for (std::uint32_t index : offered_) ids.u64(elements_[index].low);
  return ExchangeStep{.send = framed(MessageKind::ids, ids.bytes())};
}

Result<ExchangeStep> ExchangeAnswerer::take_confirm(ByteView body) {
  auto held = decode_bits(offered_.size(), body);
  if (!held) return held.error();
  for (std::size_t i = 0; i < offered_.size(); ++i) {
    if (held->test(i)) common_.push_back(offered_[i]);
  }
  finished_ = true;
  return ExchangeStep{.finished = true};
}

}  // namespace beckon::filters
