// SPDX-License-Identifier: MIT
#include "tests/world/frame_log.h"

#include <cstdlib>
#include <fstream>

#include "base/hash.h"

namespace beckon::test {

void log_frame(Time when, const chord::Frame& frame, const std::string& from) {
  static const char* name = std::getenv("BECKON_FRAMES");
  if (name == nullptr) return;
  static std::ofstream file(name);
  file << when.time_since_epoch().count() << ' ' << from << ' ' << frame.peer.id.brief() << ' '
       << static_cast<int>(frame.type) << ' ' << frame.request << ' ' << std::hex
       << xxh3_64(frame.body, 0) << std::dec << '\n';
}

}  // namespace beckon::test
