// SPDX-License-Identifier: MIT
#include "node/service/kernel/frames.h"

namespace beckon::service {

Bytes encode(ErrorBody body) {
  if (body.text.size() > 255) body.text.resize(255);
  while (!is_utf8(body.text)) body.text.pop_back();  // do not cut inside a character
  return beckon::encode(body);
}

}  // namespace beckon::service
