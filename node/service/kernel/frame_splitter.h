// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "chord/frame.h"

namespace beckon::service {

inline constexpr std::size_t frame_header_size = 13;  // u32 length | u8 type | u64 request

/// A frame where it lies in the splitter's memory; the next call of feed() or next() ends it.
struct FrameView {
  std::uint8_t type{};
  std::uint64_t request{};
  ByteView body{};
};

/// Cuts a stream of bytes into frames. A claimed length is compared with the limit before anything
/// is done about it, and memory grows with bytes received, never with bytes announced. After an
/// error the stream cannot be trusted any more: every later call returns the error again.
class FrameSplitter {
 public:
  explicit FrameSplitter(std::size_t max_body) : max_body_(max_body) {}

  void set_limit(std::size_t max_body) { max_body_ = max_body; }
  void feed(ByteView bytes);
  Result<std::optional<FrameView>> next();                  // none: more bytes are needed
  bool partial() const { return start_ < buffer_.size(); }  // a frame has begun and is not complete
  std::size_t held() const { return buffer_.capacity(); }

 private:
  void drop_delivered();
  Bytes buffer_{};
  std::size_t start_ = 0;  // what is before it has been delivered
  std::size_t max_body_;
  std::optional<Error> failed_{};
};

/// The frame as it travels. The caller keeps the body within chord::max_frame_body.
void append_frame(Bytes& out, std::uint8_t type, std::uint64_t request, ByteView body);

}  // namespace beckon::service
