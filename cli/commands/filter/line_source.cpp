// SPDX-License-Identifier: MIT
#include "cli/commands/filter/line_source.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace beckon::cli {

LineSource::LineSource(std::FILE* file, std::string name, std::uint64_t size)
    : file_(file), name_(std::move(name)), size_(size), block_(256 << 10) {}

Result<LineSource> LineSource::open(const std::string& path) {
  if (path == "-") return LineSource(stdin, "standard input", 0);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return invalid("FILE: cannot open '" + path + "': " + std::strerror(errno));
  }
  struct stat about {};
  bool known = fstat(fileno(file), &about) == 0;
  if (known && S_ISDIR(about.st_mode)) {
    std::fclose(file);
    return invalid("FILE: '" + path + "' is a directory; give a file, or - for standard input");
  }
  bool regular = known && S_ISREG(about.st_mode);
  return LineSource(file, path, regular ? static_cast<std::uint64_t>(about.st_size) : 0);
}

Result<bool> LineSource::fill() {
  begin_ = 0;
  end_ = std::fread(block_.data(), 1, block_.size(), file_.get());
  bytes_read_ += end_;
  if (end_ == 0 && std::ferror(file_.get()) != 0) {
    return Error{ErrorCode::unavailable, "cannot read " + name_ + ": " + std::strerror(errno)};
  }
  return end_ > 0;
}

Result<LineSource::Line> LineSource::next() {
  carried_.clear();
  for (;;) {
    if (begin_ == end_) {
      auto more = fill();
      if (!more) return more.error();
      if (!*more) {
        if (carried_.empty()) return Line{.end = true};
        ++line_;
        return Line{.text = carried_};
      }
    }
    const char* from = block_.data() + begin_;
    const void* found = std::memchr(from, '\n', end_ - begin_);
    std::size_t length = found != nullptr
                             ? static_cast<std::size_t>(static_cast<const char*>(found) - from)
                             : end_ - begin_;
    if (carried_.size() + length > max_line) {
      return invalid("FILE: line " + std::to_string(line_ + 1) + " of " + name_ +
                     " is longer than 1 MiB; break it up");
    }
    begin_ += length + (found != nullptr ? 1 : 0);
    if (found == nullptr) {
      carried_.append(from, length);
      continue;
    }
    ++line_;
    if (carried_.empty()) return Line{.text = {from, length}};
    carried_.append(from, length);
    return Line{.text = carried_};
  }
}

}  // namespace beckon::cli
