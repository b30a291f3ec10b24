// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace beckon {

/// Bytes as text that people copy and type: 32 letters and digits without those that look alike,
/// and a checksum of six (BIP 350, bech32m). Up to four wrong characters are always noticed, as
/// long as prefix, data and checksum have at most 89 characters; other errors pass once in 2^30.
/// The prefix is checked with the data but is not part of the text here.
std::string to_bech32m(std::string_view prefix, ByteView bytes);
Result<Bytes> from_bech32m(std::string_view prefix, std::string_view text);  // takes capitals, too

}  // namespace beckon
