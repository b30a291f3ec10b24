// SPDX-License-Identifier: MIT
#include "base/json.h"
#include "node/service/assembly/service.h"
#include "node/service/routes/peer_json.h"
#include "node/service/routes/routes.h"

namespace beckon::service {

namespace {

Json status(Service& service) {
  const chord::RingNode& ring = service.ring();
  Json out{{"node",
            {{"id", ring.self().id.hex()},
             {"listen", ring.self().address},
             {"state", to_text(service.membership().state())},
             {"epoch", service.epoch()},
             {"version", service.options().version},
             {"uptime_s", (service.kernel().now().mono - service.started()).count() / 1'000'000}}},
           {"ring",
            {{"predecessor", id_or_null(ring.predecessor())},
             {"successors", to_json(ring.successors())},
             {"size_estimate", static_cast<std::int64_t>(std::llround(ring.size_estimate()))},
             {"known_peers", ring.known().size()},
             {"degraded", ring.degraded()}}}};
  for (const auto& [name, read] : service.status_fields()) out[name] = read();
  return out;
}

}  // namespace

void add_status_routes(Service& service) {
  service.api().route("GET", "/v1/status", [&service](const ApiRequest&, Answer answer) {
    answer.json(status(service));
  });
  service.api().route("GET", "/healthz", [&service](const ApiRequest&, Answer answer) {
    auto state = service.membership().state();
    bool healthy = state == Membership::State::joined;
    answer.json({{"state", to_text(state)}}, healthy ? 200 : 503);
  });
  service.api().route("GET", "/metrics", [&service](const ApiRequest&, Answer answer) {
    answer.text("text/plain; version=0.0.4", service.metrics().prometheus());
  });
}

}  // namespace beckon::service
