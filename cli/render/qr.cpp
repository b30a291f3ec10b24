// SPDX-License-Identifier: MIT
#include "cli/render/qr.h"

#include <fmt/core.h>
#include <qrencode.h>

#include <memory>

namespace beckon::cli {

namespace {

constexpr std::size_t margin = 4;  // modules; what the standard asks for
constexpr std::string_view black_on_white = "\x1b[30;107m";
constexpr std::string_view plain = "\x1b[0m";

struct FreeCode {
  void operator()(QRcode* code) const noexcept { QRcode_free(code); }
};

}  // namespace

Result<QrCode> QrCode::of(const std::string& text) {
  std::unique_ptr<QRcode, FreeCode> code(
      QRcode_encodeString(text.c_str(), 0, QR_ECLEVEL_M, QR_MODE_8, 1));
  if (code == nullptr) return invalid("this text is too long for a QR code");
  QrCode out;
  out.size_ = static_cast<std::size_t>(code->width);
  for (std::size_t i = 0; i < out.size_ * out.size_; ++i)
    out.modules_.push_back((code->data[i] & 1) != 0);
  return out;
}

std::string QrCode::terminal_text() const {
  auto dark_at = [&](std::size_t row, std::size_t column) {  // with the margin
    bool inside = row >= margin && row < margin + size_ && column >= margin;
    return inside && column < margin + size_ && dark(row - margin, column - margin);
  };
  std::string out;
  std::size_t side = size_ + 2 * margin;
  for (std::size_t row = 0; row < side; row += 2) {
    out += black_on_white;
    for (std::size_t column = 0; column < side; ++column) {
      bool upper = dark_at(row, column);
      bool lower = dark_at(row + 1, column);
      out += upper && lower ? "█" : upper ? "▀" : lower ? "▄" : " ";
    }
    out += plain;
    out += '\n';
  }
  return out;
}

std::string QrCode::svg() const {
  constexpr std::size_t unit = 4;
  std::size_t side = unit * (size_ + 2 * margin);
  std::string path;
  for (std::size_t row = 0; row < size_; ++row) {
    for (std::size_t column = 0; column < size_; ++column) {
      if (dark(row, column))
        path += fmt::format("M{} {}h{}v{}h-{}z", unit * (column + margin), unit * (row + margin),
                            unit, unit, unit);
    }
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{0}\" viewBox=\"0 0 {0} "
      "{0}\">"
      "<rect width=\"{0}\" height=\"{0}\" fill=\"#fff\"/><path d=\"{1}\" fill=\"#000\"/></svg>\n",
      side, path);
}

}  // namespace beckon::cli
