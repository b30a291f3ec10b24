// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>

#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "node/service/assembly/hosting.h"
#include "node/service/routes/find_json.h"
#include "node/service/routes/peer_json.h"
#include "node/service/routes/routes.h"
#include "profile/language/query_text.h"

namespace beckon::service {

namespace {

constexpr std::uint64_t max_limit = 10'000;
constexpr Duration max_timeout = std::chrono::minutes(1);
constexpr std::size_t cookie_bytes = 16;
constexpr Duration progress_every = std::chrono::milliseconds(500);

/// The reserved parameters of /v1/find, read.
struct Wish {
  std::size_t limit = 50;
  Duration timeout = std::chrono::seconds(5);
  bool explain = false;
  bool unverified = false;
  std::optional<std::string> cookie{};
};

Result<std::uint64_t> number(const ApiRequest& request, const char* name, std::uint64_t max) {
  std::string text = request.query(name).value_or("");
  std::uint64_t out = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (problem == std::errc{} && end == text.data() + text.size() && out >= 1 && out <= max)
    return out;
  return invalid(fmt::format("{} must be 1..{}, got '{}'", name, max, printable(text, 40)));
}

Result<bool> flag(const ApiRequest& request, const char* name) {
  std::string text = request.query(name).value_or("0");
  if (text == "0" || text == "1") return text == "1";
  return invalid(fmt::format("{} must be 0 or 1, got '{}'", name, printable(text, 40)));
}

Result<Wish> read_wish(const ApiRequest& request) {
  static const std::set<std::string> known{"_limit",  "_timeout", "_explain", "_unverified",
                                           "_cookie", "_q",       "_as"};
  for (const auto& [name, value] : request.http.query) {
    if (name.starts_with("_") && !known.contains(name))
      return invalid(fmt::format("there is no parameter {}", printable(name, 40)));
  }
  Wish out;
  auto timeout = request.duration("_timeout", out.timeout);
  if (!timeout) return timeout.error();
  if (*timeout <= Duration::zero() || *timeout > max_timeout)
    return invalid("_timeout must be more than 0 and at most 1m");
  out.timeout = *timeout;
  auto explain = flag(request, "_explain");
  auto unverified = flag(request, "_unverified");
  if (!explain) return explain.error();
  if (!unverified) return unverified.error();
  out.explain = *explain;
  out.unverified = *unverified;
  if (request.query("_limit")) {
    auto limit = number(request, "_limit", max_limit);
    if (!limit) return limit.error();
    out.limit = *limit;
  }
  out.cookie = request.query("_cookie");
  bool asks = request.query("_q") || !query_text(request.http.query).empty();
  if (out.cookie && (asks || request.query("_unverified")))
    return invalid(
        "_cookie goes on with a search as it began; leave out the query and _unverified");
  return out;
}

/// An order that depends on the question and the people alone: equal finds list them equally, and
/// nobody is first for every question.
std::vector<const Person*> in_order(const std::vector<Person>& people, const std::string& query) {
  std::map<Digest, const Person*> sorted;
  for (const Person& person : people)
    sorted.emplace(sha256(as_bytes(query + '\n' + person.callee.id().hex())), &person);
  std::vector<const Person*> out;
  for (const auto& [digest, person] : sorted) out.push_back(person);
  return out;
}

/// What an asker is told about one search, at the end or as it comes.
struct Exchange {
  Answer answer;
  Wish wish{};
  Finder::SearchId search{};
  bool stream = false;
  std::vector<std::string> attributes{};
  std::vector<Person> verified{};
  std::vector<Person> unverified{};
  std::size_t told{};  // in a stream, as they came
  bool over = false;
};

/// The handlers of /v1/find. Searches that stopped at their limit are named by a cookie, which
/// nobody can guess and no later run of the node gives again.
class FindRoutes {
 public:
  explicit FindRoutes(Hosting& hosting) : hosting_(hosting) {}

  void find(const ApiRequest& request, const Answer& answer) {
    auto wish = read_wish(request);
    if (!wish) return answer.problem(wish.error());
    auto exchange = std::make_shared<Exchange>(Exchange{.answer = answer, .wish = *wish});
    exchange->stream = request.http.wants_stream;
    wish->cookie ? go_on(exchange) : begin(request, exchange);
  }

 private:
  struct Open {  // what a cookie stands for
    Finder::SearchId search{};
    bool unverified = false;
    std::vector<std::string> attributes{};
  };
  using ExchangePtr = std::shared_ptr<Exchange>;  // shared by the listeners of one search

  Finder& finder() { return hosting_.search().finder(); }

