// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "node/service/mail/mail_json.h"
#include "node/service/routes/peer_json.h"
#include "node/service/routes/recipients.h"
#include "node/service/routes/routes.h"

namespace beckon::service {

namespace {

constexpr std::size_t max_callees = 5'000;
constexpr std::size_t max_listed = 1'000;
constexpr Duration max_wait = std::chrono::hours(1);
constexpr Duration look_every = std::chrono::milliseconds(200);

/// One POST /v1/messages from the asker's side, until it is answered.
struct Sending {
  Answer answer;
  UserId from{};
  std::string text{};
  std::size_t most{};
  bool wait = false;
  bool stream = false;
  Duration timeout = std::chrono::minutes(1);
  Target target{};
  Time began{};
  bool over = false;
  bool changed = false;  // since the last progress event
};
using SendingPtr = std::shared_ptr<Sending>;  // kept by the search and the messenger

Result<std::string> text_field(const Json& body, const char* name) {
  auto found = body.is_object() ? body.find(name) : body.end();
  if (found == body.end() || !found->is_string())
    return invalid(fmt::format("'{}' must be a text", name));
  return found->get<std::string>();
}

Result<void> read_waiting(const Json& body, Sending& sending) {
  auto wait = body.find("wait");
  if (wait != body.end() && !wait->is_boolean()) return invalid("'wait' must be true or false");
  sending.wait = wait != body.end() && wait->get<bool>();
  if (!body.contains("timeout")) return {};
  auto text = text_field(body, "timeout");
  if (!text) return text.error();
  auto timeout = parse_duration(*text);
  if (!timeout) return invalid("timeout: " + timeout.error().text);
  if (*timeout <= Duration::zero() || *timeout > max_wait)
    return invalid("'timeout' must be more than 0 and at most 1h");
  sending.timeout = *timeout;
  return {};
}

/// Whether the asker has its answer. What has come to its end needs no promise of ours; what has
/// not is promised to go on only once it is durable here.
bool settled(const SentLetter& sent, bool wait) {
  if (!sent.open()) return true;
  if (wait || !sent.durable) return false;
  return std::none_of(sent.to.begin(), sent.to.end(), [](const auto& entry) {
    return entry.second.state == SendState::sending || entry.second.state == SendState::waiting;
  });
}

/// The handlers of /v1/messages: sending, and reading what has come.
class MessageRoutes {
 public:
  explicit MessageRoutes(Hosting& hosting) : hosting_(hosting) {}

  void send(const ApiRequest& request, const Answer& answer) {
    auto sending = std::make_shared<Sending>(Sending{.answer = answer, .began = now()});
    auto body = request.body();
    if (!body) return answer.problem(body.error());
    if (auto good = read(request, *body, *sending); !good) return answer.problem(good.error());
    resolve_target(hosting_, sending->from, *body, max_callees,
                   [this, sending](Result<Target> target) {
                     if (!target) return tell_problem(sending->answer, target.error());
                     sending->target = *std::move(target);
                     post(sending);
                   });
  }

  void list(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    auto since = number(request, "since");
    if (!user) return answer.problem(user.error());
    if (!since) return answer.problem(since.error());
    std::optional<PublicKey> with;
    if (auto who = request.query("with")) {
      auto callee = known_person(hosting_, *user, *who);
      if (!callee) return answer.problem(callee.error());
      with = callee->key;
    }
    const PublicKey* only = with ? &*with : nullptr;
    Json out{{"user", user->hex()}};
    bool requests = request.query("requests").value_or("0") == "1";
    auto shown = requests ? Json::array() : listed(*user, Inbox::Place::shown, *since, only);
    out["messages"] = std::move(shown);
    out["requests"] = listed(*user, Inbox::Place::requests, *since, only);
    if (request.query("sent").value_or("0") == "1") out["sent"] = sent(*user, with);
    out["event"] = std::to_string(hosting_.service().api().last_event());
    answer.json(out);
  }

