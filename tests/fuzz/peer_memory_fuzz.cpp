// Remembered peers, as a damaged disk may give them back: what is accepted has the same bytes
// again.
#include "node/service/ring/peer_memory.h"

#include <algorithm>

#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteView bytes(data, size);
  auto peers = decode_peers(bytes);
  if (!peers) return 0;
  ENSURE(peers->size() <= max_remembered && std::ranges::equal(encode_peers(*peers), bytes));
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  chord::PeerRef near{.id = chord::Id::of_digest(sha256(as_bytes("a"))),
                      .address = "127.0.0.1:7000"};
  chord::PeerRef far{.id = chord::Id::of_digest(sha256(as_bytes("b"))),
                     .address = "[2001:db8::1]:9"};
  return {encode_peers({}), encode_peers({near}), encode_peers({near, far, near})};
}
