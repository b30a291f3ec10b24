// SPDX-License-Identifier: MIT
// Predicates from a peer: refused, or some that encode to the same bytes and that both matchers
// answer alike.
#include "profile/index/elements.h"
#include "profile/index/matcher.h"
#include "profile/language/query_text.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::profile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Schema& schema = Schema::built_in();
  ByteView bytes(data, size);
  auto predicates = decode_predicates(bytes);
  if (!predicates) return 0;
  fuzz::ensure_same(encode(*predicates), bytes);
  Matcher matcher(schema, *predicates);
  filters::BitArray filter(192);
  for (std::size_t i = 0; i < filter.size(); i += 1 + i % 3) filter.set(i);
  auto all = (std::uint32_t{1} << schema.attributes().size()) - 1;
  for (std::uint8_t layout = 0; layout < schema.classes().size(); ++layout) {
    FilterView view{layout, all, 0, filter};
    ENSURE(matcher.may_match(view) == may_match(schema, *predicates, view));
  }
  FilterView later{Schema::unknown_class, ~std::uint32_t{0}, 0, filter};
  ENSURE(matcher.may_match(later) == may_match(schema, *predicates, later));
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  const Schema& schema = Schema::built_in();
  std::vector<Bytes> out;
  for (const char* text : {"hobby=chess,go age=20..30 has=sip",
                           "near=25.05,121.53,5km hours:=22..6", "room=EC-300..399 x-a=5"}) {
    out.push_back(encode(blind(schema, Salt{}, parse_query(schema, text)->branches[0])));
  }
  return out;
}
