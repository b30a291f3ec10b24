// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/person/profile.h"

namespace beckon::profile {

inline constexpr std::size_t max_vcard = 256 * 1024;  // photos come along

/// What a vCard gave, and what it held that has no place here or did not fit.
struct VcardImport {
  Profile profile{};
  std::vector<std::string> left_out{};  // "PHOTO", "HOBBY: more than 8 values"
};

/// Reads one vCard 3.0 or 4.0: FN, N (family name), NICKNAME, HOBBY, INTEREST, EXPERTISE, GEO,
/// LANG, ORG, TITLE, ROLE, BDAY (as age on the day `today`), IMPP with sip:, EMAIL, TEL and the
/// town of ADR.
///
/// Written here and not taken from libvformat, which was tried: it leaves \, and \; as they stand
/// and splits there, takes a colon inside a quoted parameter for the end of the name, and reports a
/// card without END as whole.
Result<VcardImport> parse_vcard(const Schema& schema, std::string_view text, std::int64_t today);

}  // namespace beckon::profile
