// SPDX-License-Identifier: MIT
#include "chord/joining.h"

#include <algorithm>

#include "chord/rounds.h"

namespace beckon::chord {

void Joining::begin(bool was_member, Time now) {
  was_member_ = was_member;
  since_ = next_ = now;
}

void Joining::heard(const Id& peer, Mode mode, Time now) {
  if (mode == Mode::member) since_ = now;  // there is a ring; patience
  if (mode != Mode::joining) return;
  joining_too_.touch(peer) = now;
}

void Joining::tried(Time now, Rng& rng) {
  next_ = now + jittered(wait_, 0.25, rng);
  // When all join, soon somebody must notice that nobody is a member, and then that somebody is.
  bool all_join = was_member_ && !joining_too_.empty();
  wait_ = std::min(2 * wait_, all_join ? options_.found_again_after / 4 : options_.join_retry_max);
}

void Joining::try_soon(Time now, Rng& rng) {
  next_ = now + jittered(std::chrono::milliseconds(750), 1.0 / 3, rng);
}

bool Joining::must_found_again(const Id& self, Time now) const {
  Time since = now - 2 * options_.found_again_after - wait_;
  int fresh = 0, smaller = 0;
  joining_too_.each([&](const Id& id, Time heard) {
    if (heard < since) return;
    ++fresh;
    smaller += id < self ? 1 : 0;
  });
  auto turns = 1 + std::min(smaller, options_.found_again_turns);
  return was_member_ && fresh > 0 && since_ + turns * options_.found_again_after <= now;
}

}  // namespace beckon::chord
