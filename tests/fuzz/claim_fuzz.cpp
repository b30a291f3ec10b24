// SPDX-License-Identifier: MIT
// A stored claim, as a damaged disk may give it back: what is accepted has the same bytes again.
#include "node/service/items/claim.h"

#include "base/hash.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t head = 9;  // format and checksum
  Bytes bytes(data, data + size);
  if (size >= head) {
    std::copy_n(sha256(ByteView(bytes).subspan(head)).begin(), head - 1, bytes.begin() + 1);
  }
  if (auto row = decode_claim(bytes)) ENSURE(encode_claim(*row) == bytes);
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  Holder a{.disk = 1}, b{.node = Id::of_digest(sha256(as_bytes("b"))), .disk = 2};
  Claim founded{.x = 1, .holders = {a}};
  Claim full{.x = 7,
             .holders = {a, b},
             .promised = {.number = 4, .node = b.node},
             .accepted = {.number = 3, .node = b.node},
             .x_accepted = 8,
             .value = {b},
             .filled = 6,
             .led = true};
  return {encode_claim({{}, founded}), encode_claim({{.after = a.node, .upto = b.node}, full})};
}