  void one(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return answer.problem(user.error());
    auto id = parse(request.path.at("id"));
    auto arrived = id ? inbox().at(*user, *id) : Result<Inbox::Arrived>(id.error());
    if (!arrived) return answer.problem(arrived.error(), "See: beckon inbox");
    answer.json(message_json(arrived->message, arrived->place,
                             contact(*user, user_id(arrived->message.letter.from))));
  }

  void mark_read(const ApiRequest& request, const Answer& answer) {
    auto user = acting_user(hosting_.users(), request);
    if (!user) return answer.problem(user.error());
    auto body = request.body();
    if (!body) return answer.problem(body.error());
    bool one = body->is_object() && body->contains("id");
    auto text = text_field(*body, one ? "id" : "upto");
    auto last = text ? parse(*text) : Result<std::uint64_t>(text.error());
    if (!last) return answer.problem(last.error());
    Inbox::Range range{.first = one ? *last : 0, .last = *last};
    inbox().mark_read(*user, range, [this, user = *user, answer](const Result<void>& done) {
      if (!done) return answer.problem(done.error());
      answer.json({{"unread", inbox().counts(user).unread}});
    });
  }

 private:
  Time now() const { return hosting_.service().kernel().now().mono; }
  Inbox& inbox() { return hosting_.mail().inbox(); }
  Messenger& messenger() { return hosting_.mail().messenger(); }
  const Contact* contact(const UserId& user, const UserId& who) {
    return hosting_.mail().contacts().find(user, who);
  }

  static Result<std::uint64_t> parse(const std::string& text) {
    std::uint64_t out = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem == std::errc{} && end == text.data() + text.size()) return out;
    return invalid(fmt::format("a message is named by its number, got '{}'", printable(text, 40)));
  }
  static Result<std::uint64_t> number(const ApiRequest& request, const char* name) {
    auto text = request.query(name);
    return text ? parse(*text) : Result<std::uint64_t>(std::uint64_t{0});
  }

  Result<void> read(const ApiRequest& request, const Json& body, Sending& sending) {
    if (!body.is_object()) return invalid("a message is a JSON object");
    auto user = acting_user(hosting_.users(), request);
    if (!user) return user.error();
    auto text = text_field(body, "text");
    if (!text) return text.error();
    auto most = read_most(body, max_callees);
    if (!most) return most.error();
    sending.from = *user;
    sending.text = *std::move(text);
    sending.most = *most;
    sending.stream = request.http.wants_stream;
    return read_waiting(body, sending);
  }

  void post(const SendingPtr& sending) {
    const Target& target = sending->target;
    bool too_many = target.callees.size() > sending->most;
    if (target.callees.empty() || too_many) return finish(sending, SentLetter{});
    bool group = !target.query.empty() && target.callees.size() > 1;
    Messenger::Send send{
        .from = sending->from,
        .name = public_name(hosting_.schema(), *hosting_.users().find(sending->from)),
        .to = target.callees,
        .text = std::move(sending->text),
        .thread = group ? group_thread(target.query) : Letter::Number{}};
    auto name = messenger().send(std::move(send), [sending](const Result<void>& kept) {
      if (!kept && !std::exchange(sending->over, true)) sending->answer.problem(kept.error());
    });
    if (!name) return sending->answer.problem(name.error());
    follow(sending, *name);
  }

  void follow(const SendingPtr& sending, const Outbox::Name& name) {
    messenger().watch(name, [this, sending, name](const SentLetter& sent) {
      sending->changed = true;
      if (sending->answer.open() && !settled(sent, sending->wait)) return;
      forget(name);
      finish(sending, sent);
    });
    followed_.emplace(name, sending);
    if (sending->stream) sending->answer.begin_stream();
    look_after_all();
  }

  void forget(const Outbox::Name& name) {
    messenger().unwatch(name);
    followed_.erase(name);
  }

  /// One timer for all that are under way, however many and however patient their askers are.
  void look_after_all() {
    if (looking_) return;
    looking_ = hosting_.service().kernel().timer(look_every, [this] {
      for (const auto& [name, sending] : std::map(followed_)) look_after(name, sending);
      if (!followed_.empty()) look_after_all();
    });
  }

