// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace beckon::bench {

/// sdsl's static vectors of variable-length integers behind a wall: its headers stay in one file.
class DacVector {
 public:
  explicit DacVector(const std::vector<std::uint64_t>& values);
  ~DacVector();
  std::uint64_t get(std::uint32_t i) const;
  double bits() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

class VlcVector {
 public:
  explicit VlcVector(const std::vector<std::uint64_t>& values);
  ~VlcVector();
  std::uint64_t get(std::uint32_t i) const;
  double bits() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace beckon::bench
