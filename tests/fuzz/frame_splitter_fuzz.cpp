// SPDX-License-Identifier: MIT
// The frame splitter on a stream cut at arbitrary places: never holds more than came, and what
// comes out, written again, is what went in.
#include "node/service/kernel/frame_splitter.h"

#include "tests/fuzz/fuzz.h"

using namespace beckon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::size_t step = 1 + data[0];
  ByteView stream(data + 1, size - 1);
  service::FrameSplitter splitter(data[0] % 2 == 0 ? 4096 : chord::max_frame_body);
  Bytes again;
  bool failed = false;
  for (std::size_t at = 0; at < stream.size() && !failed; at += step) {
    splitter.feed(stream.subspan(at, std::min(step, stream.size() - at)));
    for (;;) {
      auto frame = splitter.next();
      failed = !frame.has_value();
      if (failed || !*frame) break;
      service::append_frame(again, (*frame)->type, (*frame)->request, (*frame)->body);
    }
    ENSURE(splitter.held() <= 2 * stream.size() + 64);
  }
  ENSURE(again.size() <= stream.size());
  ENSURE(std::equal(again.begin(), again.end(), stream.begin()));
  ENSURE(failed || splitter.partial() == (again.size() < stream.size()));
  if (failed) ENSURE(!splitter.next().has_value());
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  Bytes stream{3};
  service::append_frame(stream, 1, 0, Bytes(40, 7));
  service::append_frame(stream, 0x20, 9, Bytes{});
  service::append_frame(stream, 0x21, 9, Bytes(300, 1));
  return {stream};
}
