// SPDX-License-Identifier: MIT
#include "filters/coding/gap_coder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "filters/bits/bits.h"
#include "filters/bits/varint.h"
#include "filters/coding/gap_lanes.h"

namespace beckon::filters {

namespace {

constexpr std::size_t lanes = 4;
constexpr std::size_t many_ones = 4096;  // from here on four stretches pay for their ends
constexpr std::size_t worth_a_table = 2000;

/// One stretch of the array.
struct Stretch {
  std::size_t first_word = 0;
  std::size_t bits = 0;
};

std::vector<Stretch> stretches(std::size_t bits, std::size_t ones) {
  if (ones < many_ones) return {{0, bits}};
  std::vector<Stretch> out;
  std::size_t words = (bits + 63) / 64;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::size_t from = words * lane / lanes;
    std::size_t upto = std::min(bits, words * (lane + 1) / lanes * 64);
    out.push_back({from, upto - from * 64});
  }
  return out;
}

/// Most of the lanes, some way before their ends.
template <typename Table>
void read_by_table(const Golomb& code, ByteView in, BitArray& out, std::array<GapLane, lanes>& all,
                   std::size_t count) {
  auto table = std::make_unique<Table>(code);
  auto* bytes = reinterpret_cast<std::uint8_t*>(out.words().data());
  if (count == lanes) read_four(*table, in.data(), bytes, all);
  for (std::size_t i = 0; i < count; ++i) read_one(*table, in.data(), bytes, all[i]);
}

/// The rest of a lane, gap by gap. False if it does not end exactly where it should.
bool read_to_the_end(const Golomb& code, ByteView in, BitArray& out, GapLane& lane) {
  while (true) {
    std::uint64_t gap = code.read(in, lane.at, lane.end - lane.to);
    if (gap > lane.end - lane.to || lane.at > lane.in_end) return false;
    lane.to += gap;
    if (lane.to == lane.end) break;
    out.set(lane.to++);
  }
  // What fills up the last byte is zero.
  return lane.in_end - lane.at < 8 && (lane.at % 8 == 0 || in[lane.at / 8] >> lane.at % 8 == 0);
}

}  // namespace

std::uint64_t golomb_parameter(std::size_t bits, std::size_t ones) {
  constexpr std::uint64_t ln2 = 45426;  // of 2^16
  std::uint64_t doubled = ln2 * (2 * std::uint64_t{bits} - ones) / ones;
  return std::max<std::uint64_t>(1, (doubled + (1U << 16)) >> 17);
}

void encode_gaps(Bytes& out, const BitArray& bits, std::size_t ones) {
  GolombTable codes(Golomb(golomb_parameter(bits.size(), ones)));
  std::vector<Stretch> parts = stretches(bits.size(), ones);
  Bytes coded(codes.most_bytes(ones + parts.size(), bits.size()) + 8 * parts.size());
  std::uint8_t* to = coded.data();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::uint8_t* from = to;
    to = write_gaps(codes, bits.words().subspan(parts[i].first_word), parts[i].bits, to);
    if (i + 1 < parts.size()) put_varint(out, static_cast<std::uint64_t>(to - from));
  }
  out.insert(out.end(), coded.data(), to);
}

Result<BitArray> decode_gaps(std::size_t bits, std::size_t ones, ByteReader& in, BitArray spare) {
  std::vector<Stretch> parts = stretches(bits, ones);
  std::array<std::uint64_t, lanes> sizes{};
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) sizes[i] = take_varint(in);
  ByteView rest = in.rest();
  std::array<GapLane, lanes> all;
  std::size_t from = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i + 1 == parts.size()) sizes[i] = rest.size() - from;
    if (!in.ok() || sizes[i] > rest.size() - from) return invalid("coded bits end too early");
    std::uint64_t first = parts[i].first_word * 64;
    all[i] = {8 * from, 8 * (from + sizes[i]), first, first + parts[i].bits};
    from += sizes[i];
  }
  Golomb code(golomb_parameter(bits, ones));
  BitArray out = std::move(spare);
  if (out.size() == bits) {
    out.clear();
  } else {
    out = BitArray(bits);
  }
  if (ones >= worth_a_table && NearGapTable::fits(code)) {
    read_by_table<NearGapTable>(code, rest, out, all, parts.size());
  } else if (ones >= worth_a_table && GapTable::fits(code)) {
    read_by_table<GapTable>(code, rest, out, all, parts.size());
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!read_to_the_end(code, rest, out, all[i])) {
      return invalid("coded bits do not end where they should");
    }
  }
  if (out.count() != ones) return invalid("coded bits have another count of ones");
  return out;
}

}  // namespace beckon::filters
