// SPDX-License-Identifier: MIT
#include "filters/spectral/spectral_codec.h"

#include <algorithm>

namespace beckon::filters {

namespace {

constexpr std::uint32_t magic = 0x424b5346;  // "BKSF"
constexpr std::uint8_t version = 2;          // 1 hashed texts to 128 bits
constexpr std::size_t header_bytes = 4 + 1 + 1 + 1 + 4 + 4 + 8 + 8;

}  // namespace

Bytes encode(const SpectralFilter& filter, SpectralForm form) {
  ByteWriter out;
  out.u32(magic);
  out.u8(version);
  out.u8(static_cast<std::uint8_t>(form));
  out.u8(static_cast<std::uint8_t>(filter.shape().k));
  out.u32(filter.shape().block);
  out.u32(filter.shape().counters);
  out.u64(filter.shape().salt);
  out.u64(filter.total());
  out.u64(xxh3_64(out.bytes()));
  std::vector<std::uint64_t> values = filter.values();
  if (form == SpectralForm::string_array) {
    // Sent as it is, so without room to grow.
    StringArray array = StringArray::of(values, {.slack_per_chunk = 0});
    out.raw(array.block());
  } else {
    out.raw(encode_compact(values, best_code(values)));
  }
  return out.take();
}

Result<SpectralView> SpectralView::open(ByteView bytes) {
  ByteReader in(bytes);
  if (in.u32() != magic) return invalid("not a spectral filter");
  if (in.u8() != version) return invalid("a spectral filter of a version we do not know");
  std::uint8_t form = in.u8();
  SpectralShape shape;
  shape.k = in.u8();
  shape.block = in.u32();
  shape.counters = in.u32();
  shape.salt = in.u64();
  std::uint64_t total = in.u64();
  std::uint64_t sum = in.u64();
  if (!in.ok() || sum != xxh3_64(bytes.first(header_bytes))) {
    return invalid("the header of the spectral filter is broken");
  }
  auto checked = shape.check();
  if (!checked) return checked.error();
  if (total > max_count) return invalid("the spectral filter's total is out of range");
  std::uint32_t size = 0;
  auto finish = [&](auto view) -> Result<SpectralView> {
    if (!view) return view.error();
    size = view->size();
    if (size != shape.counters) return invalid("not as many counters as the shape says");
    return SpectralView(shape, total, std::move(*view));
  };
  if (form == static_cast<std::uint8_t>(SpectralForm::string_array)) {
    return finish(StringArrayView::open(in.rest()));
  }
  if (form == static_cast<std::uint8_t>(SpectralForm::compact)) {
    return finish(CompactCountersView::open(in.rest()));
  }
  return invalid("a spectral filter of a form we do not know");
}

std::uint64_t SpectralView::counter(std::uint32_t i) const {
  return std::visit([&](const auto& counters) { return counters.get(i); }, counters_);
}

std::uint64_t SpectralView::estimate(const Hash128& element) const {
  std::uint64_t least = max_count;
  for (std::uint32_t at : Placement(shape_).of(element)) {
    least = std::min(least, counter(at));
  }
  return least;
}

SpectralFilter SpectralView::filter() const {
  std::vector<std::uint64_t> values(shape_.counters);
  for (std::uint32_t i = 0; i < shape_.counters; ++i) values[i] = counter(i);
  return *SpectralFilter::from_values(shape_, total_, values);
}

}  // namespace beckon::filters
