#pragma once

#include <map>
#include <memory>
#include <set>

#include "node/service/participant/participant.h"
#include "node/service/participant/service.h"
#include "tests/world/fast_signer.h"
#include "tests/world/memory_store.h"

namespace beckon::service {

/// A few whole nodes on virtual time: links come up on the first frame, every frame takes a
/// millisecond, writes take two. Enough to test the service; faults are the simulator's business.
class ServiceWorld {
 public:
  enum class With : std::uint8_t { ring_only, people };
  explicit ServiceWorld(std::uint64_t seed = 1, With with = With::ring_only)
      : seed_(seed), with_(with) {}

  struct Node {
    MemoryStore disk{};
    std::unique_ptr<Service> service{};          // none: the process is down
    std::unique_ptr<Participant> participant{};  // after the service: it goes first
    bool finished = false;
    std::vector<std::string> log{};
    std::map<ExchangeId, std::string> http{};  // bodies of replies, text of streams
    std::map<ExchangeId, int> status{};
    Time wake = Time::max();
    std::uint64_t life = 0;
  };

  Node& boot(const std::string& address);  // a process with that node's disk, not up yet
  void kill(const std::string& address);   // at once
  void up(const std::string& address, std::vector<std::string> join, bool create = false);
  void down(const std::string& address) {
    feed(address, node(address).service->start(Down{}, now()));
  }
  ExchangeId http(const std::string& address, const HttpRequest& request);
  void hang_up(const std::string& address, ExchangeId exchange) {
    feed(address, node(address).service->http_closed(exchange, now()));
  }
  /// A frame to frame.peer that its sender never meant to send.
  void inject(const std::string& from, const Frame& frame) { deliver(from, frame); }
  std::function<void(const std::string& from, const Frame& frame)> tap{};  // sees what arrives

  void run(Duration time);  // lets that much virtual time pass
  bool run_until(const std::function<bool()>& done, Duration limit);
  Node& node(const std::string& address) { return nodes_.at(address); }
  Now now() const {
    return {clock_, wall_from_ms(1'800'000'000'000 + clock_.time_since_epoch().count() / 1000)};
  }
  bool ideal() const;   // all nodes that are up form one ring, predecessors and successors right
  std::string trace{};  // everything that happened, for comparing two runs

 private:
  using Action = std::function<void()>;
  void at(Duration delay, Action action) { queue_[{clock_ + delay, ++count_}] = std::move(action); }
  void feed(const std::string& address, Output output);
  void deliver(const std::string& from, const Frame& frame);
  bool connect(const std::string& from, const std::string& to, const std::string& dialled);
  static Id id_of(const std::string& address) { return Id::of_digest(sha256(as_bytes(address))); }
  bool step();

  std::uint64_t seed_;
  With with_;
  test::FastSigner signer_{};
  Time clock_{std::chrono::seconds(1)};
  std::uint64_t count_ = 0;
  std::map<std::pair<Time, std::uint64_t>, Action> queue_{};
  std::map<std::string, Node> nodes_{};
  std::set<std::pair<std::string, std::string>> links_{};  // both directions
  ExchangeId last_exchange_ = 0;
};

}  // namespace beckon::service
