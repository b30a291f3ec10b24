// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/paths.h"

namespace beckon::config {

/// The values of a TOML file by dotted name; lists of strings joined by commas, numbers and
/// booleans as written. A file that does not exist is empty.
Result<std::map<std::string, std::string>> read_toml(const Path& file);
Result<std::map<std::string, std::string>> parse_toml(std::string_view text,
                                                      const std::string& name);

/// The same text with one value set (or removed, if there is none), everything else, comments too,
/// left as it was. `value` is a finished TOML value.
std::string edit_toml(std::string_view text, std::string_view dotted_name,
                      std::optional<std::string_view> value);

/// Sets one value in a file, which is replaced in one step, and checks that it reads back.
Result<void> write_toml_value(const Path& file, const std::string& dotted_name,
                              const std::string& value, bool is_list);

}  // namespace beckon::config
