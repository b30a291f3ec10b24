// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "base/hash.h"

namespace beckon {

/// Secrets for code that may not reach for entropy itself: a hash generator (SHA-256, the key
/// replaced after every draw, so what was drawn stays secret if the state leaks later). The daemon
/// seeds it with 32 bytes of real entropy, the simulator with its seed.
class SecretRng {
 public:
  using Secret = std::array<std::uint8_t, 32>;

  explicit SecretRng(const Secret& entropy) : key_(entropy) {}
  Secret next();

 private:
  Secret key_;
};

}  // namespace beckon
