// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "filters/go/go_filter.h"

namespace beckon::cli {

/// What `filter inspect` shows of a filter: its layout, fill and bits drawn, and what a published
/// value of each attribute costs. Used by whoever has a filter, from a file or a profile.
std::string inspect_text(const filters::GoFilter& filter);
std::string inspect_json(const filters::GoFilter& filter);

/// The bits as rows of Braille dots, eight bits a character: a picture, and exact.
std::string draw_bits(const filters::BitArray& bits, std::size_t bits_per_row = 512);

}  // namespace beckon::cli
