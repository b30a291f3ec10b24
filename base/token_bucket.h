// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "base/time.h"

namespace beckon {

/// Tokens come in at a steady rate until `burst` of them wait; work takes them out. It starts full.
class TokenBucket {
 public:
  struct Rate {
    double per_second{};
    double burst{};
  };

  TokenBucket() = default;  // to be assigned
  TokenBucket(const Rate& rate, Time now) : tokens_(rate.burst), filled_(now) {}

  double fill(const Rate& rate, Time now) {  // what is there now
    double passed = std::chrono::duration<double>(now - filled_).count();
    filled_ = now;
    return tokens_ = std::min(rate.burst, tokens_ + passed * rate.per_second);
  }
  bool take(double amount) {  // after fill()
    if (tokens_ < amount) return false;
    tokens_ -= amount;
    return true;
  }
  /// Takes what may not be there: a debt, but never of more than a full bucket.
  void charge(const Rate& rate, double amount) {
    tokens_ = std::max(-rate.burst, tokens_ - amount);
  }

  friend bool operator==(const TokenBucket&, const TokenBucket&) = default;

 private:
  double tokens_ = 0;
  Time filled_{};
};

}  // namespace beckon
