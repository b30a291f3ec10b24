// SPDX-License-Identifier: MIT
#include "node/service/admission/credential.h"

#include <algorithm>
#include <bit>

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/credential/1";

int leading_zero_bits(const Digest& digest) {
  int bits = 0;
  for (std::uint8_t byte : digest) {
    bits += std::countl_zero(byte);
    if (byte != 0) break;
  }
  return bits;
}

}  // namespace

Bytes Credential::signed_part() const {
  ByteWriter out;
  out.raw(as_bytes(domain));
  FieldWriter f(out);
  signed_fields(f, *this);
  return out.take();
}

Result<void> Credential::check(const OverlayId& expected, const PublicKey& authority,
                               const PublicKey& key, const Signer& signer, WallTime now) const {
  auto refuse = [](std::string text) { return Error{ErrorCode::refused, std::move(text)}; };
  if (overlay != expected) return refuse("credential is for another overlay");
  if (key_hash != sha256(spki_of(key))) return refuse("credential is for another key");
  if (!signer.verify(authority, signed_part(), signature)) {
    return refuse("credential is not signed by the overlay's authority");
  }
  if (now < not_before)
    return refuse("credential is not valid yet; is the clock right on both sides?");
  if (now >= not_after) return refuse("credential has expired; its node must be enrolled again");
  return {};
}

std::array<std::uint8_t, 44> spki_of(const PublicKey& key) {
  std::array<std::uint8_t, 44> out = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
  std::copy(key.begin(), key.end(), out.begin() + 12);
  return out;
}

chord::Id node_id(const PublicKey& key, const std::optional<Nonce>& nonce) {
  auto spki = spki_of(key);
  ByteView tail = nonce ? ByteView(*nonce) : ByteView();
  return chord::Id::of_digest(sha256({as_bytes("id"), spki, tail}));
}

bool Puzzle::solved_by(const PublicKey& key, std::uint64_t solution) const {
  if (bits == 0) return true;
  ByteWriter tail;
  tail.u64(solution);
  auto spki = spki_of(key);
  return leading_zero_bits(sha256({as_bytes("puzzle"), overlay, spki, tail.bytes()})) >= bits;
}

std::uint64_t Puzzle::solve(const PublicKey& key) const {
  std::uint64_t solution = 0;
  while (!solved_by(key, solution)) ++solution;
  return solution;
}

}  // namespace beckon::service
