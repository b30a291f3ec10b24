// SPDX-License-Identifier: MIT
#include "filters/coding/gap_lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/coding/gap_lanes.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace beckon::filters::HWY_NAMESPACE {

/// Each lookup waits for the one before it in its lane; other lanes fill the time.
template <std::size_t count>
HWY_INLINE void read_lanes(const GapTable& table, const std::uint8_t* in, std::uint8_t* out,
                           GapLane* lanes) {
  constexpr unsigned loaded = 57;
  constexpr unsigned lookups = loaded / GapTable::window;
  const std::uint64_t reach = lookups * table.reach() + 64;
  std::array<std::uint64_t, count> at;
  std::array<std::uint64_t, count> to;
  for (std::size_t i = 0; i < count; ++i) {
    at[i] = lanes[i].at;
    to[i] = lanes[i].to;
    if (lanes[i].in_end < 64 || lanes[i].end < reach) return;
  }
  while (true) {
    bool room = true;
    for (std::size_t i = 0; i < count; ++i) {
      room &= at[i] <= lanes[i].in_end - 64 && to[i] <= lanes[i].end - reach;
    }
    if (!room) break;
    // A one above the bits to be read: how far it has come down tells how many were used.
    std::array<std::uint64_t, count> coded;
    for (std::size_t i = 0; i < count; ++i) {
      coded[i] = load_bits(in, at[i], loaded) | std::uint64_t{1} << loaded;
    }
    for (unsigned step = 0; step < lookups; ++step) {
      for (std::size_t i = 0; i < count; ++i) {
        GapTable::Entry entry = table.at(coded[i]);
        coded[i] >>= entry.code_bits();
        std::uint64_t first = to[i] + entry.skip();
        to[i] += entry.advance();
        // The pattern and a shift below 32 fit into one word.
        std::uint8_t* there = out + first / 32 * 4;
        std::uint64_t word;
        std::memcpy(&word, there, 8);
        word |= entry.pattern() << (first % 32);
        std::memcpy(there, &word, 8);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      at[i] += loaded + 1 - static_cast<unsigned>(std::bit_width(coded[i]));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    lanes[i].at = at[i];
    lanes[i].to = to[i];
  }
}

/// How many steps of that size at most surely end before `end`, with a word to spare.
HWY_INLINE std::uint64_t room(std::uint64_t end, std::uint64_t from, std::uint64_t step) {
  return end < from + 64 ? 0 : (end - from - 64) / step;
}

/// The same for short gaps. What an entry tells is gathered in a register and written in steps of a
/// byte: to read back a word of which a part was just written would wait for that to be finished.
template <std::size_t count>
HWY_INLINE void read_near_lanes(const NearGapTable& table, const std::uint8_t* in,
                                std::uint8_t* out, GapLane* lanes) {
  constexpr unsigned loaded = 57;
  constexpr unsigned lookups = loaded / NearGapTable::window;
  constexpr std::uint64_t reach = lookups * NearGapTable::most_advance;
  std::array<std::uint64_t, count> at;
  std::array<std::uint64_t, count> to;
  std::array<std::uint64_t, count> word;
  for (std::size_t i = 0; i < count; ++i) {
    at[i] = lanes[i].at;
    to[i] = lanes[i].to;
    if (!room(lanes[i].end, to[i], reach)) return;
    std::memcpy(&word[i], out + to[i] / 8, 8);
  }
  while (true) {
    std::uint64_t rounds = ~std::uint64_t{0};
    for (std::size_t i = 0; i < count; ++i) {
      rounds = std::min(
          {rounds, room(lanes[i].in_end, at[i], loaded), room(lanes[i].end, to[i], reach)});
    }
    if (rounds == 0) break;
    for (; rounds > 0; --rounds) {
      std::array<std::uint64_t, count> coded;
      for (std::size_t i = 0; i < count; ++i) {
        coded[i] = load_bits(in, at[i], loaded) | std::uint64_t{1} << loaded;
      }
      for (unsigned step = 0; step < lookups; ++step) {
        for (std::size_t i = 0; i < count; ++i) {
          NearGapTable::Entry entry = table.at(coded[i]);
          coded[i] >>= entry.code_bits();
          std::uint64_t past = to[i] % 8;
          word[i] |= entry.pattern() << past;
          std::memcpy(out + to[i] / 8, &word[i], 8);
          to[i] += entry.advance();
          word[i] >>= (past + entry.advance()) & 56;
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        at[i] += loaded + 1 - static_cast<unsigned>(std::bit_width(coded[i]));
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(out + to[i] / 8, &word[i], 8);
    lanes[i].at = at[i];
    lanes[i].to = to[i];
  }
}

void near_four(const NearGapTable& table, const std::uint8_t* in, std::uint8_t* out,
               GapLane* lanes) {
  read_near_lanes<4>(table, in, out, lanes);
}
void near_one(const NearGapTable& table, const std::uint8_t* in, std::uint8_t* out,
              GapLane* lanes) {
  read_near_lanes<1>(table, in, out, lanes);
}

void four(const GapTable& table, const std::uint8_t* in, std::uint8_t* out, GapLane* lanes) {
  read_lanes<4>(table, in, out, lanes);
}
void one(const GapTable& table, const std::uint8_t* in, std::uint8_t* out, GapLane* lanes) {
  read_lanes<1>(table, in, out, lanes);
}

std::uint8_t* write(const GolombTable& codes, std::span<const std::uint64_t> words,
                    std::size_t bits, std::uint8_t* to) {
  GolombWriter out(to);
  std::uint64_t from = 0;  // first bit not yet told about
  for (std::size_t w = 0; w * 64 < bits; ++w) {
    for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
      std::uint64_t at = w * 64 + static_cast<unsigned>(std::countr_zero(rest));
      out.put(codes, at - from);
      from = at + 1;
    }
  }
  out.put(codes, bits - from);
  return out.end();
}

}  // namespace beckon::filters::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace beckon::filters {

HWY_EXPORT(four);
HWY_EXPORT(one);
HWY_EXPORT(near_four);
HWY_EXPORT(near_one);
HWY_EXPORT(write);

void read_four(const GapTable& table, const std::uint8_t* in, std::uint8_t* out,
               std::array<GapLane, 4>& lanes) {
  HWY_DYNAMIC_DISPATCH(four)(table, in, out, lanes.data());
}

void read_one(const GapTable& table, const std::uint8_t* in, std::uint8_t* out, GapLane& lane) {
  HWY_DYNAMIC_DISPATCH(one)(table, in, out, &lane);
}

void read_four(const NearGapTable& table, const std::uint8_t* in, std::uint8_t* out,
               std::array<GapLane, 4>& lanes) {
  HWY_DYNAMIC_DISPATCH(near_four)(table, in, out, lanes.data());
}

void read_one(const NearGapTable& table, const std::uint8_t* in, std::uint8_t* out, GapLane& lane) {
  HWY_DYNAMIC_DISPATCH(near_one)(table, in, out, &lane);
}

std::uint8_t* write_gaps(const GolombTable& codes, std::span<const std::uint64_t> words,
                         std::size_t bits, std::uint8_t* to) {
  return HWY_DYNAMIC_DISPATCH(write)(codes, words, bits, to);
}

}  // namespace beckon::filters
#endif
