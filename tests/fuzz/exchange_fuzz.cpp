// SPDX-License-Identifier: MIT
// Messages of an exchange as received, by either side and at every stage: refused or taken, within
// bounds. The input is a stage, then the message.
#include "filters/exchange/exchange.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

const BloomTreeShape shape{.levels = {{64, 2}, {2, 1}, {2, 1}}};

std::vector<Hash128> some(std::uint64_t first) {
  std::vector<Hash128> out;
  for (std::uint64_t i = first; i < first + 30; ++i) {
    out.push_back({.low = i * 0x9e3779b97f4a7c15, .high = i * 0xd6e8feb86659fd93});
  }
  return out;
}

/// Runs an honest exchange; the message of `stage` is replaced by `changed`, if given. Returns the
/// honest messages.
std::vector<Bytes> run(std::size_t stage, const Bytes* changed) {
  std::vector<Hash128> ours = some(0);
  std::vector<Hash128> theirs = some(20);
  ExchangeLimits limits{.level_bits = 4096};
  ExchangeOpener a = *ExchangeOpener::make(shape, ours, limits);
  ExchangeAnswerer b(theirs, limits);
  std::vector<Bytes> honest{a.open()};
  for (std::size_t step = 0; step < 12; ++step) {
    const Bytes& message = changed && step == stage ? *changed : honest.back();
    auto next = step % 2 == 0 ? b.receive(message) : a.receive(message);
    if (!next || !next->send) break;
    honest.push_back(*next->send);
  }
  ENSURE(a.common().size() <= ours.size() && b.common().size() <= theirs.size());
  return honest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Bytes message(data + 1, data + size);
  run(data[0] % 8, &message);
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> out;
  for (const Bytes& message : run(0, nullptr)) {
    out.push_back(fuzz::seed(out.size(), message));
  }
  return out;
}
