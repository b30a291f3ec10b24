// Bodies of the frames of search, and index entries. The first byte of the input picks the message.
#include "node/service/find/find_messages.h"

#include "node/service/find/index_item.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;
using fuzz::round_trip;
using fuzz::seed;

namespace {

void check_entry(ByteView body) {
  auto entry = decode_index_item(profile::Schema::built_in(), body);
  if (!entry) return;
  ENSURE(std::ranges::equal(encode_index_item(entry->marks, profile::encode(entry->record)), body));
}

using Check = void (*)(ByteView);
constexpr std::array<Check, 7> checks = {
    [](ByteView b) { round_trip(decode_query_request, b); },
    [](ByteView b) { round_trip(decode_query_reply, b); },
    [](ByteView b) { round_trip(decode_count_request, b); },
    [](ByteView b) { round_trip(decode_count_reply, b); },
    [](ByteView b) { round_trip(decode_verify_request, b); },
    [](ByteView b) { round_trip(decode_verify_reply, b); },
    check_entry,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::pick(checks, data, size);
}

std::vector<Bytes> fuzz_seeds() {
  profile::Predicates predicates{{.slot = 4, .any = {profile::TextTest{}}},
                                 {.slot = 6, .any = {profile::NumberTest{.lo = 20, .hi = 30}}}};
  Bytes record = profile::encode(profile::withdrawal({.address = "h:1", .version = 1}));
  return {
      seed(0, encode(QueryRequest{.predicates = predicates, .after = Id{}})),
      seed(1, encode(QueryReply{.more = true, .listed = 2, .scanned = 2, .records = {record}})),
      seed(2, encode(CountRequest{.keys = {Id{}, Id{}}})),
      seed(3, encode(CountReply{.listed = {1, 2}})),
      seed(4, encode(VerifyRequest{.query = "hobby=chess", .owners = {Id{}}})),
      seed(5, encode(VerifyReply{.entries = {{}, {.yes = true, .version = 1, .card = "{}"}}})),
      seed(6, encode_index_item({}, record)),
  };
}
