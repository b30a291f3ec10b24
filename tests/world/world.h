// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/world/network.h"
#include "tests/world/process.h"

namespace beckon::sim {

/// Something due at a moment. One flat type: the queue of the world holds nothing else.
struct Event {
  enum class Kind : std::uint8_t {
    wake,         // a process asked to be called
    deliver,      // a frame arrives
    handshake,    // a dial reaches its host
    up,           // the other side of a dial learns that the link is up
    down,         // a link is found broken
    unreachable,  // a dial failed
    no_address,   // a dial by address failed
    refused,      // a dial failed because the other side knows a later process with our key
    command,      // a person asks a process for something
  };
  Kind kind{};
  HostNumber host{};   // who is concerned
  HostNumber other{};  // the far end, if any
  std::uint64_t link{};
  std::uint64_t life{};  // of `host`: an event of an earlier life is void
  Frame frame{};
  std::string dialled{};
};

enum class CrashKind : std::uint8_t { refuses, silent };  // the host resets links, or is gone too

/// One host and what runs on it.
struct Host {
  PeerRef self{};
  std::unique_ptr<Disk> disk{};
  std::unique_ptr<Process> process{};  // null while down
  chord::Options options{};
  std::vector<std::string> seeds{};
  std::uint64_t life = 0;
  bool silent = false;
  Time paused_until = Time::min();
  Time member_since = Time::max();
  Duration wall_offset{};
  std::optional<std::size_t> crash_after_sends{};  // armed: dies in the middle of its next outputs
  Time wake_at = Time::max();
  bool running() const { return process != nullptr; }
};

/// Sees every step of every process. Used by checks and transcripts; must not change the world.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void before(const Event& event) = 0;
  virtual void after(const Event& event, const Actions& actions) = 0;
  virtual void note(const std::string& text) = 0;  // faults and lives, for people
};

/// Hashes a pair of hosts, or a host and an id: for tables whose order decides nothing.
struct Spread {
  std::size_t operator()(const std::pair<HostNumber, HostNumber>& pair) const {
    return (pair.first << 20 ^ pair.second) * 0x9e3779b97f4a7c15u;
  }
  std::size_t operator()(const std::pair<HostNumber, Id>& pair) const {
    std::size_t id;
    std::memcpy(&id, pair.second.bytes.data(), sizeof id);
    return id ^ pair.first * 0x9e3779b97f4a7c15u;
  }
};

/// All hosts, one queue of events ordered by time and age, no real time, no other chance than the
/// generators given: the same seed makes the same history. Connections are modelled as the
/// transport offers them: dialled on first use, reported up with the peer's epoch on both sides,
/// frames in order per direction, broken as a whole. One link per id: of two processes with one key
/// the later keeps or takes it, and the older one's dial is refused.
class World {
 public:
  World(Factory& factory, Network network, Rng rng);

  HostNumber add_host(PeerRef self, const chord::Options& options);
  void boot(HostNumber host, bool create, std::vector<std::string> seeds,
            std::optional<chord::Assume> assume = std::nullopt);
  void crash(HostNumber host, CrashKind kind);
  void wipe_disk(HostNumber host);
  void leave(HostNumber host);
  void pause(HostNumber host, Duration time);
  void arm_crash(HostNumber host, std::optional<std::size_t> after_sends);
  void step_clock(HostNumber host, Duration by) { hosts_[host].wall_offset += by; }
  void set_clock(HostNumber host) { hosts_[host].wall_offset = {}; }
  void find(HostNumber host, std::uint64_t tag, const Id& key, chord::Freshness how);
  /// Anything else a person asks of a running process.
  void tell(HostNumber host, const std::function<Actions(Process&)>& command);

  /// Does everything due up to a moment; `goes_on` is asked after each event.
  void run_until(Time end, const std::function<bool()>& goes_on);

  Time now() const { return now_; }
  Now clock(HostNumber host) const;  // as its process sees it
  WallTime true_time() const;
  Network& network() { return network_; }
  const std::vector<Host>& hosts() const { return hosts_; }
  const std::map<std::pair<Time, std::uint64_t>, Event>& queue() const { return queue_; }
  void observe(Observer* observer) { observers_.push_back(observer); }
  std::uint64_t trace_hash() const { return trace_; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t bytes_sent() const { return bytes_; }
  std::uint64_t frames_sent() const { return frames_; }
  const std::vector<std::pair<HostNumber, chord::LookupDone>>& lookups() const { return lookups_; }
  void forget_lookups() { lookups_.clear(); }
  void note(const std::string& text);

 private:
  struct Link {
    std::uint64_t number{};
    HostNumber dialler{};
    bool up = false;
    std::array<std::uint64_t, 2> life{};          // of the lower and the higher host
    std::array<Time, 2> last_arrival{};           // per direction, so that frames stay in order
    std::array<std::vector<Frame>, 2> waiting{};  // for the link to come up
    std::array<std::string, 2> dialled{};  // the address an end dialled, if it did by address
    bool doomed = false;  // a frame vanished: the sender's system will give the link up
  };
  static constexpr Duration connect_timeout = std::chrono::seconds(3);
  using LinkKey = std::pair<HostNumber, HostNumber>;

  static LinkKey key(HostNumber a, HostNumber b) { return {std::min(a, b), std::max(a, b)}; }
  static std::size_t end(HostNumber host, HostNumber other) { return host > other ? 1 : 0; }
  void schedule(Time at, Event event);
  void handle(const Event& event);
  Actions call(const Event& event, Process& process);
  bool due(const Event& event);
  void forget(const Event& event);
  bool give_up(const Event& event);
  bool passes_twins(const Event& event);
  void refuse_older(const Event& event, const std::string& later_at);
  bool told_up(const Event& event) const;
  void perform(HostNumber host, const Actions& actions);
  void send(HostNumber from, const Frame& frame);
  void dial(HostNumber from, HostNumber to, const std::string& dialled);
  void transmit(HostNumber from, HostNumber to, Link& link, const Frame& frame);
  void arrive(HostNumber from, HostNumber to, Link& link, Event event);
  void handshake(const Event& event);
  Event link_up(HostNumber here, HostNumber there, const Link& link) const;
  void break_link(HostNumber a, HostNumber b);
  void break_links(HostNumber host);
  void fail_dial(HostNumber from, HostNumber to, const std::string& dialled, Duration wait);
  void close(HostNumber host, const Id& peer);
  std::optional<HostNumber> linked_host(HostNumber from, const Id& id) const;
  std::optional<HostNumber> host_at(const std::string& address) const;
  void trace(const Event& event);

  Factory& factory_;
  Network network_;
  Rng rng_;
  std::vector<Host> hosts_{};
  std::map<std::string, HostNumber> addresses_{};
  std::map<std::pair<Time, std::uint64_t>, Event> queue_{};
  std::unordered_map<LinkKey, Link, Spread> links_{};
  struct Told {
    std::uint64_t link{};
    HostNumber other{};
    std::uint64_t epoch{};
  };
  // (who, to whom): reported up, not down
  std::unordered_map<std::pair<HostNumber, Id>, Told, Spread> told_up_{};
  std::vector<Observer*> observers_{};
  Time now_{};
  std::uint64_t next_event_ = 0;
  std::uint64_t next_link_ = 1;
  std::uint64_t trace_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t frames_ = 0;
  std::vector<std::pair<HostNumber, chord::LookupDone>> lookups_{};
};

}  // namespace beckon::sim
