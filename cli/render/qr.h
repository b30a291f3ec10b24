// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace beckon::cli {

/// A QR code: rows of dark and light modules, without the quiet margin.
class QrCode {
 public:
  static Result<QrCode> of(const std::string& text);  // an Error for texts too long for any code

  std::size_t size() const { return size_; }  // modules a side
  bool dark(std::size_t row, std::size_t column) const { return modules_[row * size_ + column]; }

  /// Two rows of modules a line, dark on light whatever the terminal's colours are, with a margin.
  std::string terminal_text() const;
  std::string svg() const;  // four units a module, with a margin

 private:
  std::size_t size_{};
  std::vector<bool> modules_{};
};

}  // namespace beckon::cli
