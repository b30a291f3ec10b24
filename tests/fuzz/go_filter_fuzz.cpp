// SPDX-License-Identifier: MIT
// An encoded filter from anybody: a valid filter that encodes to the same bytes and answers, or an
// error.
#include "base/hash.h"
#include "filters/go/go_codec.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::filters;

namespace {

void check(ByteView bytes) {
  auto filter = decode_go_filter(bytes);
  if (!filter) return;
  fuzz::ensure_same(encode(*filter), bytes);
  for (const GoAttribute& attribute : filter->layout().attributes()) {
    (void)filter->may_overlap(attribute, attribute.scope.lo, attribute.scope.hi);
    (void)filter->may_cover(attribute, attribute.scope.lo, attribute.scope.hi);
    GoFilter more = *filter;
    ENSURE(more.insert_point(attribute, attribute.scope.hi).has_value());
    ENSURE(more.may_contain(attribute, attribute.scope.hi) && filter->is_subset_of(more));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteView input(data, size);
  check(input);
  ByteWriter repaired;
  repaired.raw(input);
  repaired.u64(xxh3_64(input));
  check(repaired.bytes());
  return 0;
}

/// Without checksum: the target adds it.
std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> out;
  for (std::uint32_t bits : {8U, 96U, 1536U}) {
    GoAttribute age{
        .name = "age", .seed = AttributeSeed{bits}, .scope = {-5, 120}, .range = {.d = 2, .s = 1}};
    GoAttribute all{.name = "all", .seed = AttributeSeed{1}, .scope = {INT64_MIN, INT64_MAX}};
    auto layout = GoLayout::create({.bits = bits, .k = 7, .attributes = {age, all}});
    GoFilter filter(std::make_shared<const GoLayout>(*layout));
    filter.insert_text({bits, 2});
    Bytes bytes = encode(filter);
    bytes.resize(bytes.size() - 8);
    out.push_back(bytes);
  }
  return out;
}
