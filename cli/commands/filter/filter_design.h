// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "filters/design/go_design.h"

namespace beckon::cli {

/// The flags of `beckon filter design`, as typed, so that every refusal can name its flag.
struct DesignArgs {
  std::string bits{};
  std::string k{};
  std::vector<std::string> attributes{};
  std::string text{};
  std::string method = "best";
  std::vector<std::string> queries{};
};

struct DesignRequest {
  struct Attribute {
    std::string name{};
    std::int64_t low = 0;
    std::int64_t high = 0;
  };
  std::vector<Attribute> attributes{};  // as many as load.ranges, same order
  filters::Load load{};
  filters::DesignOptions options{};
  std::string method{};
};

Result<DesignRequest> read_design(const DesignArgs& args);

}  // namespace beckon::cli
