// SPDX-License-Identifier: MIT
#include "bench/sdsl_vectors.h"

#include <sdsl/dac_vector.hpp>
#include <sdsl/vlc_vector.hpp>

namespace beckon::bench {

struct DacVector::Inside {
  sdsl::dac_vector<> vector;
};
struct VlcVector::Inside {
  sdsl::vlc_vector<> vector;
};

DacVector::DacVector(const std::vector<std::uint64_t>& values)
    : inside_(new Inside{sdsl::dac_vector<>(values)}) {}
DacVector::~DacVector() = default;
std::uint64_t DacVector::get(std::uint32_t i) const { return inside_->vector[i]; }
double DacVector::bits() const {
  return 8.0 * static_cast<double>(sdsl::size_in_bytes(inside_->vector));
}

VlcVector::VlcVector(const std::vector<std::uint64_t>& values)
    : inside_(new Inside{sdsl::vlc_vector<>(values)}) {}
VlcVector::~VlcVector() = default;
std::uint64_t VlcVector::get(std::uint32_t i) const { return inside_->vector[i]; }
double VlcVector::bits() const {
  return 8.0 * static_cast<double>(sdsl::size_in_bytes(inside_->vector));
}

}  // namespace beckon::bench
