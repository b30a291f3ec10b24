// SPDX-License-Identifier: MIT
#include "node/service/admission/invite.h"

#include <algorithm>

namespace beckon::service {

namespace {

constexpr std::string_view prefix = "beckon1:";
constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t layout_version = 1;
constexpr std::size_t checksum_size = 4;
constexpr std::size_t max_addresses = 4;
constexpr std::size_t max_text = 1024;

std::string to_base64url(ByteView bytes) {
  std::string out;
  std::uint32_t held = 0;
  int bits = 0;
  for (std::uint8_t byte : bytes) {
    held = held << 8 | byte;
    for (bits += 8; bits >= 6; bits -= 6) out += alphabet[held >> (bits - 6) & 63];
  }
  if (bits > 0) out += alphabet[held << (6 - bits) & 63];
  return out;
}

/// Strict: no padding, no other characters, and the unused last bits are zero, so that every
/// accepted text is the only one for its bytes.
std::optional<Bytes> from_base64url(std::string_view text) {
  Bytes out;
  std::uint32_t held = 0;
  int bits = 0;
  for (char c : text) {
    std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    held = held << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::uint8_t>(held >> bits));
  }
  bool rest_is_zero = (held & ((1U << bits) - 1)) == 0;
  if (bits >= 6 || !rest_is_zero) return std::nullopt;
  return out;
}

Error damaged() {
  return invalid(
      "the invite is cut short or changed; copy the whole string that begins with beckon1:");
}

}  // namespace

std::string Invite::text() const {
  ByteWriter out;
  out.u8(layout_version);
  out.u8(static_cast<std::uint8_t>(admission));
  out.raw(overlay);
  out.raw(inviter.bytes);
  out.i64(to_ms(not_after));
  out.counted8(as_bytes(name));
  out.u8(static_cast<std::uint8_t>(addresses.size()));
  for (const std::string& address : addresses) out.counted8(as_bytes(address));
  if (admission == Admission::closed) {
    ENSURE(authority && secret);
    out.raw(*authority);
    out.raw(*secret);
  }
  Digest digest = sha256(out.bytes());
  out.raw(ByteView(digest).first(checksum_size));
  return std::string(prefix) + to_base64url(out.bytes());
}

Result<Invite> Invite::parse(std::string_view text) {
  if (!text.starts_with(prefix)) return invalid("an invite begins with beckon1:");
  if (text.size() > max_text) return damaged();
  auto bytes = from_base64url(text.substr(prefix.size()));
  if (!bytes || bytes->size() < checksum_size) return damaged();
  ByteView content = ByteView(*bytes).first(bytes->size() - checksum_size);
  ByteView checksum = ByteView(*bytes).last(checksum_size);
  Digest digest = sha256(content);
  if (!std::equal(checksum.begin(), checksum.end(), digest.begin())) return damaged();

  ByteReader in(content);
  if (in.u8() != layout_version)
    return invalid("the invite is of a later version; update this node");
  Invite out;
  std::uint8_t admission = in.u8();
  if (admission > 1) in.fail();
  out.admission = static_cast<Admission>(admission);
  out.overlay = in.array<32>();
  out.inviter.bytes = in.array<chord::Id::size>();
  out.not_after = wall_from_ms(in.i64());
  out.name = std::string(as_text(in.counted8()));
  std::size_t count = in.u8();
  if (count == 0 || count > max_addresses || !is_utf8(out.name)) in.fail();
  for (std::size_t i = 0; in.ok() && i < count; ++i) {
    std::string address(as_text(in.counted8()));
    if (address.empty() || address.size() > chord::max_address_size || !is_utf8(address)) in.fail();
    out.addresses.push_back(std::move(address));
  }
  if (out.admission == Admission::closed) {
    out.authority = in.array<32>();
    out.secret = in.array<16>();
  }
  if (!in.finish("invite")) return damaged();
  return out;
}

}  // namespace beckon::service
