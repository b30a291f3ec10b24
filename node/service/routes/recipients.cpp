// SPDX-License-Identifier: MIT
#include "node/service/routes/recipients.h"

#include <fmt/core.h>

#include "base/json.h"
#include "base/text.h"
#include "profile/language/query_text.h"

namespace beckon::service {

namespace {

constexpr std::size_t shortest_prefix = 6;
constexpr Duration find_timeout = std::chrono::seconds(5);
constexpr std::string_view unreadable_query = "cannot read the query";

/// The longest beginning of at most `limit` bytes that does not end inside a character.
std::string beginning(std::string_view text, std::size_t limit) {
  if (text.size() > limit) {
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) --limit;
    text = text.substr(0, limit);
  }
  return std::string(text);
}

Result<std::string> text_of(const Json& object, const char* name, std::size_t limit) {
  auto found = object.find(name);
  if (found == object.end()) return std::string();
  if (!found->is_string() || found->text().size() > limit) {
    return invalid(fmt::format("'{}' must be a text of at most {} bytes", name, limit));
  }
  return found->get<std::string>();
}

template <std::size_t size>
Result<std::array<std::uint8_t, size>> hex_of(const Json& object, const char* name) {
  auto text = text_of(object, name, 2 * size);
  if (!text) return text.error();
  if (text->empty()) return std::array<std::uint8_t, size>{};
  auto bytes = from_hex(*text);
  if (!bytes || bytes->size() != size)
    return invalid(fmt::format("'{}' must be {} hexadecimal digits", name, 2 * size));
  return ByteReader(*bytes).array<size>();
}

PersonRef person_ref(const Contact& contact) {
  return {.key = contact.key,
          .name = contact.name,
          .message_key = contact.message_key,
          .host = contact.host};
}

bool is_prefix(std::string_view who) {
  return who.size() >= shortest_prefix && who.size() <= 2 * UserId::size &&
         who.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Everybody this user could mean by an id, with what is known of them.
std::map<UserId, PersonRef> acquaintances(Hosting& hosting, const UserId& user,
                                          std::string_view prefix) {
  std::map<UserId, PersonRef> out;
  auto add = [&](const UserId& id, const PersonRef& callee) {
    if (id.hex().starts_with(prefix)) out.emplace(id, callee);
  };
  for (const auto& [id, contact] : hosting.mail().contacts().of(user)) add(id, person_ref(contact));
  for (const auto& [id, other] : hosting.users().all()) {
    if (!id.hex().starts_with(prefix)) continue;
    add(id, {.key = other.key,
             .name = public_name(hosting.schema(), other),
             .message_key = hpke::public_key(other.message_keys.front().secret),
             .host = hosting.service().kernel().self()});
  }
  for (const PublicKey& key : hosting.mail().inbox().senders(user)) add(user_id(key), {.key = key});
  return out;
}

struct Gathering {
  const profile::Schema& schema;
  UserId asker{};
  Target target{};
  std::size_t bound{};
  TargetDone done{};
};

void gather(Hosting& hosting, const UserId& asker, const std::string& text, std::size_t bound,
            TargetDone done) {
  auto reading = profile::read_query(hosting.schema(), text);
  if (!reading.query) {
    return done(
        invalid(fmt::format("{}\n{}", unreadable_query, profile::picture(text, reading.problems))));
  }
  // Shared by the two ends of the listener, whichever comes last.
  auto gathering = std::make_shared<Gathering>(Gathering{
      .schema = hosting.schema(), .asker = asker, .bound = bound, .done = std::move(done)});
  auto hit = [gathering](const Person& person) {
    Target& target = gathering->target;
    if (!person.verified) {
      ++target.unconfirmed;
      return;
    }
    PersonRef callee = person.callee;
    if (callee.id() == gathering->asker) return;  // nobody means oneself by a query
    Card card = read_card(gathering->schema, person.card);
    if (callee.name.empty()) callee.name = beginning(card.name, Letter::max_name);
    target.cards[callee.id()] = std::move(card);
    if (target.callees.size() < gathering->bound) target.callees.push_back(std::move(callee));
  };
  auto finished = [gathering](const FindReport& report) {
    gathering->target.query = report.query;
    gathering->target.complete = report.complete;
    gathering->target.limited = report.limited;
    gathering->done(std::move(gathering->target));
  };
  auto started = hosting.search().finder().start(
      {.query = *std::move(reading.query), .limit = bound, .timeout = find_timeout},
      {.hit = hit, .done = finished});
  if (!started) gathering->done(started.error());
}

Result<Target> listed(Hosting& hosting, const UserId& user, const Json& to, std::size_t bound) {
  Error shape = invalid("'to' must be a list of names and of people as a find gives them");
  Json one = Json::array({to});
  const Json& list = to.is_array() ? to : one;
  if (list.empty() || list.size() > bound) return shape;
  Target out;
  std::set<UserId> seen;
  for (const Json& entry : list) {
    if (!entry.is_string() && !entry.is_object()) return shape;
    auto callee =
        entry.is_object() ? read_person_ref(entry) : known_person(hosting, user, entry.text());
    if (!callee) return callee.error();
    if (seen.insert(callee->id()).second) out.callees.push_back(*std::move(callee));
  }
  return out;
}

}  // namespace

Result<UserId> acting_user(const Users& users, const ApiRequest& request) {
  auto name = request.query("_as");
  if (name) return users.resolve(*name);
  if (users.me() == nullptr) return Error{ErrorCode::not_found, "this node hosts no user"};
  return users.me()->id();
}

std::string public_name(const profile::Schema& schema, const User& user) {
  const auto& profile = user.profile->read;
  bool shown = profile && profile->visibility(schema, "name") == profile::Visibility::shown;
  return shown ? beginning(first_name(*user.profile), Letter::max_name) : std::string();
}

Result<PersonRef> read_person_ref(const Json& json) {
  auto key = hex_of<32>(json, "key");
  auto message_key = hex_of<32>(json, "message_key");
  auto host = hex_of<Id::size>(json, "host");
  auto address = text_of(json, "address", chord::max_address_size);
  auto name = text_of(json, "name", 1024);
  if (!key) return key.error();
  if (!message_key) return message_key.error();
  if (!host) return host.error();
  if (!address) return address.error();
  if (!name) return name.error();
  if (*key == PublicKey{}) return invalid("a person needs a 'key' of 64 hexadecimal digits");
  return PersonRef{.key = *key,
                   .name = beginning(*name, Letter::max_name),
                   .message_key = *message_key,
                   .host = {.id = Id{*host}, .address = *address}};
}

Result<PersonRef> known_person(Hosting& hosting, const UserId& user, const std::string& who) {
  if (const Contact* contact = hosting.mail().contacts().by_alias(user, who))
    return person_ref(*contact);
  if (looks_like_address(who)) {
    auto callee = hosting.at_address(who);
    const Contact* known = callee ? hosting.mail().contacts().find(user, callee->id()) : nullptr;
    return known != nullptr ? person_ref(*known) : callee;
  }
  if (who.size() == 64) {
    auto key = from_hex(who);
    if (key) return PersonRef{.key = ByteReader(*key).array<32>()};
  }
  std::string shown = printable(who, 80);
  if (!is_prefix(who)) {
    return Error{
        ErrorCode::not_found,
        fmt::format("'{}' is no alias of a contact, no address, and no User-ID of 6 digits or more",
                    shown)};
  }
  auto fitting = acquaintances(hosting, user, who);
  if (fitting.size() == 1) return fitting.begin()->second;
  if (fitting.empty()) {
    return Error{ErrorCode::not_found,
                 fmt::format("nobody you know of has a User-ID beginning with {}", shown)};
  }
  return invalid(fmt::format("{} fits {} people; write more digits", shown, fitting.size()));
}

Result<std::size_t> read_most(const Json& body, std::size_t bound) {
  auto all = body.find("all");
  if (all != body.end() && !all->is_boolean()) return invalid("'all' must be true or false");
  auto most = body.find("most");
  if (most == body.end()) {
    return all != body.end() && all->get<bool>() ? bound : std::size_t{1};
  }
  if (!most->is_number_unsigned() || most->get<std::uint64_t>() < 1)
    return invalid("'most' must be a number of people, 1 or more");
  return std::min<std::uint64_t>(most->get<std::uint64_t>(), bound);
}

void resolve_target(Hosting& hosting, const UserId& user, const Json& body, std::size_t bound,
                    TargetDone done) {
  auto query = text_of(body, "query", profile::Query::max_text);
  if (!query) return done(query.error());
  auto to = body.find("to");
  if (query->empty() == (to == body.end()))
    return done(invalid("say whom to reach: 'to' or 'query', one of them"));
  if (query->empty()) return done(listed(hosting, user, *to, bound));
  gather(hosting, user, *query, bound, std::move(done));
}

void tell_problem(const Answer& answer, const Error& error, const std::string& hint) {
  std::string start = std::string(unreadable_query) + "\n";
  if (!error.text.starts_with(start)) return answer.problem(error, hint);
  answer.problem(400, "Bad request", std::string(unreadable_query), hint,
                 error.text.substr(start.size()));
}

Letter::Number group_thread(const std::string& canonical_query) {
  Digest digest = sha256({as_bytes("group"), as_bytes(canonical_query)});
  Letter::Number out;
  std::copy_n(digest.begin(), out.size(), out.begin());
  return out;
}

}  // namespace beckon::service
