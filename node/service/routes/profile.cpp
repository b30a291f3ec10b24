// SPDX-License-Identifier: MIT

#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "node/service/assembly/hosting.h"
#include "node/service/routes/routes.h"
#include "profile/person/json_schema.h"
#include "profile/person/profile.h"
#include "profile/person/profile_json.h"
#include "profile/values/decimal.h"

namespace beckon::service {

namespace {

/// The handlers of /v1/profile, /v1/users and /v1/attributes, and what they share.
class ProfileRoutes {
 public:
  explicit ProfileRoutes(Hosting& hosting) : hosting_(hosting) {}

  Json users() {
    Json out = Json::array();
    const User* me = hosting_.users().me();
    if (me != nullptr) out.push_back(facts(*me));
    for (const auto& [id, user] : hosting_.users().all()) {
      if (me == nullptr || id != me->id()) out.push_back(facts(user));
    }
    return out;
  }

  void show(const ApiRequest& request, const Answer& answer) {
    auto user = whom(request);
    if (!user) return answer.problem(user.error(), "See: beckon profile list");
    answer.json(to_json(**user));
  }

  /// PUT replaces, PATCH changes; what is published already stays as it is until published again.
  void store(const ApiRequest& request, const Answer& answer, bool patch) {
    auto found = whom(request);
    if (!found) return answer.problem(found.error(), "See: beckon profile list");
    const auto& base = (*found)->profile->read;
    if (patch && !base) return answer.problem(base.error());
    auto changed = patch ? profile::patch_profile(schema(), *base, request.http.body)
                         : profile::parse_profile(schema(), request.http.body);
    if (!changed) return answer.problem(changed.error(), "See: beckon profile attrs");
    User user = **found;
    user.profile = hosted(schema(), *changed);
    keep(user, answer);
  }

  void clear(const ApiRequest& request, const Answer& answer) {
    auto found = whom(request);
    if (!found) return answer.problem(found.error(), "See: beckon profile list");
    User user = **found;
    user.profile = empty_profile();
    if (!user.published) return keep(user, answer);
    auto changed = hosting_.users().change(user, [](const Result<void>&) {});
    if (!changed) return answer.problem(changed.error());
    withdraw_then(user.id(), answer, [this, id = user.id(), answer](const Publisher::Published&) {
      answer.json(to_json(*hosting_.users().find(id)));
    });
  }

  void publish(const ApiRequest& request, const Answer& answer) {
    auto user = whom(request);
    if (!user) return answer.problem(user.error(), "See: beckon profile list");
    if ((*user)->profile->text == "{}") {
      return answer.problem(invalid("there is nothing to publish: the profile is empty"),
                            "Fill it: beckon profile set name=\"Alice Lin\" hobby=chess");
    }
    UserId id = (*user)->id();
    hosting_.search().publisher().publish(
        id, [id, answer](const Result<Publisher::Published>& done) {
          done ? answer.json(to_json(id, *done)) : answer.problem(done.error());
        });
  }

  void withdraw(const ApiRequest& request, const Answer& answer) {
    auto user = whom(request);
    if (!user) return answer.problem(user.error(), "See: beckon profile list");
    UserId id = (*user)->id();
    if (!(*user)->published) return answer.json(to_json(id, {.version = (*user)->version}));
    withdraw_then(id, answer, [id, answer](const Publisher::Published& done) {
      answer.json(to_json(id, done));
    });
  }

  std::string json_schema() const { return profile::json_schema(schema()); }

  Json attributes() const {
    Json out = Json::array();
    for (const profile::Attribute& a : schema().attributes()) {
      Json entry{{"name", a.name},
                 {"type", profile::name_of(a.type)},
                 {"visibility", profile::name_of(a.visibility)},
                 {"max_values", a.max_values}};
      if (a.type == profile::Type::integer || a.type == profile::Type::decimal) {
        entry["min"] = profile::fixed_text(a.min, a.scale);
        entry["max"] = profile::fixed_text(a.max, a.scale);
        entry["decimals"] = a.scale;
        entry["circular"] = a.circular;
        if (!a.unit.empty()) entry["unit"] = a.unit;
      }
      out.push_back(std::move(entry));
    }
    return {{"schema", schema().number()}, {"attributes", out}};
  }

 private:
  const profile::Schema& schema() const { return hosting_.schema(); }

