// SPDX-License-Identifier: MIT
#include "node/io/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace beckon::io {

Result<FileLock> FileLock::take(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.ok()) {
    return Error{ErrorCode::internal, "cannot open " + path + ": " + std::strerror(errno)};
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::unavailable, path + " is held by another process"};
  }
  return FileLock(std::move(file));
}

}  // namespace beckon::io
