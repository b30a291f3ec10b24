// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace beckon::cli {

/// Another program of Beckon: beside this one, in the build tree next to it, or in PATH.
Result<std::filesystem::path> find_program(const std::string& name);

/// Starts beckond in a session of its own and waits until it says that it serves its socket, or
/// gives up. Its own words are the error's text.
Result<void> launch(const std::filesystem::path& beckond,
                    const std::vector<std::string>& arguments);

/// Runs a program to its end and returns what it printed; on failure, what it complained of.
Result<std::string> run(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments);

/// True once the daemon that holds the lock file has ended; false if that takes longer than ten
/// seconds.
bool wait_for_end(const std::filesystem::path& lock_file);

/// Becomes that program; returns only to say why that failed.
Error become(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace beckon::cli
