// SPDX-License-Identifier: MIT
#include "node/service/kernel/frame_splitter.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace beckon::service;

namespace {

struct Found {
  int type{};
  std::uint64_t request{};
  Bytes body{};
  friend bool operator==(const Found&, const Found&) = default;
};

/// All frames that are complete; an error ends the list and is kept.
std::vector<Found> drain(FrameSplitter& splitter, std::string* error = nullptr) {
  std::vector<Found> out;
  for (;;) {
    auto frame = splitter.next();
    if (!frame && error != nullptr) *error = frame.error().text;
    if (!frame || !*frame) return out;
    const FrameView& view = **frame;
    out.push_back({view.type, view.request, Bytes(view.body.begin(), view.body.end())});
  }
}

const std::vector<Found> frames{
    {1, 0, {}}, {0x21, 0x0102030405060708, Bytes(300, 7)}, {255, UINT64_MAX, {9}}};

Bytes stream_of(const std::vector<Found>& all) {
  Bytes out;
  for (const Found& f : all)
    append_frame(out, static_cast<std::uint8_t>(f.type), f.request, f.body);
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("service/frame_splitter");

TEST_CASE("a frame is length and type and request number and body") {
  CHECK(to_hex(stream_of({{0x21, 0x0102030405060708, {0xaa, 0xbb}}})) ==
        "0000000b"
        "21"
        "0102030405060708"
        "aabb");
  CHECK(to_hex(stream_of({{1, 0, {}}})) ==
        "00000009"
        "01"
        "0000000000000000");
  CHECK(stream_of({{1, 0, Bytes(0x10203)}}).size() == frame_header_size + 0x10203);
  CHECK(to_hex(stream_of({{1, 0, Bytes(0x10203)}})).starts_with("0001020c"));
}

TEST_CASE("frames come out as they went in however the stream is cut") {
  Bytes stream = stream_of(frames);
  for (std::size_t step :
       {std::size_t{1}, std::size_t{2}, std::size_t{13}, std::size_t{100}, stream.size()}) {
    CAPTURE(step);
    FrameSplitter splitter(300);
    std::vector<Found> found;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      splitter.feed(ByteView(stream).subspan(at, std::min(step, stream.size() - at)));
      for (Found& f : drain(splitter)) found.push_back(std::move(f));
    }
    CHECK(found == frames);
    CHECK_FALSE(splitter.partial());
  }
}

TEST_CASE("a frame that has begun is partial until its last byte is there") {
  Bytes stream = stream_of({frames[1]});
  FrameSplitter splitter(300);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    CHECK(drain(splitter).empty());
    CHECK(splitter.partial() == (i > 0));
    splitter.feed(ByteView(stream).subspan(i, 1));
  }
  CHECK(drain(splitter).size() == 1);
  CHECK_FALSE(splitter.partial());
}

TEST_CASE("a body may be as long as the limit and the limit can change between frames") {
  Bytes good = stream_of({{1, 1, Bytes(10)}}), long_one = stream_of({{1, 1, Bytes(11)}});
  FrameSplitter splitter(10);
  splitter.feed(good);
  CHECK(drain(splitter).size() == 1);
  splitter.set_limit(11);
  splitter.feed(long_one);
  CHECK(drain(splitter).size() == 1);
  splitter.set_limit(10);
  splitter.feed(ByteView(long_one).first(4));  // its claim is enough
  std::string error;
  CHECK(drain(splitter, &error).empty());
  CHECK(error == "a frame claims 20 bytes, allowed are 9 to 19");
}

TEST_CASE("a length that cannot hold a header is refused") {
  for (std::uint8_t length : Bytes{0, 8, 9}) {
    CAPTURE(int{length});
    FrameSplitter splitter(10);
    splitter.feed(Bytes{0, 0, 0, length});
    CHECK(splitter.next().has_value() == (length == 9));
  }
}

TEST_CASE("after an error nothing more is read or kept") {
  FrameSplitter splitter(10);
  splitter.feed(stream_of({{1, 1, Bytes(5)}}));
  CHECK(drain(splitter).size() == 1);
  splitter.feed(Bytes(40, 0xff));
  std::string first, second;
  CHECK(drain(splitter, &first).empty());
  CHECK_FALSE(splitter.partial());
  std::size_t held = splitter.held();
  splitter.feed(stream_of(frames));
  CHECK(splitter.held() == held);
  CHECK(drain(splitter, &second).empty());
  CHECK(first == second);
}

TEST_CASE("a link at rest holds 16 KiB at most") {
  FrameSplitter splitter(chord::max_frame_body);
  splitter.feed(stream_of({{1, 1, Bytes(100'000)}}));
  CHECK(drain(splitter).size() == 1);
  CHECK(splitter.held() <= 16 * 1024);
  splitter.feed(stream_of({{1, 1, Bytes(10'000)}}));
  CHECK(drain(splitter).size() == 1);
  CHECK(splitter.held() >= 10'000);  // small buffers are used again
}

TEST_SUITE_END();
