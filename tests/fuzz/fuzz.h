// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

/// What a fuzz target defines. The input is arbitrary; breaking a promise ends in ENSURE or a
/// sanitizer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// What a fuzz target should define: valid inputs to start from. Random bytes alone never get past
/// a checksum, so targets of checksummed formats repair the checksum of the input as well.
[[gnu::weak]] std::vector<beckon::Bytes> fuzz_seeds();

namespace beckon::fuzz {

/// A target with several decoders: the first byte of the input picks one, the rest is for it.
template <std::size_t count>
int pick(const std::array<void (*)(ByteView), count>& checks, const std::uint8_t* data,
         std::size_t size) {
  if (size > 0) checks[data[0] % count](ByteView(data, size).subspan(1));
  return 0;
}

/// What a strict decoder made of these bytes is written with the same bytes again.
inline void ensure_same(ByteView again, ByteView bytes) {
  ENSURE(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
}

/// An input for the decoder of that number.
inline Bytes seed(std::size_t which, ByteView body) {
  Bytes out{static_cast<std::uint8_t>(which)};
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

}  // namespace beckon::fuzz
