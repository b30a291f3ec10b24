// SPDX-License-Identifier: MIT
// Spectral filters, string arrays and compact counters as received: refused, or read within bounds
// and equal to their own re-encoding. The checksums are repaired so that lies get past them.
#include "filters/spectral/spectral_codec.h"
#include "tests/filters/checksum.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

template <typename View>
void read_all(ByteView bytes) {
  auto view = View::open(bytes);
  if (!view) return;
  for (std::uint32_t i = 0; i < view->size(); ++i) ENSURE(view->get(i) <= max_count);
}

void try_filter(ByteView bytes) {
  auto view = SpectralView::open(bytes);
  if (!view || view->shape().counters > 4096) return;
  SpectralFilter filter = view->filter();
  Bytes again = encode(filter, SpectralForm::compact);
  auto back = SpectralView::open(again);
  ENSURE(back && back->filter() == filter);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes input(data, data + size);
  read_all<StringArrayView>(input);
  read_all<CompactCountersView>(input);
  try_filter(input);
  repair_checksum(input);
  read_all<StringArrayView>(input);
  read_all<CompactCountersView>(input);
  constexpr std::size_t header = 31;
  if (size >= header + 8) {
    Bytes head(input.begin(), input.begin() + header + 8);
    repair_checksum(head);
    std::copy(head.begin(), head.end(), input.begin());
    Bytes tail(input.begin() + header + 8, input.end());
    repair_checksum(tail);
    std::copy(tail.begin(), tail.end(), input.begin() + header + 8);
    try_filter(input);
  }
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  SpectralFilter filter = *SpectralFilter::make({.counters = 100, .k = 3});
  for (int i = 0; i < 40; ++i) {
    filter.insert(filter.shape().element(std::to_string(i)), std::uint64_t{1} << (i % 30));
  }
  std::vector<std::uint64_t> values = filter.values();
  StringArray array = StringArray::of(values);
  Bytes block(array.block().begin(), array.block().end());
  return {block, encode_compact(values, best_code(values)), encode(filter, SpectralForm::compact),
          encode(filter, SpectralForm::string_array)};
}
