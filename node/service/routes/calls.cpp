// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "node/service/routes/card.h"
#include "node/service/routes/recipients.h"
#include "node/service/routes/routes.h"

namespace beckon::service {

namespace {

constexpr std::size_t shortest_prefix = 4;
constexpr std::size_t max_callees = CallMessage::max_members - 1;

Json call_json(const Call& call) {
  Json members = Json::array();
  for (const auto& [id, member] : call.members) {
    Json json{
        {"id", id.hex()}, {"name", member.callee.name}, {"standing", to_text(member.standing)}};
    if (!member.why.empty()) json["why"] = member.why;
    members.push_back(std::move(json));
  }
  Json out{{"id", to_hex(call.id)},   {"state", to_text(call.state)},
           {"caller", call.caller},   {"group", call.group},
           {"from", call.from.hex()}, {"members", std::move(members)}};
  if (!call.why.empty()) out["why"] = call.why;
  return out;
}

/// How else a callee may be reached, from what it shows: sip:, tel: and mailto: addresses.
Json ways_of(const Card& card) {
  Json out = Json::array();
  const Json attrs = card.attrs.sorted();
  for (const auto& [attr, value] : attrs.items()) {
    auto values = value.is_array() ? value : Json::array({value});
    for (const auto& entry : values) {
      if (!entry.is_string()) continue;
      std::string text = entry.get<std::string>();
      if (is_uri(text)) {
        out.push_back(text);
      } else if (attr == "mail" && text.find('@') != std::string::npos) {
        out.push_back("mailto:" + text);
      }
    }
  }
  return out;
}

/// The handlers of /v1/calls.
class CallRoutes {
 public:
  explicit CallRoutes(Hosting& hosting) : hosting_(hosting) {}

  void invite(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return answer.problem(user.error());
    auto body = request.body();
    if (!body) return answer.problem(body.error());
    if (!body->is_object()) return answer.problem(invalid("a call is a JSON object"));
    auto most = read_most(*body, max_callees);
    if (!most) return answer.problem(most.error());
    resolve_target(hosting_, *user, *body, max_callees,
                   [this, user = *user, most = *most, answer](const Result<Target>& target) {
                     if (!target) return tell_problem(answer, target.error());
                     ring(user, *target, most, answer);
                   });
  }

  void list(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return answer.problem(user.error());
    Json out = Json::array();
    for (const auto& [key, call] : calls().all()) {
      if (key.first == *user) out.push_back(call_json(call));
    }
    answer.json({{"user", user->hex()}, {"calls", out}, {"event", last_event()}});
  }

  void change(const ApiRequest& request, const Answer& answer) {
    auto key = named(request);
    if (!key) return answer.problem(key.error(), "See: beckon status");
    auto body = request.body();
    if (!body) return answer.problem(body.error());
    auto text = [&](const char* name) {
      bool given = body->is_object() && body->contains(name) && (*body)[name].is_string();
      return given ? (*body)[name].get<std::string>() : std::string();
    };
    std::string event = last_event();  // before the change, so that nothing of it is missed
    auto done = act(*key, text("action"), text("text"));
    if (!done) return answer.problem(done.error());
    Json out = call_json(*calls().find(*key));
    out["user"] = key->first.hex();
    out["event"] = event;
    answer.json(out);
  }

  Json open_calls() {
    Json out = Json::array();
    const User* me = hosting_.users().me();
    for (const auto& [key, call] : calls().all()) {
      bool mine = me != nullptr && key.first == me->id();
      if (mine && call.state != Call::State::ended) out.push_back(call_json(call));
    }
    return out;
  }

 private:
  Calls& calls() { return hosting_.mail().calls(); }
  std::string last_event() { return std::to_string(hosting_.service().api().last_event()); }
  std::string name_of(const UserId& user) {
    return public_name(hosting_.schema(), *hosting_.users().find(user));
  }

  void ring(const UserId& user, const Target& target, std::size_t most, const Answer& answer) {
    Json out{{"id", nullptr}, {"user", user.hex()}, {"found", target.callees.size()}};
    if (!target.query.empty()) out["query"] = target.query;
    if (target.callees.empty() || target.callees.size() > most) return answer.json(out);
    out["event"] = last_event();  // before the invitations
    auto id = calls().invite({.from = user, .name = name_of(user), .to = target.callees});
    if (!id) return answer.problem(id.error());
    out.update(call_json(*calls().find({user, *id})));
    for (Json& member : out["members"]) {
      auto known = Id::from_hex(member["id"].get<std::string>());
      auto card = known ? target.cards.find(*known) : target.cards.end();
      if (card != target.cards.end()) member["ways"] = ways_of(card->second);
    }
    answer.json(out);
  }

  /// The one call of the user whose number begins so.
  Result<Calls::Key> named(const ApiRequest& request) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return user.error();
    const std::string& id = request.path.at("id");
    if (id.size() < shortest_prefix)
      return invalid("a call is named by at least 4 hexadecimal digits of its number");
    std::vector<Calls::Key> fitting;
    for (const auto& [key, call] : calls().all()) {
      if (key.first == *user && to_hex(key.second).starts_with(id)) fitting.push_back(key);
    }
    if (fitting.size() == 1) return fitting.front();
    if (fitting.empty()) {
      return Error{ErrorCode::not_found,
                   fmt::format("there is no call {}, or it is long over", printable(id, 40))};
    }
    return invalid(
        fmt::format("{} fits {} calls; write more digits", printable(id, 40), fitting.size()));
  }

  Result<void> act(const Calls::Key& key, const std::string& action, const std::string& text) {
    if (action == "accept") return calls().accept(key, name_of(key.first));
    if (action == "decline") return calls().decline(key);
    if (action == "hangup") return calls().hang_up(key);
    if (action == "say") return calls().say(key, text);
    return invalid("'action' must be accept, decline, hangup or say");
  }

  Hosting& hosting_;
};

}  // namespace

void add_call_routes(Hosting& hosting) {
  auto routes = std::make_shared<CallRoutes>(hosting);  // as long as the routes
  Api& api = hosting.service().api();
  api.route("POST", "/v1/calls", [routes](const ApiRequest& r, Answer a) { routes->invite(r, a); });
  api.route("GET", "/v1/calls", [routes](const ApiRequest& r, Answer a) { routes->list(r, a); });
  api.route("PATCH", "/v1/calls/{id}",
            [routes](const ApiRequest& r, Answer a) { routes->change(r, a); });
  hosting.service().status_field("calls", [routes] { return routes->open_calls(); });
}

}  // namespace beckon::service
