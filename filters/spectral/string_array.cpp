// SPDX-License-Identifier: MIT
#include "filters/spectral/string_array.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace beckon::filters {

namespace {

using Layout = StringArrayLayout;
constexpr std::uint32_t magic = 0x424b5341;  // "BKSA"
constexpr std::uint8_t version = 1;

unsigned width_of(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value)); }

std::size_t block_bytes(std::uint32_t items, std::uint64_t bits) {
  return Layout::header_bytes + Layout::groups(items) * Layout::group_bytes + (bits + 7) / 8 +
         bit_padding + Layout::checksum_bytes;
}

struct Header {
  std::uint32_t items = 0;
  std::uint64_t bits = 0;
  LengthCode::Sizes sizes{};
};

void write_header(Bytes& block, const Header& header) {
  ByteWriter out;
  out.u32(magic);
  out.u8(version);
  for (std::size_t i = 0; i < header.sizes.size(); i += 2) {
    out.u8(static_cast<std::uint8_t>(header.sizes[i] << 4 | header.sizes[i + 1]));
  }
  out.u32(header.items);
  out.u64(header.bits);
  std::copy(out.bytes().begin(), out.bytes().end(), block.begin());
}

Result<Header> read_header(ByteView block) {
  ByteReader in(block);
  if (in.u32() != magic) return invalid("not a string array");
  if (in.u8() != version) return invalid("a string array of a version we do not know");
  Header header;
  for (std::size_t i = 0; i < header.sizes.size(); i += 2) {
    std::uint8_t pair = in.u8();
    header.sizes[i] = pair >> 4;
    header.sizes[i + 1] = pair & 15;
  }
  header.items = in.u32();
  header.bits = in.u64();
  if (!in.ok() || header.items == 0 || header.items > Layout::max_items) {
    return invalid("a string array of 1 to 2^30 counters was wanted");
  }
  if (header.bits > block.size() * 8 || block.size() != block_bytes(header.items, header.bits)) {
    return invalid("the string array's length does not fit its header");
  }
  ByteReader tail(block.last(Layout::checksum_bytes));
  if (tail.u64() != xxh3_64(block.first(block.size() - Layout::checksum_bytes))) {
    return invalid("the string array's checksum is wrong");
  }
  return header;
}

/// Everything place() relies on: starts in order, and each chunk's content within the chunk.
Result<void> check_chunks(const StringArrayReader& reader, std::uint32_t items,
                          std::uint64_t bits) {
  std::uint32_t chunks = Layout::chunks(items);
  if (reader.start(chunks) > bits) return invalid("a chunk of the string array ends past its end");
  for (std::uint32_t c = chunks; c-- > 0;) {
    std::uint64_t start = reader.start(c);
    std::uint64_t end = reader.start(c + 1);
    if (start > end) return invalid("chunks of the string array are out of order");
    unsigned head = Layout::chunk_items * Layout::vector_bits;
    if (reader.has_vector(c) && end - start < head) return invalid("an offset vector does not fit");
    if (reader.used(c) > end - start) return invalid("a chunk of the string array overflows");
    if (!reader.has_vector(c)) continue;
    std::uint64_t before = end;
    for (std::uint32_t i = 0; i < Layout::chunk_items; ++i) {
      auto place = reader.place(c * Layout::chunk_items + i);
      if (place.stored > 63 || place.at > before) return invalid("an offset vector is not sorted");
      before = place.at;
    }
  }
  return {};
}

}  // namespace

Result<StringArrayView> StringArrayView::open(ByteView block) {
  auto header = read_header(block);
  if (!header) return header.error();
  auto code = LengthCode::from_sizes(header->sizes);
  if (!code) return code.error();
  StringArrayView view(header->items, std::move(*code));
  view.groups_ = block.data() + Layout::header_bytes;
  view.bits_ = view.groups_ + Layout::groups(header->items) * Layout::group_bytes;
  StringArrayReader reader(view.groups_, view.bits_, view.code_);
  auto checked = check_chunks(reader, header->items, header->bits);
  if (!checked) return checked.error();
  return view;
}

StringArray::StringArray(std::uint32_t items, StringArrayOptions options)
    : StringArray(items, options, [](std::uint32_t) { return Chunk{}; }) {}

StringArray::StringArray(std::uint32_t items, StringArrayOptions options, const Source& source)
    : items_(items), options_(options), code_(LengthCode::from_counts({})) {
  ENSURE(items > 0 && items <= Layout::max_items);
  ENSURE(options.slack_per_chunk <= 64);
  lay_out(source);
}

StringArray StringArray::of(std::span<const std::uint64_t> values, StringArrayOptions options) {
  return {static_cast<std::uint32_t>(values.size()), options, [&](std::uint32_t chunk) {
            Chunk out{};
            std::size_t first = std::size_t{chunk} * Layout::chunk_items;
            for (std::size_t i = 0; i < out.size() && first + i < values.size(); ++i) {
              out[i] = std::min(values[first + i], max_count);
            }
            return out;
          }};
}

Result<StringArray> StringArray::decode(ByteView block, StringArrayOptions options) {
  auto view = StringArrayView::open(block);
  if (!view) return view.error();
  return StringArray(view->size(), options, [&](std::uint32_t chunk) {
    Chunk out{};
    std::uint32_t first = chunk * Layout::chunk_items;
    for (std::uint32_t i = 0; i < out.size() && first + i < view->size(); ++i) {
      out[i] = view->get(first + i);
    }
    return out;
  });
}

