#include "node/service/frame_splitter.h"

#include <fmt/core.h>

#include <array>

namespace beckon::service {

namespace {

constexpr std::size_t length_size = 4;
constexpr std::size_t fixed_part =
    frame_header_size - length_size;            // what `length` counts besides the body
constexpr std::size_t keep_buffer = 16 * 1024;  // an idle link holds no more

}  // namespace

void FrameSplitter::feed(ByteView bytes) {
  if (failed_) return;
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<chord::Frame>> FrameSplitter::next() {
  if (failed_) return *failed_;
  ByteView rest = ByteView(buffer_).subspan(start_);
  if (rest.size() < length_size) return std::optional<chord::Frame>();
  ByteReader header(rest);
  std::size_t length = header.u32();
  if (length < fixed_part || length - fixed_part > max_body_) {
    failed_ = invalid(fmt::format("a frame claims {} bytes, allowed are {} to {}", length,
                                  fixed_part, fixed_part + max_body_));
    buffer_ = {};
    start_ = 0;
    return *failed_;
  }
  if (rest.size() < length_size + length) return std::optional<chord::Frame>();
  std::optional<chord::Frame> frame(std::in_place);
  frame->type = header.u8();
  frame->request = header.u64();
  ByteView body = header.raw(length - fixed_part);
  frame->body.assign(body.begin(), body.end());
  drop_front(length_size + length);
  return frame;
}

void FrameSplitter::drop_front(std::size_t count) {
  start_ += count;
  if (start_ == buffer_.size()) {
    start_ = 0;
    buffer_.clear();
    if (buffer_.capacity() > keep_buffer) buffer_.shrink_to_fit();
  } else if (start_ > buffer_.size() / 2) {  // so that each byte is moved once at most, on average
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
    start_ = 0;
  }
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
