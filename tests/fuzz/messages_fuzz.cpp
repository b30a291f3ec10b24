// SPDX-License-Identifier: MIT
// Every message: what is accepted encodes to the same bytes, within the size that its list of
// fields promises. The first byte of the input picks the message; behind the last one come index
// entries.
#include "node/service/find/index_item.h"
#include "tests/fuzz/fuzz.h"
#include "tests/wire/all_messages.h"
#include "tests/wire/field_table.h"

using namespace beckon;
using namespace beckon::service;

namespace {

template <typename M>
void check(ByteView body) {
  auto message = beckon::decode<M>(body);
  if (!message) return;
  ENSURE(std::ranges::equal(beckon::encode(*message), body));
  ENSURE(body.size() <= test::max_size<M>());
}

void check_entry(ByteView body) {
  auto entry = decode_index_item(body);
  if (!entry) return;
  ENSURE(std::ranges::equal(encode_index_item(entry->marks, profile::encode(entry->record)), body));
}

using Check = void (*)(ByteView);
template <typename... M>
constexpr std::array<Check, sizeof...(M) + 1> checks_of(const std::tuple<test::Listed<M>...>&) {
  return {check<M>..., check_entry};
}
constexpr auto checks = checks_of(test::all_messages);

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::pick(checks, data, size);
}

std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> out;
  Rng rng(1);
  std::size_t which = 0;
  test::each_message([&](auto listed) {
    using M = typename decltype(listed)::Message;
    for (int i = 0; i < 2; ++i)
      out.push_back(fuzz::seed(which, beckon::encode(test::random_message<M>(rng))));
    ++which;
  });
  Bytes record = profile::encode(profile::withdrawal({.host = {.address = "h:1"}, .version = 1}));
  out.push_back(fuzz::seed(which, encode_index_item({}, record)));
  return out;
}
