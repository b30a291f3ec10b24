// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "chord/peer_ref.h"

namespace beckon::chord {

/// What a request is for. `number` names the lookup it belongs to, or is the tag of a PingPeer.
struct Purpose {
  enum Kind : std::uint8_t {
    operation,  // of Maintenance
    rectify,
    flush,
    check_entry,
    lookup_next,
    lookup_state,
    verify,
    user_ping,
    leave
  };
  Kind kind{};
  std::uint64_t number{};

  bool of_lookup() const { return kind == lookup_next || kind == lookup_state; }
  bool of_pointers() const { return kind == operation || kind == rectify || kind == flush; }
  friend bool operator==(const Purpose&, const Purpose&) = default;
};

/// Requests of the ring under way: each is answered, given up or expired exactly once. Holds at
/// most `limit`; a number is never used again.
class Requests {
 public:
  struct Pending {
    PeerRef peer{};
    std::uint8_t type{};
    Purpose purpose{};
    int attempt = 1;
    bool link_lost = false;  // while it waited
    Time first_sent{};
    Time sent{};  // restarts when the link comes up, so that dialling is not taken for a round trip
    Time expires{};
    friend bool operator==(const Pending&, const Pending&) = default;
  };
  using Numbered = std::pair<std::uint64_t, Pending>;

  Requests(std::uint64_t first_number, std::size_t limit) : next_(first_number), limit_(limit) {}

  /// The number for the frame; none when too many are under way.
  std::optional<std::uint64_t> add(Pending pending);
  /// The request a reply answers, if it comes from the peer that was asked.
  std::optional<Pending> take(std::uint64_t number, const Id& from);
  std::vector<Numbered> take_expired(Time now, std::size_t most);
  void expire_all_to(const Id& peer, Time now);  // found by the next take_expired
  void link_lost(const Id& peer, Time now);      // the same, and why
  void restart_clock(const Id& peer, Time now, Duration timeout);

  const std::map<std::uint64_t, Pending>& all() const { return pending_; }
  Time next_expiry() const;

  friend bool operator==(const Requests&, const Requests&) = default;

 private:
  std::uint64_t next_;
  std::size_t limit_;
  std::map<std::uint64_t, Pending> pending_{};
};

}  // namespace beckon::chord
