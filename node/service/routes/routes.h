// SPDX-License-Identifier: MIT
#pragma once

namespace beckon::service {

class Hosting;
class Service;

// All routes of a node. Called once, right after the object is made: these know the whole node, so
// nothing of the node can know them.
void add_routes(Service& service);
void add_routes(Hosting& hosting);

// Each adds one group of routes; one file per group.
void add_status_routes(Service& service);   // /v1/status /healthz /metrics
void add_net_routes(Service& service);      // /v1/net/self peers ring stats
void add_probe_routes(Service& service);    // /v1/net/ping trace
void add_control_routes(Service& service);  // /v1/leave

void add_profile_routes(Hosting& hosting);  // /v1/profile /v1/users /v1/attributes
void add_import_routes(Hosting& hosting);   // /v1/profile/import
void add_find_routes(Hosting& hosting);     // /v1/find
void add_message_routes(Hosting& hosting);  // /v1/messages
void add_contact_routes(Hosting& hosting);  // /v1/contacts /v1/policy
void add_call_routes(Hosting& hosting);     // /v1/calls

}  // namespace beckon::service
