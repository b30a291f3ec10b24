// Bodies of the frames about records on the ring. The first byte of the input picks the message.
#include "node/service/items/replica_messages.h"

#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;
using fuzz::round_trip;
using fuzz::seed;

namespace {

using Check = void (*)(ByteView);
constexpr std::array<Check, 14> checks = {
    [](ByteView b) { round_trip(decode_put_request, b); },
    [](ByteView b) { round_trip(decode_put_reply, b); },
    [](ByteView b) { round_trip(decode_get_request, b); },
    [](ByteView b) { round_trip(decode_get_reply, b); },
    [](ByteView b) { round_trip(decode_replicate_request, b); },
    [](ByteView b) { round_trip(decode_replicate_reply, b); },
    [](ByteView b) { round_trip(decode_digest_request, b); },
    [](ByteView b) { round_trip(decode_digest_reply, b); },
    [](ByteView b) { round_trip(decode_list_request, b); },
    [](ByteView b) { round_trip(decode_list_reply, b); },
    [](ByteView b) { round_trip(decode_want_request, b); },
    [](ByteView b) { round_trip(decode_want_reply, b); },
    [](ByteView b) { round_trip(decode_chain_request, b); },
    [](ByteView b) { round_trip(decode_error_body, b); },
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::pick(checks, data, size);
}

std::vector<Bytes> fuzz_seeds() {
  RawItem raw_item{{}, ItemKind::author_item, {1, 2, 3}};
  ItemKey low{}, high{};
  high.sub.bytes.fill(0xff);
  ItemStamp entry{.key = high, .seq = 3};
  return {
      seed(0, encode(PutRequest{{{raw_item, {}}, {raw_item, 7}}})),
      seed(1, encode(PutReply{.wanted = 3, .entries = {{Status::ok, 3, 7}}})),
      seed(2, encode(GetRequest{.kind = ItemKind::author_item, .after = high.sub})),
      seed(3, encode(GetReply{.more = true, .items = {{1, 2}, {}}})),
      seed(4, encode(ReplicateRequest{{raw_item, raw_item}})),
      seed(5, encode(ReplicateReply{{Status::ok, Status::storage}})),
      seed(6, encode(DigestRequest{{{{low, low}, {1, 2}}, {{high, high}, {}}}})),
      seed(7, encode(DigestReply{{0, 5}})),
      seed(8, encode(ListRequest{.span = {low, high}, .offer = true, .entries = {entry}})),
      seed(9, encode(ListReply{.wanted = {0, 2}, .offered = {entry}, .covered = high})),
      seed(10, encode(WantRequest{{low, high}})),
      seed(11, encode(WantReply{.raw_items = {raw_item}, .done = 1})),
      seed(12, encode(ChainRequest{{low.sub, high.sub}})),
      seed(13, encode(ErrorBody{Status::rate, 3, "text"})),
  };
}
