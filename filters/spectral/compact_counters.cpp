// SPDX-License-Identifier: MIT
#include "filters/spectral/compact_counters.h"

#include <algorithm>

#include "base/hash.h"
#include "filters/bits/bits.h"

namespace beckon::filters {

namespace {

using View = CompactCountersView;
constexpr std::uint32_t magic = 0x424b4343;  // "BKCC"
constexpr std::uint8_t version = 1;
constexpr std::size_t header_bytes = 4 + 1 + 1 + 4 + 4 + 8;
constexpr std::size_t group_bytes = 8 + 2 * (View::group / View::run);

std::size_t groups(std::uint64_t items) { return (items + View::group - 1) / View::group; }

template <typename T>
T load(const std::uint8_t* from) {
  T out;
  std::memcpy(&out, from, sizeof(T));
  return out;
}

}  // namespace

Bytes encode_compact(std::span<const std::uint64_t> counters, const CounterCode& code) {
  ENSURE(!counters.empty() && counters.size() <= View::max_items);
  BitWriter stream;
  Bytes offsets(groups(counters.size()) * group_bytes);
  std::uint64_t base = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    std::uint8_t* here = offsets.data() + i / View::group * group_bytes;
    if (i % View::group == 0) {
      base = stream.size();
      std::memcpy(here, &base, 8);
    }
    if (i % View::run == 0) {
      auto from_base = static_cast<std::uint16_t>(stream.size() - base);
      std::memcpy(here + 8 + 2 * (i % View::group / View::run), &from_base, 2);
    }
    code.write(stream, std::min(counters[i], max_count));
  }
  ByteWriter out;
  out.u32(magic);
  out.u8(version);
  out.u8(static_cast<std::uint8_t>(code.widths().size()));
  for (std::size_t i = 0; i < CounterCode::max_steps; ++i) {
    out.u8(i < code.widths().size() ? code.widths()[i] : std::uint8_t{0});
  }
  out.u32(static_cast<std::uint32_t>(counters.size()));
  out.u64(stream.size());
  out.raw(offsets);
  out.raw(stream.take());
  out.u64(xxh3_64(out.bytes()));
  return out.take();
}

Result<CompactCountersView> CompactCountersView::open(ByteView block) {
  ByteReader in(block);
  if (in.u32() != magic) return invalid("not compact counters");
  if (in.u8() != version) return invalid("compact counters of a version we do not know");
  std::size_t steps = in.u8();
  auto widths = in.array<CounterCode::max_steps>();
  std::uint32_t items = in.u32();
  std::uint64_t bits = in.u64();
  if (!in.ok() || steps > CounterCode::max_steps || items == 0 || items > max_items ||
      std::any_of(widths.begin() + static_cast<std::ptrdiff_t>(steps), widths.end(),
                  [](std::uint8_t w) { return w != 0; })) {
    return invalid("the header of the compact counters is wrong");
  }
  auto code =
      CounterCode::steps({widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(steps)});
  if (!code) return code.error();
  std::size_t fixed = header_bytes + groups(items) * group_bytes + bit_padding + 8;
  if (bits > block.size() * 8 || block.size() != fixed + (bits + 7) / 8) {
    return invalid("the length of the compact counters does not fit their header");
  }
  ByteReader tail(block.last(8));
  if (tail.u64() != xxh3_64(block.first(block.size() - 8))) {
    return invalid("the checksum of the compact counters is wrong");
  }
  CompactCountersView view(items, bits, std::move(*code));
  view.offsets_ = block.data() + header_bytes;
  view.stream_ = view.offsets_ + groups(items) * group_bytes;
  auto checked = view.check();
  if (!checked) return checked.error();
  return view;
}

Result<void> CompactCountersView::check() const {
  BitReader in(stream_, bits_);
  for (std::uint32_t i = 0; i < items_; ++i) {
    if (i % run == 0 && start(i / run) != in.at()) {
      return invalid("an offset of the compact counters is wrong");
    }
    if (!code_.read(in)) return invalid("a code of the compact counters is wrong");
  }
  if (in.at() != bits_) return invalid("the compact counters have bits to spare");
  return {};
}

std::uint64_t CompactCountersView::start(std::uint32_t run_index) const {
  constexpr std::uint32_t runs = group / run;
  const std::uint8_t* here = offsets_ + run_index / runs * group_bytes;
  return load<std::uint64_t>(here) + load<std::uint16_t>(here + 8 + 2 * (run_index % runs));
}

std::uint64_t CompactCountersView::get(std::uint32_t i) const {
  BitReader in(stream_, bits_, start(i / run));
  for (std::uint32_t skip = i % run; skip > 0; --skip) (void)code_.read(in);
  return code_.read(in).value_or(0);
}

std::vector<std::uint64_t> CompactCountersView::values() const {
  std::vector<std::uint64_t> out(items_);
  BitReader in(stream_, bits_);
  for (std::uint64_t& value : out) value = code_.read(in).value_or(0);
  return out;
}

CounterCode best_code(std::span<const std::uint64_t> counters) {
  std::vector<CounterCode> candidates{CounterCode::elias()};
  for (std::vector<std::uint8_t> widths : {std::vector<std::uint8_t>{0, 0},
                                           {0, 1},
                                           {0, 1, 2},
                                           {0, 2},
                                           {0, 2, 4},
                                           {0, 4},
                                           {1, 3},
                                           {0, 6}}) {
    candidates.push_back(*CounterCode::steps(std::move(widths)));
  }
  std::vector<std::uint64_t> bits(candidates.size());
  for (std::uint64_t counter : counters) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      bits[c] += candidates[c].bits(std::min(counter, max_count));
    }
  }
  auto best = std::min_element(bits.begin(), bits.end()) - bits.begin();
  return candidates[static_cast<std::size_t>(best)];
}

}  // namespace beckon::filters
