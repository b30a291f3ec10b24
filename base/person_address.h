// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/hash.h"

namespace beckon {

/// What a person gives away to be reached: the public key, and the beginning of the id of the
/// overlay, so that an address of another overlay is told at once. As text 'beckon:' and 66
/// characters (docs/messages.md).
struct PersonAddress {
  static constexpr std::string_view scheme = "beckon:";
  using OverlayTag = std::array<std::uint8_t, 4>;

  PublicKey key{};
  OverlayTag overlay{};
  friend bool operator==(const PersonAddress&, const PersonAddress&) = default;
};

PersonAddress::OverlayTag tag_of(const Digest& overlay);
bool looks_like_address(std::string_view text);  // begins with the scheme, in capitals or not
std::string to_text(const PersonAddress& address);
Result<PersonAddress> read_person_address(std::string_view text);

}  // namespace beckon
