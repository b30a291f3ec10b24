// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/query/query.h"

namespace beckon::profile {

/// Something in a query's text that cannot be read, and where: bytes from `offset` on.
struct Problem {
  std::size_t offset{};
  std::size_t size{};
  std::string text{};
};

/// What reading a query gave: a query and no problem, or none and at least one problem.
struct QueryReading {
  std::optional<Query> query{};
  std::vector<Problem> problems{};
};

/// The query's text with a line under it for each problem, carets below the place:
///   hobbby=chess age=20-30
///   ^^^^^^ no attribute "hobbby". Close: hobby
///                ^^^^^ a range is written 20..30
std::string picture(std::string_view text, const std::vector<Problem>& problems);

}  // namespace beckon::profile