  void look_after(const Outbox::Name& name, const SendingPtr& sending) {
    const SentLetter* sent = hosting_.mail().outbox().find(name);
    if (!sending->answer.open()) return forget(name);
    if (sent == nullptr || now() - sending->began >= sending->timeout) {
      forget(name);
      return finish(sending, sent != nullptr ? *sent : SentLetter{});
    }
    if (sending->stream && std::exchange(sending->changed, false))
      sending->answer.event({.name = "progress", .json = progress_json(*sent).dump()});
  }

  /// The whole answer. Nothing was sent when nobody was found, or more than the asker allowed.
  void finish(const SendingPtr& sending, const SentLetter& sent) {
    if (std::exchange(sending->over, true)) return;
    const Target& target = sending->target;
    Json out = sent_letter_json(sent);
    if (sent.to.empty()) out["id"] = nullptr;
    out["found"] = target.callees.size();
    out["elapsed_ms"] = milliseconds(now() - sending->began);
    if (!target.query.empty()) {
      out["query"] = target.query;
      out["complete"] = target.complete && !target.limited;
      out["unconfirmed"] = target.unconfirmed;
    }
    if (!sending->stream) return sending->answer.json(out);
    sending->answer.begin_stream();
    sending->answer.event({.name = "done", .json = out.dump()});
    sending->answer.end_stream();
  }

  Json listed(const UserId& user, Inbox::Place place, std::uint64_t since, const PublicKey* with) {
    Json out = Json::array();
    auto messages = inbox().list(user, place, since, with, max_listed);
    if (!messages) return out;
    bool whole = place == Inbox::Place::shown;
    for (const Message& message : *messages) {
      const Contact* sender = contact(user, user_id(message.letter.from));
      out.push_back(message_json(message, place, sender, whole));
    }
    return out;
  }

  Json sent(const UserId& user, const std::optional<PublicKey>& with) {
    std::vector<const SentLetter*> sent_letters;
    for (const auto& [name, sent] : hosting_.mail().outbox().all()) {
      bool wanted = !with || sent.to.contains(user_id(*with));
      if (name.first == user && wanted) sent_letters.push_back(&sent);
    }
    std::sort(
        sent_letters.begin(), sent_letters.end(), [](const SentLetter* a, const SentLetter* b) {
          return std::pair(a->letter.time, a->letter.id) < std::pair(b->letter.time, b->letter.id);
        });
    if (sent_letters.size() > max_listed)
      sent_letters.erase(sent_letters.begin(),
                         sent_letters.end() - static_cast<std::ptrdiff_t>(max_listed));
    Json out = Json::array();
    for (const SentLetter* sent : sent_letters) {
      Json json = sent_letter_json(*sent);
      json["text"] = sent->letter.body;
      json["time"] = iso_time(sent->letter.time);
      out.push_back(std::move(json));
    }
    return out;
  }

  Hosting& hosting_;
  std::map<Outbox::Name, SendingPtr> followed_{};
  Timer looking_{};
};

}  // namespace

void add_message_routes(Hosting& hosting) {
  auto routes = std::make_shared<MessageRoutes>(hosting);  // as long as the routes
  Api& api = hosting.service().api();
  api.route("POST", "/v1/messages",
            [routes](const ApiRequest& r, Answer a) { routes->send(r, a); });
  api.route("GET", "/v1/messages", [routes](const ApiRequest& r, Answer a) { routes->list(r, a); });
  api.route("POST", "/v1/messages/read",
            [routes](const ApiRequest& r, Answer a) { routes->mark_read(r, a); });
  api.route("GET", "/v1/messages/{id}",
            [routes](const ApiRequest& r, Answer a) { routes->one(r, a); });
  hosting.service().status_field("inbox", [&hosting] {
    const User* me = hosting.users().me();
    auto counts = me != nullptr ? hosting.mail().inbox().counts(me->id()) : Inbox::Counts{};
    return Json{{"unread", counts.unread}, {"requests", counts.requests}};
  });
}

}  // namespace beckon::service
