// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "node/service/kernel/kernel.h"
#include "node/service/ring/peer_memory.h"

namespace beckon::service {

/// Whether the node is on the ring, and how it gets on and off it.
///
/// Entering: through the addresses given and the peers remembered; with neither, or when told to
/// create, it founds a ring of one. A node that remembers peers keeps trying: it never founds a
/// second ring because it reaches nobody. (When everybody was restarted at once and all who answer
/// are joining too, the ring itself lets the smallest id begin it anew.)
///
/// Joined means: member of the ring, and those we met are durably remembered.
///
/// Leaving: parts hand over what they keep (bounded by `hand_over`), then the ring says goodbye.
///
/// Expelled: the authority has told everybody to answer us no more. That is for good in this life;
/// what is left to do is to leave, and nobody takes what we keep.
class Membership {
 public:
  enum class State { idle, joining, joined, expelled, leaving, left };
  struct Options {
    Duration remember_gap = std::chrono::seconds(1);  // between two writes of the peers
    Duration hand_over = std::chrono::seconds(10);
    std::size_t troubles = 16;  // failures kept to tell why a node does not join
    std::size_t waiters = 256;  // who wait for the end of joining or leaving; each kind
    Duration longest_wait = std::chrono::minutes(10);
  };
  struct Up {
    std::vector<std::string> join{};
    bool create = false;
  };
  using HandOver = std::function<void(std::function<void(bool complete)> done)>;
  using Settled = std::function<void(State)>;

  Membership(Kernel& kernel, Options options);

  /// Fails when the peers on disk cannot be read and `up` names no other way: who then counted them
  /// as none would found a second ring beside its own.
  static Result<void> check_way_in(const Store& store, const Up& up);

  void enter(const Up& up, RememberedPeers remembered);
  void stay_out(const Error& why);  // instead of entering: the process ends
  void expel();
  void leave();
  void before_leave(HandOver hand_over) { hand_overs_.push_back(std::move(hand_over)); }

  /// Calls back once: at once unless joining; when joined, expelled or leaving, when all addresses
  /// given have failed for `patience`, or when `timeout` or `longest_wait` has run. Returns a
  /// number for stop_waiting; unavailable when too many wait.
  Result<std::uint64_t> when_settled(Duration timeout, Settled done);
  Result<std::uint64_t> when_left(std::function<void()> done);  // at once if that is so
  void stop_waiting(std::uint64_t waiter);                      // it is not called any more

  void on_ring(const chord::Event& event);
  void on_trouble(const std::string& address, const Error& why);  // a dial or handshake failed
  void on_link(const std::string& address) { troubles_.erase(address); }

  State state() const { return state_; }
  bool founded() const { return founded_; }  // this life began a ring of its own
  bool had_peers() const { return had_peers_; }
  bool handed_over() const { return handed_over_; }  // once left: all of it, to those beside us
  std::size_t remembered() const { return durable_peers_; }  // peers a restart would find
  const std::map<std::string, Error>& troubles() const { return troubles_; }

 private:
  void set_state(State state);
  void joined();
  void remember(const RememberedPeers& peers, std::function<void()> then);
  void remember_soon();
  void say_goodbye();
  void settle_waiters();
  void give_up_waiting(std::uint64_t waiter);
  bool nobody_answers() const;

  Kernel& kernel_;
  Options options_;
  State state_ = State::idle;
  Up up_{};
  RememberedPeers remembered_{};
  bool founded_ = false;
  bool had_peers_ = false;
  Timer remember_{};
  std::size_t durable_peers_ = 0;
  std::size_t handing_over_ = 0;
  bool handed_over_ = false;
  std::vector<HandOver> hand_overs_{};
  struct Waiter {
    Settled done{};
    Timer until{};
  };
  std::map<std::uint64_t, Waiter> waiters_{};
  std::map<std::uint64_t, std::function<void()>> left_waiters_{};
  std::uint64_t last_waiter_ = 0;
  Timer patience_{};
  std::map<std::string, Error> troubles_{};  // by address
};

const char* to_text(Membership::State state);  // joining, joined, leaving ...

}  // namespace beckon::service
