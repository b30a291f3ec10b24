// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "chord/farewell.h"
#include "chord/finger_table.h"
#include "chord/frame.h"
#include "chord/joining.h"
#include "chord/links.h"
#include "chord/lookups.h"
#include "chord/maintenance.h"
#include "chord/peer_book.h"
#include "chord/rates.h"
#include "chord/requests.h"
#include "chord/ring_io.h"
#include "chord/round_trips.h"
#include "chord/rounds.h"

namespace beckon::chord {

/// What the checks of the simulator need to see of a node.
struct Snapshot {
  Id id{};
  Mode mode{};
  std::vector<Id> successors{};
  std::optional<Id> predecessor{};
  bool operation_open = false;
  std::vector<std::vector<Id>> lists_to_adopt{};  // what a join under way might take over
};

/// This node in the ring: maintenance, lookups and time-outs around the ring pointers of
/// Maintenance. Pure: no clock, no socket, no pointer; a value that can be copied and compared.
///
/// The driver owes it: frames only from peers whose handshake it reported by link_up, in order per
/// link; link_down or unreachable when a link or a dial ends; tick no later than wake_at. Monotonic
/// time only; a wall clock that jumps changes nothing. It sends each frame once and makes a link
/// where there is none. Operations begin in tick; everything else only completes them (Rule W).
class RingNode {
 public:
  /// `epoch`: stored durably and raised by one before this life began.
  RingNode(const Options& options, PeerRef self, std::uint64_t epoch, Rng rng);

  [[nodiscard]] Output start(const Command& command, Now now);
  [[nodiscard]] Output receive(const Frame& frame, Now now);  // ring types (< 0x20) only
  [[nodiscard]] Output link_up(const LinkUp& link, Now now);
  [[nodiscard]] Output link_down(const Id& peer, Now now);
  [[nodiscard]] Output unreachable(const PeerRef& peer, Now now);         // a dial failed
  [[nodiscard]] Output unreachable(const std::string& address, Now now);  // of Output::dial
  /// That peer refused our dial: it says that it is linked to a later process with our key, at this
  /// address. Hearsay: we look there, and only who proves to have our key (link_up) ends us.
  [[nodiscard]] Output refused_as_older(const PeerRef& by, const std::string& later_at, Now now);
  [[nodiscard]] Output tick(Now now);

  // -- questions
  const Options& options() const { return options_; }
  const PeerRef& self() const { return maintenance_.self(); }
  std::uint64_t epoch() const { return epoch_; }
  Mode mode() const { return maintenance_.mode(); }
  const std::optional<PeerRef>& predecessor() const { return maintenance_.predecessor(); }
  const std::vector<PeerRef>& successors() const { return maintenance_.successors().entries(); }
  const std::map<int, PeerRef>& fingers() const { return fingers_.all(); }
  std::vector<PeerRef> known() const { return book_.known(); }
  std::vector<PeerRef> passive() const { return book_.passive(); }
  /// Every distinct peer of the tables: for lists and maps of the neighbourhood.
  std::vector<PeerRef> neighbours() const;
  const std::map<Id, std::uint64_t>& linked() const { return links_.all(); }  // and in which epoch

  /// The time-out for the next request to a peer; services use it for their own requests too.
  Duration rto(const Id& peer) const { return trips_.rto(peer); }
  std::optional<Duration> round_trip(const Id& peer) const { return trips_.smoothed(peer); }
  bool dead(const Id& peer) const { return trips_.dead(peer); }
  bool suspected(const Id& peer) const { return trips_.suspected(peer); }
  /// How many peers the ring has, judged by how dense our successor list is; 1 when alone.
  double size_estimate() const;
  /// Alone although others are remembered: answers may miss what the rest of the ring knows.
  bool degraded() const;

  bool operation_open() const { return maintenance_.busy(); }
  std::uint64_t unknown_messages() const { return unknown_; }  // that came so far
  std::size_t open_requests() const { return requests_.all().size(); }
  /// For checks: something waits for an answer, and no request is under way that could bring it.
  bool waits_in_vain() const;
  Snapshot snapshot() const;

