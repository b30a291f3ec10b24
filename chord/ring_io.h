// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "chord/frame.h"
#include "chord/message.h"

namespace beckon::chord {

// ---- what a node can be told

/// A new overlay of one. Only ever by explicit wish: a node that merely finds nobody keeps trying.
struct Create {};

/// Into the ring behind these, whichever answers; retried for ever, backing off to a minute.
struct Join {
  std::vector<std::string> seeds{};   // "host:port", ids unknown until the handshake
  std::vector<PeerRef> remembered{};  // from PeersToRemember of an earlier life
  std::vector<PeerRef> passive{};
};

struct BeginLeave {
};  // mode leaving: nobody adopts us; we still answer while records are handed over
struct LeaveNow {};  // says goodbye; mode left when neighbours have acknowledged or 2 s have passed

/// How much a cached answer is worth: `cached` takes it as it is (0 requests, may be stale),
/// `verified` asks the owner whether it still holds (1 request), `routed` ignores the cache.
enum class Freshness : std::uint8_t { cached, verified, routed };

struct FindOwner {
  std::uint64_t tag{};  // comes back in LookupDone
  Id key{};
  Freshness freshness = Freshness::verified;
  friend bool operator==(const FindOwner&, const FindOwner&) = default;
};

struct PingPeer {
  std::uint64_t tag{};
  PeerRef peer{};
};

/// Begins as a member with the pointers given. For tests and benches that want an arbitrary start;
/// a real node never trusts pointers of an earlier life.
struct Assume {
  std::optional<PeerRef> predecessor{};
  std::vector<PeerRef> successors{};
  std::vector<PeerRef> known{};
};

using Command = std::variant<Create, Join, BeginLeave, LeaveNow, FindOwner, PingPeer, Assume>;

// ---- what a node tells

struct ModeChanged {
  Mode from{};
  Mode to{};
};

struct PredecessorChanged {
  std::optional<PeerRef> from{};
  std::optional<PeerRef> to{};
};

struct SuccessorsChanged {
  std::vector<PeerRef> from{};
  std::vector<PeerRef> to{};
};

enum class LookupOutcome : std::uint8_t { found, timed_out, ring_unreachable };

/// The end of a FindOwner; exactly one for each.
struct LookupDone {
  std::uint64_t tag{};
  Id key{};
  LookupOutcome outcome{};
  PeerRef owner{};                    // may be ourselves
  PeerRef predecessor{};              // the peer whose list named the owner
  std::vector<PeerRef> successors{};  // the owner's own list
  std::size_t contacts{};             // requests it took
  Duration took{};
  std::vector<Id> path{};  // peers that answered, in order
  bool from_cache = false;
};

struct PingDone {
  std::uint64_t tag{};
  PeerRef peer{};
  std::optional<Duration> round_trip{};  // none: silence, or
  bool busy = false;                     // it is there, but was asked too often
};

/// To be stored, replacing what was stored before, and given back in Join after a restart.
struct PeersToRemember {
  std::vector<PeerRef> known{};
  std::vector<PeerRef> passive{};
};

/// A live process with our key and a higher epoch exists; this one is in mode left.
struct Superseded {};

using Event = std::variant<ModeChanged, PredecessorChanged, SuccessorsChanged, LookupDone, PingDone,
                           PeersToRemember, Superseded>;

/// What the driver is to do. A frame to a peer without a link means: dial its address first,
/// expecting its id. Every list is bounded per call.
struct Output {
  std::vector<Frame> send{};
  std::vector<std::string> dial{};  // addresses whose id is not known yet
  std::vector<Id> close{};          // links to drop
  std::vector<Event> events{};
  std::vector<LogLine> log{};
  Time wake_at = Time::max();  // call tick() then, at the latest
};

/// A handshake is done: the id is proved, the epoch is what its HELLO said.
struct LinkUp {
  PeerRef peer{};  // address: where it listens, as it says
  std::uint64_t epoch{};
  std::string dialled{};  // the address we dialled, if we did
};

}  // namespace beckon::chord
