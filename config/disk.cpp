// SPDX-License-Identifier: MIT
#include "config/disk.h"

#include <fmt/core.h>
#include <sys/statvfs.h>

namespace beckon::config {

namespace {

constexpr std::uintmax_t least_space = 1024 * 1024;  // an empty database takes about a third

}  // namespace

Path nearest_existing(Path path) {
  std::error_code problem;
  while (path.has_relative_path() && !std::filesystem::exists(path, problem)) {
    path = path.parent_path();
  }
  return path;
}

Error blame_disk(const Paths& paths, const Error& error) {
  struct statvfs disk {};
  Path folder = nearest_existing(paths.state_dir);
  if (error.code != ErrorCode::internal || ::statvfs(folder.c_str(), &disk) != 0) return error;
  if ((disk.f_flag & ST_RDONLY) != 0) {
    return {error.code, fmt::format("{} is on a disk that is mounted read-only, and Beckon writes "
                                    "there: mount it for writing, or choose another --home DIR",
                                    paths.state_dir.string())};
  }
  std::uintmax_t free = std::uintmax_t{disk.f_bavail} * disk.f_frsize;
  if (free >= least_space) return error;
  return {error.code, fmt::format("the disk that holds {} is full ({} KiB free): make room, or "
                                  "choose another --home DIR. What failed: {}",
                                  paths.state_dir.string(), free / 1024, error.text)};
}

}  // namespace beckon::config
