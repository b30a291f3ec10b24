// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beckon::cli {

/// Lines of a file or of standard input ("-"), however long the stream, in bounded memory: a block
/// of 256 KiB and one line of at most `max_line` bytes. The last line needs no line break.
class LineSource {
 public:
  static constexpr std::size_t max_line = 1 << 20;

  static Result<LineSource> open(const std::string& path);

  /// The next line, valid until the next call; no line at the end. Fails on a read error or a line
  /// that is too long.
  struct Line {
    std::string_view text{};
    bool end = false;
  };
  Result<Line> next();

  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t size() const { return size_; }  // of a regular file; otherwise 0

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept {
      if (file != stdin) std::fclose(file);
    }
  };
  LineSource(std::FILE* file, std::string name, std::uint64_t size);
  Result<bool> fill();

  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t line_ = 0;
  std::vector<char> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string carried_;
};

}  // namespace beckon::cli
