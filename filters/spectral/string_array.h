// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>

#include "base/bytes.h"
#include "filters/spectral/counter_codes.h"
#include "filters/spectral/string_array_layout.h"

namespace beckon::filters {

struct StringArrayOptions {
  unsigned slack_per_chunk = 4;   // spare bits for every sixteen counters, plus 1/16 of their size
  double refresh_share = 0.15;    // lay everything out anew after this share of items has grown
  std::uint32_t push_limit = 64;  // chunks a growing counter may push before that
};

/// A string array read where it lies, as received. open() checks all of it once, in time linear in
/// its bytes and with 24 KiB of memory; afterwards every read is O(1). The bytes must outlive it.
class StringArrayView {
 public:
  static Result<StringArrayView> open(ByteView block);

  std::uint32_t size() const { return items_; }
  std::uint64_t get(std::uint32_t i) const {
    StringArrayReader reader(groups_, bits_, code_);
    return reader.value(reader.place(i));
  }

 private:
  StringArrayView(std::uint32_t items, LengthCode code) : items_(items), code_(std::move(code)) {}

  std::uint32_t items_;
  LengthCode code_;
  const std::uint8_t* groups_ = nullptr;
  const std::uint8_t* bits_ = nullptr;
};

/// Counters of 0..max_count, each in about as many bits as its binary form, in one contiguous
/// block (spectral-filters 4.3-4.7). Reading is O(1): two levels of coarse offsets lead to a chunk
/// of sixteen, a lookup table or an offset vector to the counter. A counter that outgrows its bits
/// takes slack of its chunk, or pushes the chunks after it to the next slack; when too much has
/// grown, or no slack is near, the whole is laid out anew, so updates are O(1) amortised.
class StringArray {
 public:
  /// `items` zero counters; items is 1 .. StringArrayLayout::max_items.
  explicit StringArray(std::uint32_t items, StringArrayOptions options = {});
  /// Counters past max_count are stored as max_count.
  static StringArray of(std::span<const std::uint64_t> values, StringArrayOptions options = {});
  static Result<StringArray> decode(ByteView block, StringArrayOptions options = {});

  std::uint32_t size() const { return items_; }
  std::uint64_t get(std::uint32_t i) const { return value_of(reader().place(i)); }
  void set(std::uint32_t i, std::uint64_t value);
  void add(std::uint32_t i, std::uint64_t count);       // stops at max_count
  void subtract(std::uint32_t i, std::uint64_t count);  // stops at zero; leaves max_count as it is

  /// The block as StringArrayView reads it; valid until the next change.
  ByteView block();
  std::uint64_t bits() const { return block_.size() * 8; }  // all of it, headers included

  struct Parts {
    std::uint64_t counters = 0;  // strings and their lengths
    std::uint64_t slack = 0;
    std::uint64_t offsets = 0;  // C1 and C2
    std::uint32_t vectors = 0;  // chunks with an offset vector
  };
  Parts parts() const;
  std::uint64_t refreshes() const { return refreshes_; }

 private:
  using Chunk = StringArrayReader::Chunk;
  using Source = std::function<Chunk(std::uint32_t chunk)>;

  StringArray(std::uint32_t items, StringArrayOptions options, const Source& source);
  StringArrayReader reader() const { return {groups(), bits_begin(), code_}; }
  const std::uint8_t* groups() const { return block_.data() + StringArrayLayout::header_bytes; }
  const std::uint8_t* bits_begin() const;
  std::uint64_t value_of(const StringArrayReader::Place& place) const {
    return reader().value(place);
  }
  void lay_out(const Source& source);
  void change_length(std::uint32_t i, std::uint64_t value);
  bool push(std::uint32_t chunk, std::uint64_t shift);
  StringArrayWriter writer();

  std::uint32_t items_;
  StringArrayOptions options_;
  LengthCode code_;
  Bytes block_;
  std::uint64_t bit_count_ = 0;
  std::uint64_t grown_ = 0;
  std::uint64_t refreshes_ = 0;
};

}  // namespace beckon::filters
