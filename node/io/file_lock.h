#pragma once

#include <string>

#include "base/result.h"

namespace beckon::io {

/// An exclusive lock on a file of its own, made if absent and held until destroyed. The kernel
/// drops it when the process ends, however it ends, so a stale lock cannot be left behind.
class FileLock {
 public:
  static Result<FileLock> take(const std::string& path);  // unavailable: somebody holds it
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace beckon::io
