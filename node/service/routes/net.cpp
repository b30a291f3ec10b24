// SPDX-License-Identifier: MIT
#include "base/json.h"
#include "node/service/assembly/service.h"
#include "node/service/routes/peer_json.h"
#include "node/service/routes/routes.h"

namespace beckon::service {

namespace {

Json self_json(Service& service) {
  const Membership& membership = service.membership();
  Json troubles = Json::array();
  for (const auto& [address, why] : membership.troubles()) {
    troubles.push_back(
        {{"address", address}, {"error", why.text}, {"refused", why.code == ErrorCode::refused}});
  }
  return {{"id", service.ring().self().id.hex()},
          {"address", service.ring().self().address},
          {"epoch", service.epoch()},
          {"state", to_text(membership.state())},
          {"founded", membership.founded()},
          {"had_peers", membership.had_peers()},
          {"known_peers", service.ring().known().size()},
          {"degraded", service.ring().degraded()},
          {"troubles", troubles}};
}

/// With _until=joined the answer waits until the node has joined, or cannot, or _timeout has run,
/// ten minutes at most.
void self(Service& service, const ApiRequest& request, const Answer& answer) {
  if (request.query("_until").value_or("") != "joined") return answer.json(self_json(service));
  auto timeout = request.duration("_timeout", std::chrono::seconds(15));
  if (!timeout) return answer.problem(timeout.error());
  auto waiter = service.membership().when_settled(
      *timeout, [&service, answer](Membership::State) { answer.json(self_json(service)); });
  if (!waiter) return answer.problem(waiter.error());
  answer.when_gone([&service, number = *waiter] { service.membership().stop_waiting(number); });
}

Json ring_json(Service& service) {
  const chord::RingNode& ring = service.ring();
  Json fingers = Json::array();
  for (const auto& [exponent, peer] : ring.fingers()) {
    fingers.push_back({{"exponent", exponent}, {"id", peer.id.hex()}, {"address", peer.address}});
  }
  return {{"self", ring.self().id.hex()},
          {"address", ring.self().address},
          {"state", to_text(service.membership().state())},
          {"predecessor", id_or_null(ring.predecessor())},
          {"predecessor_address", ring.predecessor() ? Json(ring.predecessor()->address) : Json()},
          {"successors", to_json(ring.successors())},
          {"degraded", ring.degraded()},
          {"fingers", fingers}};
}

Json roles_of(const chord::RingNode& ring, const Id& id) {
  Json roles = Json::array();
  auto is = [&](const PeerRef& peer) { return peer.id == id; };
  if (ring.predecessor() && is(*ring.predecessor())) roles.push_back("predecessor");
  if (std::any_of(ring.successors().begin(), ring.successors().end(), is))
    roles.push_back("successor");
  for (const auto& [exponent, peer] : ring.fingers()) {
    if (!is(peer)) continue;
    roles.push_back("finger");
    break;
  }
  return roles;
}

Json peers_json(const chord::RingNode& ring) {
  std::map<Id, PeerRef> all;
  for (const auto& list : {ring.known(), ring.passive(), ring.neighbours()}) {
    for (const PeerRef& peer : list) all[peer.id] = peer;
  }
  const auto& linked = ring.linked();
  Json peers = Json::array();
  for (const auto& [id, peer] : all) {
    auto trip = ring.round_trip(id);
    const char* state = ring.dead(id) ? "silent" : ring.suspected(id) ? "suspected" : "alive";
    peers.push_back({{"id", id.hex()},
                     {"address", peer.address},
                     {"roles", roles_of(ring, id)},
                     {"linked", linked.contains(id)},
                     {"state", linked.contains(id) || trip ? state
                               : ring.dead(id)             ? "silent"
                                                           : "unknown"},
                     {"round_trip_ms", trip ? Json(milliseconds(*trip)) : Json()}});
  }
  return {{"self", ring.self().id.hex()}, {"peers", peers}};
}

}  // namespace

void add_net_routes(Service& service) {
  Api& api = service.api();
  api.route("GET", "/v1/net/self", [&service](const ApiRequest& request, Answer answer) {
    self(service, request, answer);
  });
  api.route("GET", "/v1/net/ring",
            [&service](const ApiRequest&, Answer answer) { answer.json(ring_json(service)); });
  api.route("GET", "/v1/net/peers", [&service](const ApiRequest&, Answer answer) {
    answer.json(peers_json(service.ring()));
  });
  api.route("GET", "/v1/net/stats", [&service](const ApiRequest&, Answer answer) {
    answer.text("application/json", service.metrics().json() + "\n");
  });
}

}  // namespace beckon::service
