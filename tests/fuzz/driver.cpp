// SPDX-License-Identifier: MIT
// Drives one fuzz target without libFuzzer, so that a bounded run is an ordinary test:
//   TARGET [--runs N] [--seed S]   mutate the target's seeds N times; same seed, same inputs
//   TARGET --write DIR             store the seeds as files, a first corpus for libFuzzer
//   TARGET FILE...                 replay
// When the target dies, the input that killed it is printed in hex.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "base/rng.h"
#include "tests/fuzz/fuzz.h"

using beckon::Bytes;
using beckon::Rng;

namespace {

constexpr std::size_t max_input = 1 << 16;
constexpr std::size_t max_pool = 256;

Bytes current;

extern "C" void print_current(int signal) {
  std::fprintf(stderr, "\nsignal %d on this input of %zu bytes: ", signal, current.size());
  for (std::uint8_t byte : current) std::fprintf(stderr, "%02x", byte);
  std::fputc('\n', stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(Bytes input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(current.data(), current.size());
}

/// Numbers at which lengths, signs and counters go wrong.
std::uint64_t interesting(Rng& rng) {
  constexpr std::uint64_t edges[] = {0,          1,          0x7f,       0x80,    0xff,
                                     0x100,      0x7fff,     0xffff,     0x10000, 0x7fffffff,
                                     0x80000000, 0xffffffff, 1ULL << 63, ~0ULL};
  return rng.chance(0.8) ? edges[rng.below(std::size(edges))] : rng.next();
}

void write_number(Bytes& input, Rng& rng) {
  std::size_t width = std::size_t{1} << rng.below(4);
  if (input.size() < width) return;
  std::size_t at = rng.below(input.size() - width + 1);
  std::uint64_t value = interesting(rng);
  for (std::size_t i = 0; i < width; ++i) {
    input[at + i] = static_cast<std::uint8_t>(value >> (8 * (width - 1 - i)));
  }
}

void insert_piece(Bytes& input, const Bytes& other, Rng& rng) {
  if (other.empty()) return;
  std::size_t from = rng.below(other.size());
  std::size_t count = 1 + rng.below(other.size() - from);
  auto piece = other.begin() + static_cast<std::ptrdiff_t>(from);
  auto at = input.begin() + static_cast<std::ptrdiff_t>(rng.below(input.size() + 1));
  input.insert(at, piece, piece + static_cast<std::ptrdiff_t>(count));
}

void remove_piece(Bytes& input, Rng& rng) {
  if (input.empty()) return;
  std::size_t at = rng.below(input.size());
  std::size_t count = 1 + rng.below(std::min<std::size_t>(input.size() - at, 16));
  auto from = input.begin() + static_cast<std::ptrdiff_t>(at);
  input.erase(from, from + static_cast<std::ptrdiff_t>(count));
}

void mutate(Bytes& input, const std::vector<Bytes>& pool, Rng& rng) {
  switch (rng.below(7)) {
    case 0:
    case 1:
      if (!input.empty())
        input[rng.below(input.size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      break;
    case 2:
      write_number(input, rng);
      break;
    case 3:
      insert_piece(input, Bytes(pool[rng.below(pool.size())]), rng);
      break;
    case 4:
      remove_piece(input, rng);
      break;
    case 5:
      input.resize(rng.below(input.size() + 1));
      break;
    default:
      input.push_back(static_cast<std::uint8_t>(rng.next()));
      break;
  }
  if (input.size() > max_input) input.resize(max_input);
}

void fuzz(std::uint64_t runs, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Bytes> pool;
  if (fuzz_seeds != nullptr) pool = fuzz_seeds();
  pool.emplace_back();
  std::size_t seeds = pool.size();
  for (const Bytes& input : pool) run(input);
  for (std::uint64_t i = 0; i < runs; ++i) {
    // Half from a seed itself: what was mutated many times seldom gets far into a decoder.
    Bytes input = pool[rng.below(rng.chance(0.5) ? seeds : pool.size())];
    for (std::uint64_t steps = 1 + rng.below(4); steps > 0; --steps) mutate(input, pool, rng);
    run(input);
    if (pool.size() < max_pool) {
      pool.push_back(current);
    } else if (rng.chance(0.05)) {
      pool[seeds + rng.below(pool.size() - seeds)] = current;
    }
  }
  std::printf("%llu inputs from %zu seeds, nothing broke\n", static_cast<unsigned long long>(runs),
              seeds);
}

void write_seeds(const std::string& folder) {
  std::size_t number = 0;
  for (const Bytes& seed : fuzz_seeds != nullptr ? fuzz_seeds() : std::vector<Bytes>{}) {
    std::ofstream file(folder + "/seed" + std::to_string(number++), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.data()),
               static_cast<std::streamsize>(seed.size()));
  }
}

void replay(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  run(Bytes(text.begin(), text.end()));
}

}  // namespace

int main(int argc, char** argv) {
  for (int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, print_current);
  std::uint64_t runs = 20000;
  std::uint64_t seed = 1;
  bool mutating = true;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option.starts_with("--") && i + 1 == argc) {
      std::fprintf(stderr, "%s needs a value\n", argv[i]);
      return 2;
    }
    if (option == "--runs") {
      runs = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--seed") {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      mutating = false;
      option == "--write" ? write_seeds(argv[++i]) : replay(argv[i]);
    }
  }
  if (mutating) fuzz(runs, seed);
  return 0;
}