  /// The user that ?_as= names, or `me`.
  Result<const User*> whom(const ApiRequest& request) const {
    Users& users = hosting_.users();
    auto name = request.query("_as");
    if (name && !name->empty()) {
      auto id = users.resolve(*name);
      if (!id) return id.error();
      return users.find(*id);
    }
    if (users.me() == nullptr) return Error{ErrorCode::not_found, "this node hosts nobody yet"};
    return users.me();
  }

  Json facts(const User& user) {
    Counted& counted = counted_[user.id()];
    if (counted.profile != user.published_profile)
      counted = {user.published_profile, hosting_.search().publisher().record_count(user)};
    return {{"id", user.id().hex()},
            {"address", hosting_.address_of(user)},
            {"name", first_name(*user.profile)},
            {"published", user.published},
            {"version", user.version},
            {"records", counted.records}};
  }

  Json to_json(const User& user) {
    Json out{{"user", user.id().hex()},
             {"address", hosting_.address_of(user)},
             {"name", first_name(*user.profile)},
             {"published", user.published},
             {"version", user.version}};
    const HostedProfile& profile = *user.profile;
    if (!profile.read) return out;
    profile::Disclosure told = profile::disclosure(schema(), *profile.read);
    out["profile"] = json_or_null(profile.text);
    out["card"] = json_or_null(profile.card);
    out["public"] = told.shown;
    out["match"] = told.matched;
    out["private"] = told.hidden;
    out["changed"] = user.published && profile.text != user.published_profile->text;
    return out;
  }

  static Json to_json(const UserId& id, const Publisher::Published& done) {
    Json out{{"user", id.hex()},
             {"version", done.version},
             {"records", done.records},
             {"stored", done.stored}};
    if (done.refused != Status::ok) out["why"] = to_text(done.refused);
    return out;
  }

  void keep(const User& user, const Answer& answer) {
    auto stored =
        hosting_.users().change(user, [this, id = user.id(), answer](const Result<void>& written) {
          written ? answer.json(to_json(*hosting_.users().find(id)))
                  : answer.problem(written.error());
        });
    if (!stored) answer.problem(stored.error());
  }

  void withdraw_then(const UserId& id, const Answer& answer,
                     std::function<void(const Publisher::Published&)> then) {
    hosting_.search().publisher().withdraw(
        id, [answer, then = std::move(then)](const Result<Publisher::Published>& done) {
          done ? then(*done) : answer.problem(done.error());
        });
  }

  Hosting& hosting_;
  struct Counted {
    ProfilePtr profile{};
    std::size_t records{};
  };
  std::map<UserId, Counted> counted_;  // once for each profile: a node may host thousands
};

}  // namespace

void add_profile_routes(Hosting& hosting) {
  Service& service = hosting.service();
  auto routes = std::make_shared<ProfileRoutes>(hosting);  // shared by its handlers
  auto add = [&](const char* method, const char* path, auto handler) {
    service.api().route(method, path, [routes, handler](const ApiRequest& request, Answer answer) {
      handler(*routes, request, answer);
    });
  };
  using R = ProfileRoutes;
  using Q = const ApiRequest&;
  using A = const Answer&;
  add("GET", "/v1/profile", [](R& r, Q request, A answer) { r.show(request, answer); });
  add("PUT", "/v1/profile", [](R& r, Q request, A answer) { r.store(request, answer, false); });
  add("PATCH", "/v1/profile", [](R& r, Q request, A answer) { r.store(request, answer, true); });
  add("DELETE", "/v1/profile", [](R& r, Q request, A answer) { r.clear(request, answer); });
  add("POST", "/v1/profile/publish", [](R& r, Q request, A answer) { r.publish(request, answer); });
  add("POST", "/v1/profile/withdraw",
      [](R& r, Q request, A answer) { r.withdraw(request, answer); });
  add("GET", "/v1/users", [](R& r, Q, A answer) { answer.json({{"users", r.users()}}); });
  add("GET", "/v1/profile/schema",
      [](R& r, Q, A answer) { answer.json(json_or_null(r.json_schema())); });
  add("GET", "/v1/attributes", [](R& r, Q, A answer) { answer.json(r.attributes()); });
  service.status_field("users", [routes] { return routes->users(); });
}

}  // namespace beckon::service
