#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"

/// What a fuzz target defines. The input is arbitrary; breaking a promise ends in ENSURE or a
/// sanitizer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// What a fuzz target should define: valid inputs to start from. Random bytes alone never get past
/// a checksum, so targets of checksummed formats repair the checksum of the input as well.
[[gnu::weak]] std::vector<beckon::Bytes> fuzz_seeds();
