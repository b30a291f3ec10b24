// SPDX-License-Identifier: MIT
#pragma once

#include <variant>

#include "base/json.h"
#include "node/service/api/api.h"
#include "node/service/api/metrics.h"
#include "node/service/items/author_item.h"
#include "node/service/items/replicas.h"
#include "node/service/kernel/kernel.h"
#include "node/service/ring/membership.h"
#include "node/service/ring/ring_log.h"

namespace beckon::service {

struct ServiceOptions {
  Kernel::Options kernel{};
  Membership::Options membership{};
  Api::Options api{};
  ReplicaOptions replicas{};
  std::string version{};  // shown by status
};

/// What a node stands in; all of it outlives the service.
struct Surroundings {
  const Store& store;
  const Signer& signer;
  OverlayId overlay{};
  Seeds seeds{};
};

using Up = Membership::Up;
struct Down {};      // hand over, leave; Output::finished follows
struct Expelled {};  // the overlay's authority has told everybody to answer us no more
using Command = std::variant<Up, Down, Expelled>;

/// What the driver is to do after an input, all of it, in this order within each list. Writes are
/// committed in the order given and reported by written().
struct Output {
  std::vector<Frame> send{};
  std::vector<std::string> dial{};
  std::vector<Id> close{};
  std::vector<Write> writes{};
  std::vector<HttpPart> http{};
  std::vector<Event> events{};  // already with whoever listens at the API; for logs and tests
  std::vector<LogLine> log{};
  Time wake_at = Time::max();
  bool finished = false;  // left the ring: the process may end once `http` is sent
};

/// The whole node as one pure state machine: the ring peer, requests and their time-outs, what is
/// remembered over a restart, the HTTP API, and every part that registers itself. The daemon drives
/// it on libuv, the simulator on virtual time; same inputs and seed, same outputs.
///
/// A part of the service takes kernel() as its Context and adds itself: frame types by
/// kernel().serve, routes by api().route, numbers by metrics(), what it must do before the node
/// leaves by membership().before_leave, and what it must hear of the ring by on_ring_event.
///
/// The caller raises the epoch durably (raise_epoch) before it makes one, keeps the store alive,
/// and gives the store's committed state only.
class Service {
 public:
  Service(const ServiceOptions& options, PeerRef self, std::uint64_t epoch,
          const Surroundings& around);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Up without a way in (Membership::check_way_in) ends at once: Output::finished.
  [[nodiscard]] Output start(const Command& command, Now now);
  [[nodiscard]] Output receive(Frame frame, Now now);
  [[nodiscard]] Output link_up(const chord::LinkUp& link, Now now);
  [[nodiscard]] Output link_down(const Id& peer, const Error& why, Now now);
  /// A dial failed; the id is zero for an address out of Output::dial.
  [[nodiscard]] Output unreachable(const PeerRef& peer, const Error& why, Now now);
  /// That peer refused our dial: it is linked to a later process with our key.
  [[nodiscard]] Output refused_as_older(const PeerRef& by, const std::string& later_at, Now now);
  [[nodiscard]] Output written(std::uint64_t token, Result<void> result, Now now);
  [[nodiscard]] Output http_request(ExchangeId exchange, const HttpRequest& request, Now now);
  [[nodiscard]] Output http_closed(ExchangeId exchange, Now now);
  [[nodiscard]] Output tick(Now now);

  Kernel& kernel() { return kernel_; }
  Membership& membership() { return membership_; }
  Api& api() { return api_; }
  Metrics& metrics() { return metrics_; }
  RuleBook& rules() { return rules_; }  // kinds of records; complete before start(Up)
  Replicas& replicas() { return replicas_; }
  const chord::RingNode& ring() const { return kernel_.ring(); }
  std::uint64_t epoch() const { return ring().epoch(); }
  const ServiceOptions& options() const { return options_; }
  Time started() const { return started_; }

  using RingListener = std::function<void(const chord::Event&)>;
  void on_ring_event(RingListener listener) { ring_listeners_.push_back(std::move(listener)); }

  /// A top-level field of `beckon status`; replaces an earlier one of that name.
  using StatusField = std::function<Json()>;
  void status_field(const std::string& name, StatusField read);
  const std::vector<std::pair<std::string, StatusField>>& status_fields() const { return status_; }

 private:
  void enter(const Up& up);
  void add_replicas();
  void add_metrics();
  void pass_ring_events();
  Output finish();

  ServiceOptions options_;
  Kernel kernel_;
  RingLog ring_log_;
  Membership membership_;
  Api api_;
  Metrics metrics_{};
  AuthorItemRules author_rules_;
  RuleBook rules_{};
  Replicas replicas_;
  std::vector<RingListener> ring_listeners_{};
  std::vector<std::pair<std::string, StatusField>> status_{};
  Time started_ = Time::min();
};

}  // namespace beckon::service
