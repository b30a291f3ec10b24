// SPDX-License-Identifier: MIT

#include "base/json.h"
#include "node/service/assembly/service.h"
#include "node/service/routes/routes.h"

namespace beckon::service {

namespace {

/// Hands over, leaves the ring and ends the process; the answer comes when the ring is left, and
/// says whether all was handed over.
void leave(Service& service, const Answer& answer) {
  Membership& membership = service.membership();
  membership.leave();
  auto waiter = membership.when_left([&membership, answer] {
    answer.json({{"state", "left"}, {"handed_over", membership.handed_over()}});
  });
  if (!waiter) return answer.problem(waiter.error());
  answer.when_gone([&membership, number = *waiter] { membership.stop_waiting(number); });
}

}  // namespace

void add_control_routes(Service& service) {
  service.api().route("POST", "/v1/leave",
                      [&service](const ApiRequest&, Answer answer) { leave(service, answer); });
}

}  // namespace beckon::service
