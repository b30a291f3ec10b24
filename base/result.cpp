// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace beckon {

void ensure_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "beckon: bug at %s:%d: expected %s\n", file, line, condition);
  std::abort();
}

}  // namespace beckon