const std::uint8_t* StringArray::bits_begin() const {
  return groups() + Layout::groups(items_) * Layout::group_bytes;
}

StringArrayWriter StringArray::writer() {
  std::uint8_t* groups = block_.data() + Layout::header_bytes;
  return {groups, groups + Layout::groups(items_) * Layout::group_bytes, code_};
}

void StringArray::lay_out(const Source& source) {
  std::uint32_t chunks = Layout::chunks(items_);
  std::array<std::uint64_t, LengthCode::lengths> counts{};
  for (std::uint32_t c = 0; c < chunks; ++c) {
    for (std::uint64_t value : source(c)) ++counts[width_of(value)];
  }
  LengthCode code = LengthCode::from_counts(counts);
  std::vector<std::uint16_t> sizes(chunks);
  std::uint64_t bits = 256;  // and 1/256 of the rest: slack behind the last chunk
  for (std::uint32_t c = 0; c < chunks; ++c) {
    unsigned need = StringArrayWriter::needed(source(c), code);
    sizes[c] = static_cast<std::uint16_t>(need + options_.slack_per_chunk + need / 16);
    bits += sizes[c];
  }
  bits += bits / 256;
  Bytes block(block_bytes(items_, bits));
  std::uint8_t* groups = block.data() + Layout::header_bytes;
  StringArrayWriter out(groups, groups + Layout::groups(items_) * Layout::group_bytes, code);
  std::uint64_t at = 0;
  for (std::uint32_t c = 0; c <= chunks; ++c) {
    if (c % Layout::group_chunks == 0) out.set_base(c / Layout::group_chunks, at);
    if (c == chunks) break;
    out.write(c, source(c), at, at + sizes[c]);
    at += sizes[c];
  }
  out.set_start(chunks, at, false);
  write_header(block, {.items = items_, .bits = bits, .sizes = code.sizes()});
  block_ = std::move(block);  // only now: source may read the old block by the old code
  code_ = std::move(code);
  bit_count_ = bits;
  grown_ = 0;
}

void StringArray::set(std::uint32_t i, std::uint64_t value) {
  value = std::min(value, max_count);
  StringArrayReader::Place place = reader().place(i);
  std::uint64_t old = value_of(place);
  if (width_of(old) != width_of(value)) return change_length(i, value);
  store_bits(writer().bits(), place.at, value - place.implied, place.stored);
}

void StringArray::add(std::uint32_t i, std::uint64_t count) { set(i, count_up(get(i), count)); }

void StringArray::subtract(std::uint32_t i, std::uint64_t count) {
  set(i, count_down(get(i), count));
}

void StringArray::change_length(std::uint32_t i, std::uint64_t value) {
  std::uint32_t c = i / Layout::chunk_items;
  Chunk values = reader().chunk(c);
  bool grows = value > values[i % Layout::chunk_items];
  values[i % Layout::chunk_items] = value;
  std::uint64_t start = reader().start(c);
  std::uint64_t capacity = reader().start(c + 1) - start;
  std::uint64_t need = StringArrayWriter::needed(values, code_);
  grown_ += grows ? 1 : 0;
  bool stale = static_cast<double>(grown_) > options_.refresh_share * items_ + 256;
  if (stale || (need > capacity && !push(c + 1, need - capacity))) {
    lay_out([&](std::uint32_t other) { return other == c ? values : reader().chunk(other); });
    ++refreshes_;
    return;
  }
  writer().write(c, values, start, reader().start(c + 1));
}

bool StringArray::push(std::uint32_t chunk, std::uint64_t shift) {
  // starts[j]: where chunk + j will begin. Slack on the way makes the shift smaller.
  std::uint32_t chunks = Layout::chunks(items_);
  std::vector<std::uint64_t> starts;
  std::vector<Chunk> moved;
  std::uint32_t last = chunk;
  for (; shift > 0 && last < chunks; ++last) {
    if (last - chunk >= options_.push_limit || !reader().can_start(last, shift)) return false;
    starts.push_back(reader().start(last) + shift);
    moved.push_back(reader().chunk(last));
    std::uint64_t slack = reader().start(last + 1) - reader().start(last) - reader().used(last);
    shift -= std::min(shift, slack);
  }
  starts.push_back(reader().start(last) + shift);
  if (shift > 0) {  // no chunk is left to push: the slack behind the last one
    if (starts.back() > bit_count_ || !reader().can_start(last, shift)) return false;
    writer().set_start(last, starts.back(), false);
  }
  for (std::uint32_t c = chunk; c < last; ++c) {
    writer().write(c, moved[c - chunk], starts[c - chunk], starts[c - chunk + 1]);
  }
  return true;
}

ByteView StringArray::block() {
  ByteView content = ByteView(block_).first(block_.size() - Layout::checksum_bytes);
  ByteWriter tail;
  tail.u64(xxh3_64(content));
  std::copy(tail.bytes().begin(), tail.bytes().end(), block_.end() - Layout::checksum_bytes);
  return block_;
}

StringArray::Parts StringArray::parts() const {
  Parts out;
  StringArrayReader in = reader();
  std::uint32_t chunks = Layout::chunks(items_);
  for (std::uint32_t c = 0; c < chunks; ++c) {
    out.counters += in.used(c);
    out.vectors += in.has_vector(c) ? 1 : 0;
  }
  out.slack = bit_count_ - out.counters;
  out.offsets = Layout::groups(items_) * Layout::group_bytes * 8;
  return out;
}

}  // namespace beckon::filters
