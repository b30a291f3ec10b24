#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace beckon::profile {

inline constexpr std::size_t max_text_size = 256;  // bytes, before and after folding

/// The form in which texts are compared, hashed and put under keys: NFKC case folding (which also
/// drops invisible characters), accents removed, white space trimmed and runs of it made one
/// blank. "Café  MÜLLER" and "cafe müller" become the same text. Folding a folded text changes
/// nothing. Refuses broken UTF-8, control characters, texts that are empty or too long.
///
/// Only the combining diacritical marks count as accents; vowel signs of Indic scripts or the
/// voicing marks of Japanese make different words and stay.
Result<std::string> fold_text(std::string_view text);

}  // namespace beckon::profile
