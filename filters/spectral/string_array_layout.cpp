// SPDX-License-Identifier: MIT
#include "filters/spectral/string_array_layout.h"

#include <bit>

namespace beckon::filters {

namespace {

/// Sum of the lowest `count` bytes. Eight payloads of 62 bits pass 255, hence the 16-bit lanes.
unsigned sum_bytes(std::uint64_t bytes, unsigned count) {
  std::uint64_t x = count >= 8 ? bytes : bytes & low_mask(8 * count);
  x = (x & 0x00ff00ff00ff00ffULL) + (x >> 8 & 0x00ff00ff00ff00ffULL);
  return static_cast<unsigned>((x * 0x0001000100010001ULL) >> 48);
}

}  // namespace

StringArrayReader::Place StringArrayReader::place(std::uint32_t i) const {
  std::uint32_t c = i / chunk_items;
  unsigned r = i % chunk_items;
  std::uint64_t at = start(c);
  std::uint64_t end = start(c + 1);
  if (has_vector(c)) {
    unsigned before = r == 0 ? 0 : vector_end(at, r - 1);
    unsigned upto = vector_end(at, r);
    return {.at = end - upto, .stored = upto - before, .implied = 0};
  }
  unsigned below = 0;
  for (;;) {
    const LengthCode::Entry& e = code_.look(load_bits(bits_, at, LengthCode::max_bits));
    if (r < e.count) {
      auto length = static_cast<unsigned>(e.lengths >> (8 * r) & 0xff);
      if (length == 0) return {.at = at, .stored = 0, .implied = 0};
      below += sum_bytes(e.payloads, r + 1);
      return {.at = end - below, .stored = length - 1, .implied = std::uint64_t{1} << (length - 1)};
    }
    below += sum_bytes(e.payloads, 8);
    r -= e.count;
    at += e.consumed;
  }
}

StringArrayReader::Chunk StringArrayReader::chunk(std::uint32_t index) const {
  Chunk out;
  if (has_vector(index)) {
    for (std::uint32_t i = 0; i < chunk_items; ++i) out[i] = value(place(index * chunk_items + i));
    return out;
  }
  std::uint64_t at = start(index);
  std::uint64_t tail = start(index + 1);
  for (unsigned i = 0; i < chunk_items;) {
    const LengthCode::Entry& e = code_.look(load_bits(bits_, at, LengthCode::max_bits));
    at += e.consumed;
    std::uint64_t lengths = e.lengths;
    for (unsigned n = e.count; n > 0 && i < chunk_items; --n, ++i, lengths >>= 8) {
      auto length = static_cast<unsigned>(lengths & 0xff);
      unsigned stored = length == 0 ? 0 : length - 1;
      tail -= stored;
      out[i] = length == 0 ? 0 : load_bits(bits_, tail, stored) | std::uint64_t{1} << stored;
    }
  }
  return out;
}

unsigned StringArrayReader::used(std::uint32_t index) const {
  std::uint64_t at = start(index);
  if (has_vector(index)) return chunk_items * vector_bits + vector_end(at, chunk_items - 1);
  std::uint64_t capacity = start(index + 1) - at;
  unsigned codes = 0;
  unsigned strings = 0;
  for (unsigned left = chunk_items; left > 0 && codes <= capacity;) {
    const LengthCode::Entry& e = code_.look(load_bits(bits_, at + codes, LengthCode::max_bits));
    unsigned count = e.count < left ? e.count : left;
    strings += sum_bytes(e.payloads, count);
    if (count == e.count) {
      codes += e.consumed;
    } else {
      for (unsigned j = 0; j < count; ++j) {
        codes += code_.size(static_cast<unsigned>(e.lengths >> (8 * j) & 0xff));
      }
    }
    left -= count;
  }
  return codes + strings;
}

namespace {

unsigned width_of(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value)); }

struct Sizes {
  unsigned codes = 0;
  unsigned payloads = 0;  // strings without their leading ones
  unsigned lengths = 0;   // strings with them

  bool vector() const { return codes > StringArrayLayout::codes_limit; }
};

Sizes sizes_of(const StringArrayReader::Chunk& values, const LengthCode& code) {
  Sizes out;
  for (std::uint64_t value : values) {
    unsigned length = width_of(value);
    out.codes += code.size(length);
    out.payloads += length == 0 ? 0 : length - 1;
    out.lengths += length;
  }
  return out;
}

void zero_bits(std::uint8_t* bits, std::uint64_t from, std::uint64_t to) {
  for (; from < to; from += 64) {
    store_bits(bits, from, 0, static_cast<unsigned>(to - from < 64 ? to - from : 64));
  }
}

}  // namespace

unsigned StringArrayWriter::needed(const Chunk& values, const LengthCode& code) {
  Sizes sizes = sizes_of(values, code);
  return sizes.vector() ? chunk_items * vector_bits + sizes.lengths : sizes.codes + sizes.payloads;
}

void StringArrayWriter::write(std::uint32_t chunk, const Chunk& values, std::uint64_t start,
                              std::uint64_t end) {
  bool vector = sizes_of(values, code_).vector();
  set_start(chunk, start, vector);
  std::uint64_t head = start;
  std::uint64_t tail = end;
  for (std::uint64_t value : values) {
    unsigned length = width_of(value);
    unsigned stored = vector || length == 0 ? length : length - 1;
    tail -= stored;
    store_bits(bits_, tail, value & low_mask(stored), stored);
    unsigned size = vector ? vector_bits : code_.size(length);
    store_bits(bits_, head, vector ? end - tail : code_.code(length), size);
    head += size;
  }
  zero_bits(bits_, head, tail);
}

void StringArrayWriter::set_start(std::uint32_t chunk, std::uint64_t start, bool vector) {
  std::uint8_t* group = groups_ + chunk / group_chunks * group_bytes;
  std::uint64_t base;
  std::memcpy(&base, group, 8);
  auto entry = static_cast<std::uint16_t>((start - base) | (vector ? vector_flag : 0));
  std::memcpy(group + 8 + 2 * (chunk % group_chunks), &entry, 2);
}

}  // namespace beckon::filters
