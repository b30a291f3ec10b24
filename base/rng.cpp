// SPDX-License-Identifier: MIT
#include "base/rng.h"

#include <bit>

#include "base/hash.h"

namespace beckon {

namespace {

/// splitmix64: spreads one word of seed over the state, which must not be all zero.
std::uint64_t splitmix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) word = splitmix(seed);
}

std::uint64_t Rng::next() {
  std::uint64_t out = std::rotl(state_[1] * 5, 7) * 9;
  std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return out;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  ENSURE(bound > 0);
  std::uint64_t reject = (0 - bound) % bound;  // 2^64 mod bound: the short tail that would bias
  std::uint64_t x = next();
  while (x < reject) x = next();
  return x % bound;
}

std::int64_t Rng::between(std::int64_t low, std::int64_t high) {
  ENSURE(low <= high);
  std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  std::uint64_t offset = span == 0 ? next() : below(span);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Rng::real() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

void Rng::fill(std::span<std::uint8_t> out) {
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(next() >> 56);
}

Rng Rng::split(std::string_view name) const {
  return Rng(xxh3_64(as_bytes(name), state_[0] ^ std::rotl(state_[3], 32)));
}

}  // namespace beckon
