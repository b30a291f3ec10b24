// SPDX-License-Identifier: MIT
#include "node/service/routes/routes.h"

namespace beckon::service {

void add_routes(Service& service) {
  add_status_routes(service);
  add_net_routes(service);
  add_probe_routes(service);
  add_control_routes(service);
}

void add_routes(Hosting& hosting) {
  add_profile_routes(hosting);
  add_import_routes(hosting);
  add_find_routes(hosting);
  add_message_routes(hosting);
  add_contact_routes(hosting);
  add_call_routes(hosting);
}

}  // namespace beckon::service
