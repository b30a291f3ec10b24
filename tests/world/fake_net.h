// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/rng.h"
#include "base/secret_rng.h"
#include "node/service/kernel/context.h"
#include "tests/world/memory_store.h"

namespace beckon::test {

class FakeNet;

/// One node of a FakeNet: the service::Context that components under test see, and the disk that
/// survives their crashes. Components register what they answer; a frame nobody answers is refused.
class FakeNode final : public service::Context {
 public:
  using Handler = std::function<void(const service::Request&)>;

  void on(std::uint8_t type, Handler handler) { handlers_[type] = std::move(handler); }
  void on_ring_change(std::function<void()> action) { on_ring_change_ = std::move(action); }

  /// What boot() made for this life; null while the node is down.
  template <typename T>
  T& component() {
    ENSURE(component_);
    return *static_cast<T*>(component_.get());
  }
  bool up() const { return component_ != nullptr; }
  std::size_t timers() const { return timers_.size(); }  // set and not yet due
  service::MemoryStore& disk() { return disk_; }
  Duration clock_skew{};  // of the wall clock
  std::vector<LogLine> logged{};
  std::vector<service::Event> events{};

  Now now() const override;
  Rng& rng() override { return rng_; }
  SecretRng& secrets() override { return secrets_; }
  const service::PeerRef& self() const override { return self_; }
  std::optional<service::PeerRef> predecessor() const override;
  std::vector<service::PeerRef> successors() const override;
  void lookup(const service::Id& key, OwnerDone done) override;
  void recall(const service::Id& key, OwnerDone done) override;
  bool linked(const service::Id& peer) const override;  // it runs and can be reached
  void ask(const service::PeerRef& to, std::uint8_t type, Bytes body, Duration timeout,
           ReplyDone done) override;
  void reply(const service::Request& request, std::uint8_t type, Bytes body) override;
  void refuse(const service::Request& request, const Error& error) override;
  void write(std::vector<service::Mutation> mutations, WriteDone done) override;
  const service::Store& store() const override { return disk_; }
  void emit(service::Event event) override { events.push_back(std::move(event)); }
  void log(LogLevel level, std::string text, LogFields fields = {}) override;

  FakeNode(FakeNet& net, service::Id id, Rng rng);

 private:
  friend class FakeNet;
  service::TimerId set_timer(Duration delay, std::function<void()> action) override;
  void cancel_timer(service::TimerId id) override { timers_.cancel(id); }
  bool timer_waits(service::TimerId id) const override { return timers_.waits(id); }
  std::size_t place() const;  // in view_

  FakeNet& net_;
  service::PeerRef self_;
  Rng rng_;
  SecretRng secrets_;
  service::MemoryStore disk_{};
  service::Timers timers_{65536};      // before the component, whose end cancels some
  std::shared_ptr<void> component_{};  // shared_ptr: it remembers how to destroy what it forgot
  std::map<std::uint8_t, Handler> handlers_{};
  std::function<void()> on_ring_change_{};
  std::map<std::uint64_t, ReplyDone> asked_{};
  std::map<service::Id, std::pair<service::Owner, Time>> recalled_{};  // by key
  std::vector<service::PeerRef> view_{};  // the ring as this node sees it, self included, sorted
  std::uint64_t life_ = 0;
  Time disk_free_{};  // writes complete in order
  int group_ = 0;     // nodes of different groups cannot reach each other
};

/// A small world for components that talk through service::Context: one event queue in virtual
/// time, one seed, a ring that is simply known. Same seed and same calls, same history.
///
/// The ring is perfect but for a delay: after a node starts, crashes or is cut off, each node sees
/// it after its own random part of `detect`. Requests to the dead and to other groups are lost.
///
/// sim::World cannot serve here: it runs whole processes that build their ring themselves. A test
/// of one component sets the ring, the moment it is known and the loss of single requests, and a
/// failure is then the component's. So there are two worlds: this one below service::Context, and
/// sim::World below the driver.
class FakeNet {
 public:
  struct Options {
    Duration min_delay = std::chrono::milliseconds(1);
    Duration max_delay = std::chrono::milliseconds(20);
    Duration min_write = std::chrono::microseconds(100);
    Duration max_write = std::chrono::milliseconds(5);
    Duration detect{};  // zero: everybody knows at once
    double loss = 0;    // of each request and each reply
    double twice = 0;   // share of them that arrive two times
    std::size_t successors = 16;
    Duration recall = std::chrono::seconds(120);  // how long an owner is remembered
  };
  /// Makes the components of a node, registers their handlers and starts them.
  using Boot = std::function<std::shared_ptr<void>(FakeNode&)>;

  FakeNet(std::uint64_t seed, Options options, Boot boot);

  FakeNode& add(const service::Id& id);  // down, with an empty disk
  FakeNode& add();                       // somewhere on the ring
  void start(const service::Id& id);
  void crash(const service::Id& id);  // keeps the disk; disk().wipe() loses it
  void partition(const std::vector<std::set<service::Id>>& groups);  // others form one more group
  void heal() { partition({}); }

  FakeNode& node(const service::Id& id) { return *nodes_.at(id); }
  std::vector<service::Id> ids() const;   // all
  std::vector<service::Id> live() const;  // those that are up, in ring order

  void run_for(Duration time);
  bool run_until(const std::function<bool()>& condition, Duration limit);

  /// Who is responsible in truth: the first `count` live nodes at or after the key.
  std::vector<service::Id> true_replicas(const service::Id& key, std::size_t count) const;

  /// A frame that `from` never meant to send: lies and replays.
  void inject(const service::Id& from, const service::Id& to, std::uint8_t type, Bytes body);
  std::function<void(const service::Id& from, const service::Id& to, std::uint8_t type,
                     const Bytes& body)>
      tap{};  // sees every frame sent

  Options& options() { return options_; }
  Rng& rng() { return rng_; }
  Time time() const { return time_; }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  friend class FakeNode;
  struct Happening {
    service::Id node{};
    std::uint64_t life{};
    std::function<void()> action{};
  };

  void at(Time when, FakeNode& node, std::function<void()> action);
  void carry(FakeNode& from, const service::Id& to, std::uint8_t type, const Bytes& body,
             std::function<void(FakeNode&)> arrive);
  void deliver(FakeNode& to, service::Request request);
  void members_changed();
  void see(FakeNode& node);
  bool step(Time until);
  Duration some(Duration low, Duration high);

  Options options_;
  Boot boot_;
  Rng rng_;
  Time time_{};
  std::uint64_t happened_ = 0;
  std::uint64_t request_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t bytes_ = 0;
  std::map<std::pair<Time, std::uint64_t>, Happening> queue_{};
  std::map<service::Id, std::unique_ptr<FakeNode>> nodes_{};
};

}  // namespace beckon::test
