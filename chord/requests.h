#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "chord/peer_ref.h"

namespace beckon::chord {

/// Requests under way: each is answered, given up or expired exactly once. `tag` and `attempt` are
/// the asker's own business. Used by the ring and by services, whose numbers differ in the top bit
/// (message.h). Holds at most `limit`.
class Requests {
 public:
  struct Pending {
    PeerRef peer{};
    std::uint8_t type{};
    std::uint64_t tag{};
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
