// SPDX-License-Identifier: MIT
// Invite strings: whatever is accepted writes back to the very same text. Mutations of the content
// get their checksum repaired, or none would be looked into.
#include "node/service/admission/invite.h"

#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string with_checksum(ByteView content) {
  Bytes bytes(content.begin(), content.end());
  Digest digest = sha256(content);
  bytes.insert(bytes.end(), digest.begin(), digest.begin() + 4);
  std::string out = "beckon1:";
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 6) {
    unsigned value = 0;
    for (std::size_t i = bit; i < bit + 6; ++i) {
      unsigned one = i / 8 < bytes.size() ? bytes[i / 8] >> (7 - i % 8) & 1U : 0U;
      value = value << 1 | one;
    }
    out += alphabet[value];
  }
  return out;
}

void same_text(std::string_view text) {
  if (auto invite = Invite::parse(text)) ENSURE(invite->text() == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  same_text(as_text({data, size}));
  same_text(with_checksum({data, size}));
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  Invite invite{.name = "club",
                .admission = Admission::closed,
                .addresses = {"127.0.0.1:7000"},
                .authority = PublicKey{},
                .secret = InviteSecret{}};
  std::string text = invite.text();
  ByteWriter content;  // an open one, as bytes
  content.u8(1);
  content.u8(0);
  content.raw(Bytes(60, 3));
  content.counted8(as_bytes("town"));
  content.u8(1);
  content.counted8(as_bytes("a:1"));
  return {Bytes(text.begin(), text.end()), content.take()};
}
