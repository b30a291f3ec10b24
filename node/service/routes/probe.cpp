// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "node/service/assembly/service.h"
#include "node/service/routes/peer_json.h"
#include "node/service/routes/routes.h"

namespace beckon::service {

namespace {

constexpr std::size_t shortest_prefix = 4;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The one peer meant by an id, the beginning of one, or an address.
Result<PeerRef> find_peer(const chord::RingNode& ring, const std::string& name) {
  if (name.size() < shortest_prefix) {
    return invalid("say which node: at least 4 hexadecimal digits of its id, or its address");
  }
  std::map<Id, PeerRef> found;
  for (const auto& list : {ring.known(), ring.passive(), ring.neighbours(), {ring.self()}}) {
    for (const PeerRef& peer : list) {
      if (peer.address == name || (is_hex(name) && peer.id.hex().starts_with(name)))
        found[peer.id] = peer;
    }
  }
  if (found.empty()) {
    return Error{ErrorCode::not_found,
                 fmt::format("this node knows no peer '{}'", printable(name, 60))};
  }
  if (found.size() > 1) {
    return invalid(fmt::format("'{}' fits {} peers; say more digits", name, found.size()));
  }
  return found.begin()->second;
}

void ping(Service& service, const ApiRequest& request, const Answer& answer) {
  auto peer = find_peer(service.ring(), request.query("node").value_or(""));
  if (!peer) return answer.problem(peer.error(), "See: beckon net peers");
  if (peer->id == service.ring().self().id) {
    return answer.json({{"id", peer->id.hex()}, {"address", peer->address}, {"round_trip_ms", 0}});
  }
  service.kernel().ping(*peer, [answer](const chord::PingDone& done) {
    Json trip = done.round_trip ? Json(milliseconds(*done.round_trip)) : Json();
    answer.json({{"id", done.peer.id.hex()},
                 {"address", done.peer.address},
                 {"round_trip_ms", trip},
                 {"busy", done.busy}});
  });
}

const char* to_text(chord::LookupOutcome outcome) {
  switch (outcome) {
    case chord::LookupOutcome::found:
      return "found";
    case chord::LookupOutcome::timed_out:
      return "timed_out";
    case chord::LookupOutcome::ring_unreachable:
      return "ring_unreachable";
  }
  return "ring_unreachable";
}

Json trace_json(const std::string& text, const chord::LookupDone& done) {
  Json path = Json::array();
  for (const Id& id : done.path) path.push_back(id.hex());
  bool found = done.outcome == chord::LookupOutcome::found;
  return {{"key", done.key.hex()},
          {"text", text},
          {"outcome", to_text(done.outcome)},
          {"owner", found ? to_json(done.owner) : Json()},
          {"contacts", done.contacts},
          {"path", path},
          {"elapsed_ms", milliseconds(done.took)}};
}

constexpr std::size_t shortest_key = 8;  // what `find --explain` shows of a key

/// An id as hex, or its first digits, which lead to the same node on any ring that is not huge.
std::optional<Id> id_from_digits(const std::string& text) {
  constexpr std::size_t digits = 2 * Id::size;
  if (text.size() < shortest_key || text.size() > digits) return std::nullopt;
  auto id = Id::from_hex(text + std::string(digits - text.size(), '0'));
  return id ? std::optional(*id) : std::nullopt;
}

/// A key is an id, or any other text, which is hashed to its place on the ring.
void trace(Service& service, const ApiRequest& request, const Answer& answer) {
  std::string text = request.query("key").value_or("");
  if (text.empty()) return answer.problem(invalid("say which key to trace: ?key=TEXT"));
  auto id = id_from_digits(text);
  Id key = id ? *id : Id::of_digest(sha256(as_bytes(text)));
  std::string shown = id ? "" : text;
  service.kernel().trace(
      key, chord::Freshness::routed,
      [answer, shown](const chord::LookupDone& done) { answer.json(trace_json(shown, done)); });
}

}  // namespace

void add_probe_routes(Service& service) {
  service.api().route("GET", "/v1/net/ping", [&service](const ApiRequest& request, Answer answer) {
    ping(service, request, answer);
  });
  service.api().route("GET", "/v1/net/trace", [&service](const ApiRequest& request, Answer answer) {
    trace(service, request, answer);
  });
}

}  // namespace beckon::service
