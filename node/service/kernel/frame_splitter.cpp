// SPDX-License-Identifier: MIT
#include "node/service/kernel/frame_splitter.h"

#include <fmt/core.h>

#include <array>

namespace beckon::service {

namespace {

constexpr std::size_t length_size = 4;
constexpr std::size_t fixed_part =
    frame_header_size - length_size;            // what `length` counts besides the body
constexpr std::size_t keep_buffer = 16 * 1024;  // an idle link holds no more

template <std::size_t Count>
std::uint64_t number(ByteView bytes) {
  std::uint64_t out = 0;
  for (std::uint8_t byte : bytes.first<Count>()) out = out << 8 | byte;
  return out;
}

}  // namespace

void FrameSplitter::feed(ByteView bytes) {
  if (failed_) return;
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<FrameView>> FrameSplitter::next() {
  if (failed_) return *failed_;
  ByteView rest = ByteView(buffer_).subspan(start_);
  std::size_t length = rest.size() < length_size ? fixed_part : number<length_size>(rest);
  if (length < fixed_part || length - fixed_part > max_body_) {
    failed_ = invalid(fmt::format("a frame claims {} bytes, allowed are {} to {}", length,
                                  fixed_part, fixed_part + max_body_));
    buffer_ = {};
    start_ = 0;
    return *failed_;
  }
  if (rest.size() < length_size + length) {
    drop_delivered();
    return std::optional<FrameView>();
  }
  start_ += length_size + length;
  return std::optional(FrameView{.type = rest[length_size],
                                 .request = number<8>(rest.subspan(length_size + 1)),
                                 .body = rest.subspan(frame_header_size, length - fixed_part)});
}

/// Only when all complete frames are out, so that no more than the beginning of one is moved.
void FrameSplitter::drop_delivered() {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
  start_ = 0;
  if (buffer_.empty() && buffer_.capacity() > keep_buffer) buffer_.shrink_to_fit();
}

void append_frame(Bytes& out, std::uint8_t type, std::uint64_t request, ByteView body) {
  ENSURE(body.size() <= chord::max_frame_body);
  std::array<std::uint8_t, frame_header_size> header{};
  std::uint64_t length = fixed_part + body.size();
  for (std::size_t i = 0; i < 4; ++i) header[i] = static_cast<std::uint8_t>(length >> (24 - 8 * i));
  header[4] = type;
  for (std::size_t i = 0; i < 8; ++i) {
    header[5 + i] = static_cast<std::uint8_t>(request >> (56 - 8 * i));
  }
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), body.begin(), body.end());
}

}  // namespace beckon::service
