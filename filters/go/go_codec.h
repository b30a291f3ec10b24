// SPDX-License-Identifier: MIT
#pragma once

#include "filters/go/go_filter.h"

namespace beckon::filters {

/// A filter with its layout as bytes that explain themselves: magic, version, lengths, layout,
/// bits, XXH3-64 of all before. The checksum finds accidents, not forgery.
Bytes encode(const GoFilter& filter);

/// A valid filter or an Error; accepts exactly what encode() writes.
Result<GoFilter> decode_go_filter(ByteView bytes);

}  // namespace beckon::filters
