// SPDX-License-Identifier: MIT
#pragma once

#include "config/paths.h"

namespace beckon::config {

/// The path itself, or the nearest one above it that is there.
Path nearest_existing(Path path);

/// When something failed and the disk is the likely cause (full, or read-only), says so with the
/// cure; otherwise the error as it was.
Error blame_disk(const Paths& paths, const Error& error);

}  // namespace beckon::config
