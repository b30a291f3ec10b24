// SPDX-License-Identifier: MIT
#include "base/person_address.h"

#include <algorithm>

#include "base/bech32m.h"

namespace beckon {

namespace {

constexpr std::uint8_t version = 1;
constexpr std::string_view checked_prefix = "beckon";  // the scheme without its colon
constexpr std::size_t most_text = 256;

}  // namespace

PersonAddress::OverlayTag tag_of(const Digest& overlay) {
  return ByteReader(overlay).array<PersonAddress::OverlayTag{}.size()>();
}

bool looks_like_address(std::string_view text) {
  constexpr std::string_view scheme = PersonAddress::scheme;
  return text.size() >= scheme.size() &&
         std::equal(scheme.begin(), scheme.end(), text.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

std::string to_text(const PersonAddress& address) {
  ByteWriter out;
  out.u8(version);
  out.raw(address.overlay);
  out.raw(address.key);
  return std::string(PersonAddress::scheme) + to_bech32m(checked_prefix, out.bytes());
}

Result<PersonAddress> read_person_address(std::string_view text) {
  if (!looks_like_address(text)) return invalid("an address begins with 'beckon:'");
  if (text.size() > most_text) return invalid("this is no address: it is too long");
  auto bytes = from_bech32m(checked_prefix, text.substr(PersonAddress::scheme.size()));
  if (!bytes)
    return invalid("this address was not copied or typed correctly: " + bytes.error().text);
  ByteReader in(*bytes);
  std::uint8_t found = in.u8();
  if (found > version) {
    return invalid("this address is of a later kind (" + std::to_string(found) +
                   "): a newer Beckon can read it");
  }
  PersonAddress out;
  out.overlay = in.array<PersonAddress::OverlayTag{}.size()>();
  out.key = in.array<PublicKey{}.size()>();
  if (auto done = in.finish("an address"); !done || found != version)
    return invalid("this is no address of a person");
  return out;
}

}  // namespace beckon
