// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace beckon::config {

/// The version of this build: project() in CMakeLists.txt is the one place that says it.
std::string version();       // "0.1.0"
std::string version_text();  // "0.1.0 (commit 1bfc475)", what --version prints

}  // namespace beckon::config
