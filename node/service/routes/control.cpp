#include <nlohmann/json.hpp>

#include "node/service/routes/routes.h"
#include "node/service/service.h"

namespace beckon::service {

namespace {

/// Hands over, leaves the ring and ends the process; the answer comes when the ring is left.
void leave(Service& service, const Answer& answer) {
  service.membership().leave();
  service.membership().when_left([answer] { answer.json({{"state", "left"}}); });
}

}  // namespace

void add_control_routes(Service& service) {
  service.api().route("POST", "/v1/leave",
                      [&service](const ApiRequest&, Answer answer) { leave(service, answer); });
}

}  // namespace beckon::service
