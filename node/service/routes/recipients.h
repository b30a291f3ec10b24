// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

#include "base/json.h"
#include "node/service/api/api.h"
#include "node/service/assembly/hosting.h"
#include "node/service/routes/card.h"

namespace beckon::service {

/// The hosted user a request speaks for: ?_as=ID or its beginning, else `me`.
Result<UserId> acting_user(const Users& users, const ApiRequest& request);

/// What others see as the user's name: the profile's public "name"; empty if there is none.
std::string public_name(const profile::Schema& schema, const User& user);

/// {"key","message_key","host","address","name"} as a find gave it; all but the key are hints.
Result<PersonRef> read_person_ref(const Json& json);

/// Somebody by alias, by the beginning of the User-ID of a contact, of somebody who wrote, or of a
/// user hosted here, or by a whole public key, bare or in an address.
Result<PersonRef> known_person(Hosting& hosting, const UserId& user, const std::string& who);

/// Whom a request wants to reach, from the fields of its body:
///   "to": list of names (as known_person) and objects (as read_person_ref), or
///   "query": text, everybody it finds and whose own node confirms it
struct Target {
  std::vector<PersonRef> callees{};
  std::string query{};  // canonical; empty if there was none
  bool complete = true;
  bool limited = false;
  std::size_t unconfirmed{};       // fit, but their nodes do not answer
  std::map<UserId, Card> cards{};  // what they show
};
using TargetDone = std::function<void(Result<Target>)>;
void resolve_target(Hosting& hosting, const UserId& user, const Json& body, std::size_t bound,
                    TargetDone done);
/// As Answer::problem; a query that cannot be read keeps its picture.
void tell_problem(const Answer& answer, const Error& error, const std::string& hint = {});

/// "most": above so many callees nothing is done; 1, or with "all" the bound, unless given.
Result<std::size_t> read_most(const Json& body, std::size_t bound);

/// First 16 bytes of SHA-256("group" | canonical query): everybody a query reaches shares a thread.
Letter::Number group_thread(const std::string& canonical_query);

}  // namespace beckon::service
