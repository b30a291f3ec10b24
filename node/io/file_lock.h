// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "node/io/descriptor.h"

namespace beckon::io {

/// An exclusive lock on a file of its own, made if absent and held until destroyed. The kernel
/// drops it when the process ends, however it ends, so a stale lock cannot be left behind.
class FileLock {
 public:
  static Result<FileLock> take(const std::string& path);  // unavailable: somebody holds it

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace beckon::io