  void begin(const ApiRequest& request, const ExchangePtr& exchange) {
    auto text = request.query("_q");
    std::string fields = query_text(request.http.query);
    if (text && !fields.empty()) {
      return exchange->answer.problem(invalid("give the query as _q or as fields, not both"));
    }
    std::string asked = text.value_or(fields);
    auto reading = profile::read_query(hosting_.schema(), asked);
    if (!reading.query) {
      return exchange->answer.problem(400, "Bad request", "cannot read the query", "",
                                      profile::picture(asked, reading.problems));
    }
    exchange->attributes = asked_attributes(*reading.query);
    auto id = finder().start({.query = *std::move(reading.query),
                              .limit = exchange->wish.limit,
                              .timeout = exchange->wish.timeout,
                              .unverified = exchange->wish.unverified},
                             listener(exchange));
    if (!id) return exchange->answer.problem(id.error());
    started(*id, exchange);
  }

  void go_on(const ExchangePtr& exchange) {
    auto known = open_.find(*exchange->wish.cookie);
    auto went = known == open_.end()
                    ? Result<void>(Error{ErrorCode::not_found, "this search is over"})
                    : finder().more(known->second.search, exchange->wish.limit,
                                    exchange->wish.timeout, listener(exchange));
    if (!went) return exchange->answer.problem(went.error(), "Ask again from the start");
    exchange->wish.unverified = known->second.unverified;
    exchange->attributes = known->second.attributes;
    started(known->second.search, exchange);
  }

  /// The one the asker has already, or a new one.
  std::string cookie_for(const Exchange& exchange) {
    std::erase_if(open_, [&](const auto& entry) { return !finder().open(entry.second.search); });
    if (exchange.wish.cookie) return *exchange.wish.cookie;
    auto secret = hosting_.service().kernel().secrets().next();
    std::string cookie = to_hex(ByteView(secret).first(cookie_bytes));
    open_[cookie] = {.search = exchange.search,
                     .unverified = exchange.wish.unverified,
                     .attributes = exchange.attributes};
    return cookie;
  }

  void started(Finder::SearchId id, const ExchangePtr& exchange) {
    exchange->search = id;
    exchange->answer.when_gone([this, id] { finder().cancel(id); });
    if (!exchange->stream) return;
    exchange->answer.begin_stream();
    tell_progress(id, exchange);
  }

  void tell_progress(Finder::SearchId id, const ExchangePtr& exchange) {
    hosting_.service().kernel().after(progress_every, [this, id, exchange] {
      const FindReport* report = finder().progress(id);
      if (exchange->over || report == nullptr || !exchange->answer.open()) return;
      Json told = stats_json(*report);
      told.erase("elapsed_ms");
      told["found"] = report->found;
      exchange->answer.event({.name = "progress", .json = told.dump()});
      tell_progress(id, exchange);
    });
  }

  Finder::Listener listener(const ExchangePtr& exchange) {
    return {.hit = [this, exchange](Person person) { hit(*exchange, std::move(person)); },
            .done = [this, exchange](const FindReport& report) { done(*exchange, report); }};
  }

  /// Whether there was anybody to ask.
  Json ring() const {
    Service& service = hosting_.service();
    return {{"state", to_text(service.membership().state())},
            {"peers", service.ring().successors().size()},
            {"degraded", service.ring().degraded()}};
  }

  void hit(Exchange& exchange, Person person) {
    if (!person.verified && !exchange.wish.unverified) return;
    if (!exchange.stream) {
      auto& list = person.verified ? exchange.verified : exchange.unverified;
      return list.push_back(std::move(person));
    }
    ++exchange.told;
    exchange.answer.event({.name = "hit", .json = person_json(hosting_.schema(), person).dump()});
  }

  Json people(const Exchange& exchange, const std::string& query) const {
    Json out = Json::array();
    for (const auto* list : {&exchange.verified, &exchange.unverified}) {
      for (const Person* person : in_order(*list, query))
        out.push_back(person_json(hosting_.schema(), *person));
    }
    return out;
  }

  void done(Exchange& exchange, const FindReport& report) {
    exchange.over = true;
    Json told{{"query", report.query}, {"complete", report.complete}, {"limited", report.limited}};
    exchange.stream ? told["found"] = exchange.told
                    : told["people"] = people(exchange, report.query);
    told["stats"] = stats_json(report);
    told["ring"] = ring();
    told["attributes"] = exchange.attributes;
    if (report.limited) told["cookie"] = cookie_for(exchange);
    if (exchange.wish.explain) told["explain"] = explain_json(report);
    if (!exchange.stream) return exchange.answer.json(told);
    exchange.answer.event({.name = "done", .json = told.dump()});
    exchange.answer.end_stream();
  }

  Hosting& hosting_;
  std::map<std::string, Open> open_{};  // no more than the finder keeps open
};

}  // namespace

void add_find_routes(Hosting& hosting) {
  auto routes = std::make_shared<FindRoutes>(hosting);  // as long as the route
  hosting.service().api().route(
      "GET", "/v1/find",
      [routes](const ApiRequest& request, Answer answer) { routes->find(request, answer); });
}

}  // namespace beckon::service
