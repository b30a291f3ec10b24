// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "filters/bits/bit_array.h"
#include "filters/tree/bloom_tree_shape.h"

namespace beckon::filters {

// Two sides find the elements that both hold, for fewer bytes than one filter would take. The
// opener sends the first level of its tree; the answerer says which of the ones it has, too; the
// opener sends the children of these common bits, and so on down. On the way each side drops the
// elements that have a bit which is not common, and builds the next level from the rest: lower
// levels speak of fewer and fewer elements. After the last level the answerer sends the ids
// (Hash128::low) it has left and the opener says which of them it holds. No common element is ever
// lost; what the sides call common at the end is common by id.
//
// Pure state machines: bytes in, bytes out, no clock. Messages begin with a kind and are decoded
// with the length both sides know, so a lying peer can waste no more memory than the limits say.

struct ExchangeLimits {
  std::uint32_t elements = 1U << 20;                  // of either side
  std::uint64_t level_bits = std::uint64_t{1} << 24;  // that one message may stand for
  std::uint64_t visits = 64;                          // filters of an element in a level
};

/// A shape in which sets of these sizes get by with few bytes.
BloomTreeShape exchange_shape(std::uint64_t opener, std::uint64_t answerer, std::uint64_t salt = 0);

/// A side's elements that may still be common, and where they are in the present level.
class ExchangeFrontier {
 public:
  ExchangeFrontier(const BloomTreeShape& shape, std::span<const Hash128> elements);

  std::size_t level() const { return level_; }
  std::size_t bit_count() const;         // of the filters this level is about
  BitArray bits() const;                 // those that elements left have set
  void keep(const BitArray& allowed);    // drops every element with another bit
  void descend(const BitArray& common);  // to the children of these; after keep(common)
  std::size_t left() const { return elements_.size(); }
  std::vector<std::uint32_t> indices() const;  // of the elements left, in the order given

 private:
  struct Element {
    Hash128 hash;
    std::uint32_t index;
    std::vector<std::uint32_t> bits;  // numbered through the filters this level is about
  };
  void place(Element& element, std::span<const std::uint32_t> slots) const;

  BloomTreeShape shape_;
  TreePositions positions_;
  std::size_t level_ = 0;
  std::vector<std::uint32_t> filters_{0};
  std::vector<Element> elements_;
};

/// What a step of an exchange wants sent; nothing once there is nothing more to say.
struct ExchangeStep {
  std::optional<Bytes> send{};
  bool finished = false;  // common() is final
};

class ExchangeOpener {
 public:
  /// The elements must outlive it. Refuses a bad shape and too many elements.
  static Result<ExchangeOpener> make(const BloomTreeShape& shape, std::span<const Hash128> elements,
                                     const ExchangeLimits& limits = {});
  Bytes open();
  Result<ExchangeStep> receive(ByteView message);
  const std::vector<std::uint32_t>& common() const { return common_; }  // indices, when finished

 private:
  ExchangeOpener(const BloomTreeShape& shape, std::span<const Hash128> elements,
                 const ExchangeLimits& limits)
      : shape_(shape), elements_(elements), limits_(limits), frontier_(shape, elements) {}
  Bytes level_message();
  Result<ExchangeStep> take_common(ByteView body);
  Result<ExchangeStep> take_ids(ByteView body);

  BloomTreeShape shape_;
  std::span<const Hash128> elements_;
  ExchangeLimits limits_;
  ExchangeFrontier frontier_;
  BitArray sent_{};
  bool opened_ = false;
  bool finished_ = false;
  std::vector<std::uint32_t> common_;
};

class ExchangeAnswerer {
 public:
  /// The elements must outlive it and be within limits.elements.
  explicit ExchangeAnswerer(std::span<const Hash128> elements, const ExchangeLimits& limits = {})
      : elements_(elements), limits_(limits) {}
  Result<ExchangeStep> receive(ByteView message);
  const std::vector<std::uint32_t>& common() const { return common_; }

 private:
  Result<ExchangeStep> take_open(ByteReader& in);
  Result<ExchangeStep> take_level(ByteView body);
  Result<ExchangeStep> take_confirm(ByteView body);

  std::span<const Hash128> elements_;
  ExchangeLimits limits_;
  std::optional<BloomTreeShape> shape_{};
  std::optional<ExchangeFrontier> frontier_{};
  std::vector<std::uint32_t> offered_;  // indices of the ids sent
  bool offering_ = false;
  bool finished_ = false;
  std::vector<std::uint32_t> common_;
};

}  // namespace beckon::filters
