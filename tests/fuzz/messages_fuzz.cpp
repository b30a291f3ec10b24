// SPDX-License-Identifier: MIT
// Every message: what is accepted encodes to the same bytes, or, where additions and ignorable
// flags are passed over, to bytes that mean the same; within the size that its list of fields
// promises. The first byte of the input picks the message; behind the last one come index entries.
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
  Bytes again = beckon::encode(*message);
  ENSURE(again.size() <= body.size() && again.size() <= test::max_size<M>());
  if (test::one_spelling<M>()) ENSURE(std::ranges::equal(again, body));
  auto reread = beckon::decode<M>(again);
  ENSURE(reread && beckon::encode(*reread) == again);
}

void check_entry(ByteView body) {
  auto entry = decode_index_item(body);
  if (!entry) return;
  Bytes again = encode_index_item(entry->marks, profile::encode(entry->record));
  again[0] = static_cast<std::uint8_t>(again[0] | (body[0] & ~critical_bits));
  ENSURE(std::ranges::equal(again, body));
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
