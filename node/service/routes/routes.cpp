#include "node/service/routes/routes.h"

namespace beckon::service {

void add_routes(Service& service) {
  add_status_routes(service);
  add_net_routes(service);
  add_probe_routes(service);
  add_control_routes(service);
}

void add_routes(Participant& participant) {
  add_profile_routes(participant);
  add_import_routes(participant);
  add_find_routes(participant);
  add_message_routes(participant);
  add_contact_routes(participant);
  add_call_routes(participant);
}

}  // namespace beckon::service