  friend bool operator==(const RingNode&, const RingNode&) = default;

 private:
  using OpenRequest = Requests::Pending;

  // commands
  void on(const Create&, Output& out);
  void on(const Join&, Output& out);
  void on(const BeginLeave&, Output& out);
  void on(const LeaveNow&, Output& out);
  void on(const FindOwner&, Output& out);
  void on(const PingPeer&, Output& out);
  void on(const Assume&, Output& out);

  // messages
  void on(const Frame& frame, const StateRequest&, Output& out);
  void on(const Frame& frame, const StateReply&, Output& out);
  void on(const Frame& frame, const Notify&, Output& out);
  void on(const Frame& frame, const NextRequest&, Output& out);
  void on(const Frame& frame, const NextReply&, Output& out);
  void on(const Frame& frame, const Ping&, Output& out);
  void on(const Frame& frame, const Pong&, Output& out);
  void on(const Frame& frame, const Leave&, Output& out);
  void on(const Frame& frame, const LeaveAck&, Output& out);
  void on(const Frame& frame, const ErrorReply&, Output& out);

  void pass_over(const Frame& frame, Output& out);

  // requests
  void ask(const PeerRef& peer, const Message& message, const Purpose& purpose, Output& out,
           int attempt = 1, Time first_sent = Time::min());
  std::optional<OpenRequest> answered(const Frame& frame, MessageType asked, Output& out);
  void request_failed(const OpenRequest& request, Output& out);
  bool ask_again(const OpenRequest& request, Output& out);
  void give_up(const OpenRequest& request, Maintenance::Failure failure, Output& out);
  void pong(const OpenRequest& request, Mode mode, Output& out);
  void send(const PeerRef& to, const Message& message, std::uint64_t request, Output& out);

  // timers
  void stabilize(Output& out);
  std::optional<PeerRef> nearest_met() const;
  bool ask_nearest_met(Output& out);
  void check_predecessor(Output& out);
  void check_list_entry(Output& out);
  void refresh_finger(Output& out);
  void probe(Output& out);
  void probe_through(const PeerRef& peer, Output& out);
  void recover(Output& out);
  void try_join(Output& out);
  void expire(Output& out);
  void remember(Output& out);

  // lookups
  Lookups::View view() const { return {maintenance_, fingers_, now_.mono}; }
  void obey(Lookups::Effects effects, Output& out);
  void found(const Lookups::Ended& ended, Output& out);

  // links and pointers
  void obey(const Maintenance::Effects& effects, Output& out);
  void tell_changes(Output& out);
  void now_dead(const PeerRef& peer);
  void tell_dead(const PeerRef& peer, bool was_dead, const char* why, Output& out) const;
  void heard(const PeerRef& peer, Output& out);
  void refuse_older_life(const PeerRef& peer, Output& out);
  void meet_own_key(std::uint64_t epoch, const Id& link, Output& out);
  void leave_ring(Output& out);
  Output finished(Output out);
  void become_member();
  void lose_link(const Id& peer);
  Duration timeout(const Id& peer) const;
  Time next_wake() const;

  Options options_;
  std::uint64_t epoch_;
  Rng rng_;
  Now now_{};  // of the call under way
  Maintenance maintenance_;
  RoundTrips trips_;
  Requests requests_;
  FingerTable fingers_;
  PeerBook book_;
  Lookups lookups_;
  Rates rates_;
  Links links_;
  Rounds rounds_;
  Joining joining_;
  Farewell farewell_;

  std::string later_at_{};   // where a later process with our key is said to be
  std::uint64_t unknown_{};  // messages of later versions so far
  bool asked_met_ = false;   // the last time we looked for it, not an operation of the usual kind

  struct Told {  // what events have reported so far
    Mode mode{};
    std::optional<PeerRef> predecessor{};
    std::vector<PeerRef> successors{};
    friend bool operator==(const Told&, const Told&) = default;
  };
  Told told_{};
};

}  // namespace beckon::chord
