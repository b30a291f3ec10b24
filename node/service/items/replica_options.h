// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "base/time.h"

namespace beckon::service {

/// Every limit and period of the records on the ring, in one place.
struct ReplicaOptions {
  std::size_t replicas = 3;  // r: owner and the next r-1
  /// How near a peer must be to be taken for a holder of a key: our view may still count nodes that
  /// are gone, so twice as far as holders are.
  std::size_t near() const { return 2 * replicas + 1; }

  Duration sync_period = std::chrono::seconds(60);     // T_sync, with a jitter of a quarter
  Duration sync_soon = std::chrono::seconds(1);        // after the neighbourhood changed
  Duration catch_up_limit = std::chrono::seconds(10);  // a young node answers reads after this
  Duration expiry_period = std::chrono::seconds(10);
  Duration request_timeout = std::chrono::seconds(3);
  Duration get_patience =
      std::chrono::seconds(2);  // so long a read that nobody answers begins again
  Duration get_pause = std::chrono::milliseconds(200);
  Duration put_deadline =
      std::chrono::seconds(8);  // the owner answers with the copies it has by then
  Duration put_timeout = std::chrono::seconds(10);        // the writer gives up on the owner
  Duration retry_delay = std::chrono::milliseconds(500);  // doubles
  Duration leave_deadline = std::chrono::seconds(10);

  std::size_t max_bytes = 512u << 20;  // of memory, see ItemTable::footprint
  /// Once half of max_bytes is used, what one node put takes no more than this part of it, and what
  /// one holder copied here no more than that: a holder passes on what all put.
  std::size_t writer_parts = 8;
  std::size_t holder_parts = 2;
  double place_burst = 100;  // what one node may put into one mailbox at once
  double place_rate = 100.0 / 3600;
  std::size_t max_pending_bytes = 16u << 20;  // accepted, on their way to the disk
  std::size_t max_put_jobs = 256;
  std::size_t max_client_jobs = 1024;
  std::size_t max_owner_requests = 8;  // per put(), at once
  std::size_t put_attempts = 6;
  std::size_t get_pages = 64;
  std::size_t high_water_marks = 4096;

  double put_rate = 200;  // items per second and peer
  double put_burst = 4000;
  double copy_rate = 5000;  // copies from a peer that can be a holder too; others count as puts
  double copy_burst = 50'000;
  double forgery_cost = 100;  // a record with a wrong signature counts as so many
  double digest_rate = 20;    // comparisons per second and peer, of few items
  double digest_burst = 400;
  double digest_steps = 2000;  // of one comparison count as one more
  double get_rate = 200;
  double get_burst = 4000;
  double chain_rate = 0.5;  // news of predecessors: each may begin a comparison
  double chain_burst = 20;
  double list_rate = 100;  // lists and items asked for, in requests per second and peer
  double list_burst = 2000;
  std::size_t list_visits = 16'384;  // items looked at for one list
  std::size_t rate_peers = 1024;

  std::size_t max_sessions = 4;
  std::size_t max_queued_sessions = 64;
  std::size_t session_share = 1u << 20;  // bytes; then others have their turn
  Duration session_pause = std::chrono::milliseconds(100);
  std::size_t first_parts = 8;    // in which a range is compared, at most
  std::size_t next_parts = 32;    // and each of those that differ
  std::size_t list_at_once = 64;  // parts of at most so many items are listed, not cut again
  std::size_t expiry_batch = 512;
};

}  // namespace beckon::service
