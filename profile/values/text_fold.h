// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::profile {

inline constexpr std::size_t max_text_size = 256;  // bytes, before and after folding

/// Changes when texts fold differently: keys of different folds never meet.
inline constexpr std::uint8_t fold_number = 1;

/// The form in which texts are compared, hashed and put under keys: NFKC case folding (which also
/// drops invisible characters), accents removed, the spellings of fold_table.h, white space trimmed
/// and runs of it made one blank. "Café  ØRSTED" and "cafe orsted" become the same text. Folding a
/// folded text changes nothing. Refuses broken UTF-8, control characters, texts that are empty or
/// too long.
///
/// The rule is that of Unicode 15.0 with every later ICU: characters that came later stay as they
/// are, and the standard promises not to change what older ones become.
///
/// Only the combining diacritical marks count as accents; vowel signs of Indic scripts or the
/// voicing marks of Japanese make different words and stay.
Result<std::string> fold_text(std::string_view text);

}  // namespace beckon::profile
