// SPDX-License-Identifier: MIT
#include "node/overlay_routes.h"

#include <fmt/core.h>

#include "base/json.h"
#include "base/text.h"
#include "config/address.h"

namespace beckon {

namespace {

using service::Answer;
using service::ApiRequest;

constexpr std::size_t most_in_invite = 4;

bool is_closed(const Home& home) { return home.overlay.admission == service::Admission::closed; }

/// The schema in use, and the number of one that waits for the next start.
Json schema_json(Driver& driver) {
  const service::Overlay& overlay = driver.transport().overlay();
  std::uint32_t used = driver.hosting().schema().number();
  std::uint32_t held = service::schema_of(overlay).number();
  const char* kind = "built-in";
  if (overlay.schema_kind() == service::SchemaKind::fixed) kind = "fixed";
  if (overlay.schema_kind() == service::SchemaKind::granted) kind = "signed";
  Json out{{"kind", kind}, {"number", used}};
  if (held != used) out["next"] = held;
  return out;
}

Json overlay_json(Driver& driver, const Home& home) {
  Json out{{"name", home.overlay.name},
           {"id", to_hex(home.overlay.id())},
           {"admission", is_closed(home) ? "closed" : "open"},
           {"schema", schema_json(driver)},
           {"authority_here", home.authority.has_value()}};
  if (!home.authority || !is_closed(home)) return out;
  out["open_invites"] = home.authority->open_invites();
  out["members"] = Json::array();
  for (const auto& member : home.authority->members()) {
    out["members"].push_back(
        {{"id", member.id.hex()}, {"until_ms", to_ms(member.credential.not_after)}});
  }
  return out;
}

Json credential_json(const service::Renewal& renewal, bool expelled, WallTime now) {
  WallTime until = renewal.credential().not_after;
  Json out{{"until_ms", to_ms(until)},
           {"left_s", std::max<std::int64_t>(0, (until - now).count() / 1000)},
           {"renewal_ms", to_ms(renewal.due())}};
  if (expelled) out["expelled"] = true;
  if (!renewal.trouble().empty()) out["trouble"] = printable(renewal.trouble(), 200);
  return out;
}

/// As a newcomer elsewhere can dial them: "all addresses of this machine" says nothing there.
std::vector<std::string> addresses_for_others(Driver& driver) {
  std::vector<std::string> out;
  for (const std::string& told : driver.transport().addresses()) {
    for (std::string& address : config::reachable_at(told)) out.push_back(std::move(address));
  }
  if (out.size() > most_in_invite) out.resize(most_in_invite);
  return out;
}

Result<service::Invite> make_invite(Driver& driver, Home& home) {
  auto addresses = addresses_for_others(driver);
  WallTime now = driver.service().kernel().now().wall;
  if (home.authority && is_closed(home))
    return home.authority->invite(driver.transport().id(), addresses, now);
  if (is_closed(home)) {
    return Error{ErrorCode::refused,
                 "only the node that holds the authority's key can invite to this overlay"};
  }
  return service::Invite{.overlay = home.overlay.id(),
                         .name = home.overlay.name,
                         .admission = service::Admission::open,
                         .inviter = driver.transport().id(),
                         .not_after = now + std::chrono::hours(7 * 24),
                         .addresses = addresses};
}

void invite(Driver& driver, Home& home, const Answer& answer) {
  auto made = make_invite(driver, home);
  if (!made) return answer.problem(made.error());
  answer.json({{"invite", made->text()},
               {"overlay", made->name},
               {"addresses", made->addresses},
               {"once", made->secret.has_value()},
               {"until_ms", to_ms(made->not_after)}});
}

Result<chord::Id> find_member(const io::Authority& authority, const std::string& prefix) {
  std::vector<chord::Id> found;
  for (const auto& member : authority.members()) {
    if (member.id.hex().starts_with(prefix)) found.push_back(member.id);
  }
  if (prefix.size() < 6) return invalid("say at least 6 hexadecimal digits of the node's id");
  if (found.empty())
    return Error{ErrorCode::not_found, fmt::format("no member '{}'", printable(prefix, 60))};
  if (found.size() > 1)
    return invalid(fmt::format("'{}' fits {} members; say more digits", prefix, found.size()));
  return found.front();
}

void revoke(Driver& driver, Home& home, const ApiRequest& request, const Answer& answer) {
  if (!is_closed(home))
    return answer.problem({ErrorCode::refused, "an open overlay has no members to expel"});
  if (!home.authority) {
    return answer.problem(
        {ErrorCode::refused, "only the node that holds the authority's key can expel members"});
  }
  auto body = request.body();
  if (!body) return answer.problem(body.error());
  if (!body->is_object() || !body->contains("node") || !(*body)["node"].is_string()) {
    return answer.problem(invalid("wanted {\"node\": \"id\"}"));
  }
  auto member = find_member(*home.authority, (*body)["node"].get<std::string>());
  if (!member) return answer.problem(member.error(), "See: beckon overlay show");
  auto list = home.authority->revoke(*member, driver.service().kernel().now().wall);
  if (!list) return answer.problem(list.error());
  auto spread = driver.transport().set_revocations(*list);
  if (!spread) return answer.problem(spread.error());
  answer.json({{"node", member->hex()}, {"version", list->version}});
}

/// Kept before it is told: what others have heard of must not be gone after a crash.
void grow_schema(Driver& driver, Home& home, const ApiRequest& request, const Answer& answer) {
  const service::Overlay& present = driver.transport().overlay();
  if (present.schema_kind() == service::SchemaKind::granted && !home.authority) {
    return answer.problem(
        {ErrorCode::refused, "only the node that holds the authority's key can change the schema"});
  }
  if (!home.authority) {  // says why this overlay's schema cannot grow
    return answer.problem(service::check_growth(present, {}, Ed25519()).error());
  }
  auto next = home.authority->grow(present, request.http.body);
  if (!next) return answer.problem(next.error());
  service::Overlay grown = present;
  grown.schema = *next;
  if (auto kept = keep_overlay(home.paths, grown); !kept) return answer.problem(kept.error());
  if (auto spread = driver.transport().set_schema(*next); !spread)
    return answer.problem(spread.error());
  answer.json(schema_json(driver));
}

}  // namespace

void add_overlay_routes(Driver& driver, Home& home) {
  service::Api& api = driver.service().api();
  if (const service::Renewal* renewal = driver.renewal()) {
    driver.service().status_field("credential", [renewal, &driver] {
      const io::Transport& transport = driver.transport();
      bool expelled = transport.revocations().contains(transport.id());
      return credential_json(*renewal, expelled, driver.service().kernel().now().wall);
    });
  }
  driver.service().status_field("schema", [&driver] { return schema_json(driver); });
  api.route("GET", "/v1/overlay", [&driver, &home](const ApiRequest&, Answer answer) {
    answer.json(overlay_json(driver, home));
  });
  api.route("POST", "/v1/overlay/schema",
            [&driver, &home](const ApiRequest& request, Answer answer) {
              grow_schema(driver, home, request, answer);
            });
  api.route("POST", "/v1/overlay/invites",
            [&driver, &home](const ApiRequest&, Answer answer) { invite(driver, home, answer); });
  api.route("POST", "/v1/overlay/revocations",
            [&driver, &home](const ApiRequest& request, Answer answer) {
              revoke(driver, home, request, answer);
            });
}

}  // namespace beckon
