// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "base/json.h"
#include "node/service/routes/recipients.h"
#include "node/service/routes/routes.h"

namespace beckon::service {

namespace {

constexpr std::array<const char*, 3> policy_names{"everyone", "contacts", "nobody"};

Json contact_json(const Contact& contact) {
  bool blocked = contact.standing == Contact::Standing::blocked;
  return {{"id", contact.id().hex()},
          {"alias", contact.alias},
          {"name", contact.name},
          {"standing", blocked ? "blocked" : "accepted"}};
}

/// What a PUT wants of a contact.
struct Change {
  std::optional<Contact::Standing> standing{};
  std::optional<std::string> alias{};
};

Result<Change> read_change(const Json& body) {
  if (!body.is_object()) return invalid("a contact is a JSON object");
  Change out;
  if (auto standing = body.find("standing"); standing != body.end()) {
    if (*standing == "accepted") out.standing = Contact::Standing::accepted;
    if (*standing == "blocked") out.standing = Contact::Standing::blocked;
    if (!out.standing) return invalid("'standing' must be accepted or blocked");
  }
  if (auto alias = body.find("alias"); alias != body.end()) {
    if (!alias->is_string()) return invalid("'alias' must be a text");
    out.alias = alias->get<std::string>();
  }
  if (!out.standing && !out.alias) return invalid("say what to change: 'standing' or 'alias'");
  return out;
}

/// The handlers of /v1/contacts and /v1/policy.
class ContactRoutes {
 public:
  explicit ContactRoutes(Hosting& hosting) : hosting_(hosting) {}

  void list(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return answer.problem(user.error());
    Json contacts = Json::array();
    for (const auto& [id, contact] : this->contacts().of(*user))
      contacts.push_back(contact_json(contact));
    answer.json({{"user", user->hex()}, {"contacts", contacts}, {"policy", policy_of(*user)}});
  }

  void put(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return answer.problem(user.error());
    auto body = request.body();
    auto change = body ? read_change(*body) : Result<Change>(body.error());
    if (!change) return answer.problem(change.error());
    // A person as a find gave it may be named here who is not known yet.
    auto callee = body->contains("key") ? read_person_ref(*body)
                                        : known_person(hosting_, *user, request.path.at("who"));
    if (!callee) return answer.problem(callee.error(), "See: beckon contact list");
    if (callee->id() == *user) return answer.problem(invalid("that is yourself"));
    apply(*user, *callee, *change, answer);
  }

  void policy(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return answer.problem(user.error());
    answer.json({{"user", user->hex()}, {"policy", policy_of(*user)}});
  }

  void set_policy(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    auto body = request.body();
    if (!user) return answer.problem(user.error());
    if (!body) return answer.problem(body.error());
    std::string name =
        body->is_object() && body->contains("policy") && (*body)["policy"].is_string()
            ? (*body)["policy"].get<std::string>()
            : "";
    auto found = std::find(policy_names.begin(), policy_names.end(), name);
    if (found == policy_names.end())
      return answer.problem(invalid("'policy' must be everyone, contacts or nobody"));
    User changed = *hosting_.users().find(*user);
    changed.policy = static_cast<Policy>(found - policy_names.begin());
    auto written =
        hosting_.users().change(changed, [user = *user, name, answer](const Result<void>& done) {
          if (!done) return answer.problem(done.error());
          answer.json({{"user", user.hex()}, {"policy", name}});
        });
    if (!written) answer.problem(written.error());
  }

 private:
  Contacts& contacts() { return hosting_.mail().contacts(); }
  Inbox& inbox() { return hosting_.mail().inbox(); }

  std::string policy_of(const UserId& user) {
    return policy_names[static_cast<std::size_t>(hosting_.users().find(user)->policy)];
  }

  /// Somebody new, with what they called themselves in what they wrote.
  Contact fresh(const UserId& user, const PersonRef& callee) {
    Contact out{.key = callee.key,
                .name = callee.name,
                .message_key = callee.message_key,
                .host = callee.host};
    for (auto place : {Inbox::Place::requests, Inbox::Place::shown}) {
      auto last = inbox().list(user, place, 0, &callee.key, 1);
      if (out.name.empty() && last && !last->empty()) out.name = last->front().letter.name;
    }
    return out;
  }

  void apply(const UserId& user, const PersonRef& callee, const Change& change,
             const Answer& answer) {
    const Contact* known = contacts().find(user, callee.id());
    Contact contact = known != nullptr ? *known : fresh(user, callee);
    if (change.standing) contact.standing = *change.standing;
    auto put = contacts().put(user, contact, [](const Result<void>&) {});
    if (!put) return answer.problem(put.error());
    if (change.alias) {
      auto renamed =
          contacts().rename(user, callee.id(), *change.alias, [](const Result<void>&) {});
      if (!renamed) return answer.problem(renamed.error());
    }
    auto done = [this, user, id = callee.id(), answer](const Result<void>& stored) {
      if (!stored) return answer.problem(stored.error());
      answer.json(contact_json(*contacts().find(user, id)));
    };
    // Writes are made durable in order, so this one's end is the end of all.
    contact.standing == Contact::Standing::blocked ? inbox().erase_requests(user, callee.key, done)
                                                   : inbox().accept(user, callee.key, done);
  }

  Hosting& hosting_;
};

}  // namespace

void add_contact_routes(Hosting& hosting) {
  auto routes = std::make_shared<ContactRoutes>(hosting);  // as long as the routes
  Api& api = hosting.service().api();
  api.route("GET", "/v1/contacts", [routes](const ApiRequest& r, Answer a) { routes->list(r, a); });
  api.route("PUT", "/v1/contacts/{who}",
            [routes](const ApiRequest& r, Answer a) { routes->put(r, a); });
  api.route("GET", "/v1/policy", [routes](const ApiRequest& r, Answer a) { routes->policy(r, a); });
  api.route("PUT", "/v1/policy",
            [routes](const ApiRequest& r, Answer a) { routes->set_policy(r, a); });
}

}  // namespace beckon::service
