// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"

namespace beckon::cli {

/// Writes the text to `file` (mode 0600), opens it in $VISUAL, $EDITOR or vi, and returns what it
/// holds afterwards. The file stays.
Result<std::string> edit_text(const std::string& file, const std::string& text);

}  // namespace beckon::cli
