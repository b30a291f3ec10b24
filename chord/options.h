// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "base/time.h"

namespace beckon::chord {

/// Every number of the ring protocol, each with the unit in its type. Defaults suit overlays of ten
/// to a few thousand peers.
struct Options {
  std::size_t list_length = 16;  // L: keeps the ring whole while L-1 neighbours die at once
  bool fingers = true;           // off: lookups walk successor lists; slower, equally right

  Duration stabilize_every = std::chrono::seconds(5);  // +-25 %
  Duration probe_every = std::chrono::seconds(15);     // +-50 %
  Duration finger_every = std::chrono::seconds(10);    // one finger each
  Duration remember_every = std::chrono::seconds(60);

  Duration first_timeout = std::chrono::seconds(1);  // no estimate yet, or a link to be made first
  Duration rto_min = std::chrono::milliseconds(250);
  Duration rto_max = std::chrono::seconds(5);
  int dead_after = 2;  // expiries or failed dials in a row

  std::size_t lookup_contacts = 64;
  Duration lookup_time = std::chrono::seconds(15);
  std::size_t lookup_parallel = 3;    // asked at once after the first expiry
  std::size_t lookups_at_once = 256;  // more are refused
  // Nobody who could own the key answered: the tables are being mended, so look again after this.
  Duration lookup_again = std::chrono::milliseconds(500);
  Duration cache_time = std::chrono::seconds(120);
  std::size_t cache_arcs = 1024;

  Duration join_retry_min = std::chrono::seconds(1);
  Duration join_retry_max = std::chrono::seconds(60);
  Duration found_again_after = std::chrono::seconds(20);  // of meeting only others who join too
  int found_again_turns = 4;  // as much again for each with a smaller id, up to so many
  Duration leave_wait = std::chrono::seconds(2);
  std::size_t dials_at_once = 16;  // of addresses whose id is not known yet
  int recover_peers = 8;
  int candidate_chain = 4;

  std::size_t known_peers = 256;
  std::size_t passive_peers = 64;
  Duration passive_retry_min = std::chrono::seconds(15);
  Duration passive_retry_max = std::chrono::seconds(960);
  Duration passive_forget = std::chrono::hours(7 * 24);
  std::size_t tracked_peers = 1024;  // round trips, epochs and rates are kept for so many
  Duration epoch_memory = std::chrono::seconds(60);  // of a life whose links have ended
  // Of requests that expire or grow slow in one tick; more wait for the next, at once. Each may
  // make a lookup ask `lookup_parallel` others, and a step sends at most 64 frames.
  std::size_t expiries_per_tick = 8;
  std::size_t open_requests = 2048;
  std::size_t farewells = 48;  // peers told that we leave: neighbours first, then who notified us

  // Requests per second and peer; bursts of twice as many. A busy node makes a thousand lookups a
  // second, each of which ends in a STATE_REQ: refusing those would make lookups pass by the owner.
  double state_rate = 2000;
  double notify_rate = 10;
  double next_rate = 2000;
  double ping_rate = 5;

  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace beckon::chord
