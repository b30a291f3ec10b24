// SPDX-License-Identifier: MIT
#pragma once

#include <deque>

#include "chord/ring_node.h"
#include "node/service/kernel/context.h"
#include "node/service/kernel/frames.h"
#include "node/service/kernel/gate.h"
#include "node/service/kernel/histogram.h"
#include "node/service/kernel/rpc.h"

namespace beckon::service {

/// Where chance comes from: entropy of the system in the daemon, the run's seed in the simulator.
struct Seeds {
  std::uint64_t chance{};                  // jitter, choice of peers
  std::array<std::uint8_t, 32> secrets{};  // keys and nonces
};

/// Writes under way: the driver commits `mutations`, all or none, in order of tokens, and says so.
struct Write {
  std::uint64_t token{};
  std::vector<Mutation> mutations{};
};

/// The Context of every part of the service: requests in flight, timers, writes and the ring peer
/// behind one face. Between begin() and end() it belongs to one input; continuations that fall due
/// wait in a queue and run in settle(), so none runs inside the call that was given it.
class Kernel final : public Context {
 public:
  struct Options {
    chord::Options ring{};
    Rpc::Options rpc{};
    Inbound::Options inbound{};
    // Of one peer, whatever it asks; services have tighter limits of their own.
    RateLimit::Options requests{.per_second = 4000, .burst = 8000, .peers = 1024};
    std::size_t max_timers = 65536;
    std::size_t max_writes = 16384;
    std::size_t work_per_step = 4096;  // continuations in one step; the rest goes into the next
    Duration least_timeout = std::chrono::seconds(1);
    Duration greatest_timeout = std::chrono::seconds(30);
  };
  using Handler = std::function<void(const Request&)>;
  using TraceDone = std::function<void(const chord::LookupDone&)>;
  using PingDone = std::function<void(const chord::PingDone&)>;

  Kernel(const Options& options, PeerRef self, std::uint64_t epoch, const Store& store,
         const Seeds& seeds);

  // -- Context
  Now now() const override { return now_; }
  Rng& rng() override { return rng_; }
  SecretRng& secrets() override { return secrets_; }
  const PeerRef& self() const override { return ring_.self(); }
  std::optional<PeerRef> predecessor() const override { return ring_.predecessor(); }
  std::vector<PeerRef> successors() const override { return ring_.successors(); }
  void lookup(const Id& key, OwnerDone done) override;
  void recall(const Id& key, OwnerDone done) override;
  bool linked(const Id& peer) const override { return ring_.linked().contains(peer); }
  /// A time-out of zero is computed from the ring's round trips to that peer.
  void ask(const PeerRef& to, std::uint8_t type, Bytes body, Duration timeout,
           ReplyDone done) override;
  void reply(const Request& request, std::uint8_t type, Bytes body) override;
  void refuse(const Request& request, const Error& error) override;
  void write(std::vector<Mutation> mutations, WriteDone done) override;
  const Store& store() const override { return store_; }
  void emit(Event event) override { events_.push_back(std::move(event)); }
  void log(LogLevel level, std::string text, LogFields fields = {}) override {
    log_.push_back({level, std::move(text), std::move(fields)});
  }

  // -- beyond what parts may do
  void serve(std::uint8_t type, Handler handler);  // one per request type
  void trace(const Id& key, chord::Freshness freshness, TraceDone done);
  void ping(const PeerRef& peer, PingDone done);
  void tell_ring(const chord::Command& command);
  const chord::RingNode& ring() const { return ring_; }

  // -- for the service, which turns inputs into these
  void begin(Now now);
  void receive(Frame frame);
  void link_up(const chord::LinkUp& link);
  void link_down(const Id& peer);
  void unreachable(const PeerRef& peer);
  /// It says that it is linked to a later process with our key, at this address.
  void refused_as_older(const PeerRef& by, const std::string& later_at);
  void written(std::uint64_t token, Result<void> result);
  void tick();
  void settle();  // runs what has become due
  Time wake_at() const;

  std::vector<chord::Event> take_ring_events() { return std::exchange(ring_events_, {}); }
  std::vector<Event> take_events() { return std::exchange(events_, {}); }
  struct Sent {
    std::vector<Frame> send{};
    std::vector<std::string> dial{};
    std::vector<Id> close{};
    std::vector<Write> writes{};
    std::vector<LogLine> log{};
  };
  Sent take();

  struct Counters {
    std::uint64_t asked{}, answered{}, failed{}, expired{}, served{}, refused{};
    std::uint64_t lookups{}, lookups_failed{}, lookup_contacts{}, writes{}, writes_failed{};
    std::uint64_t timers_refused{}, unknown{};
  };
  const Counters& counters() const { return counters_; }
  const Histogram& reply_times() const { return reply_times_; }  // of other peers
  std::size_t open_requests() const { return rpc_.size(); }

 private:
  TimerId set_timer(Duration delay, Timers::Action action) override;
  void cancel_timer(TimerId id) override { timers_.cancel(id); }
  bool timer_waits(TimerId id) const override { return timers_.waits(id); }
  void run_timer(TimerId id);
  void feed(chord::Output output);
  void watch_clocks(const Now& now);
  void defer(std::function<void()> action) { ready_.push_back(std::move(action)); }
  void complete(Rpc::Done done, Result<Frame> result);
  void receive_reply(Frame frame);
  void receive_request(Frame frame);
  void fail_all(std::vector<Rpc::Done> waiting, const Error& error);
  void send_error(const PeerRef& to, std::uint64_t number, Status status, const std::string& text);
  void deliver(Frame frame);
  Duration timeout_for(const Id& peer, Duration asked) const;

  Options options_;
  const Store& store_;
  Rng rng_;
  SecretRng secrets_;
  Now now_{};
  chord::RingNode ring_;
  Time ring_wake_ = Time::max();
  Rpc rpc_;
  Inbound inbound_;
  Gate request_gate_;
  std::map<std::uint8_t, Handler> handlers_{};
  std::map<std::uint64_t, TraceDone> traces_{};
  std::map<std::uint64_t, PingDone> pings_{};
  std::map<std::uint64_t, WriteDone> writes_{};
  Timers timers_;
  std::uint64_t last_tag_ = 0;  // names traces, pings and writes alike
  std::deque<std::function<void()>> ready_{};
  std::vector<chord::Event> ring_events_{};
  std::vector<Event> events_{};
  std::vector<LogLine> log_{};
  Sent sent_{};
  std::vector<Frame> to_self_{};
  Counters counters_{};
  Histogram reply_times_{};
};

}  // namespace beckon::service
