// SPDX-License-Identifier: MIT
#include "base/secret_rng.h"

namespace beckon {

SecretRng::Secret SecretRng::next() {
  static constexpr std::uint8_t output[] = {'o'};
  static constexpr std::uint8_t following[] = {'k'};
  Secret out = sha256({key_, output});
  key_ = sha256({key_, following});
  return out;
}

}  // namespace beckon
