// SPDX-License-Identifier: MIT
#include "node/service/mail/calls.h"

#include <algorithm>

#include "base/json.h"

namespace beckon::service {

namespace {

using Op = CallMessage::Op;

Error no_such_call() { return {ErrorCode::not_found, "there is no such call, or it has ended"}; }

Error in_a_call() { return {ErrorCode::conflict, "you are in a call already; hang up first"}; }

}  // namespace

const char* to_text(Call::State state) {
  switch (state) {
    case Call::State::inviting:
      return "inviting";
    case Call::State::ringing:
      return "ringing";
    case Call::State::active:
      return "active";
    case Call::State::ended:
      return "ended";
  }
  return "?";
}

const char* to_text(Call::Standing standing) {
  switch (standing) {
    case Call::Standing::invited:
      return "invited";
    case Call::Standing::joined:
      return "joined";
    case Call::Standing::gone:
      return "gone";
  }
  return "?";
}

Calls::Calls(Context& context, const Users& users, const Contacts& contacts, Courier& courier,
             Options options)
    : context_(context),
      users_(users),
      contacts_(contacts),
      courier_(courier),
      options_(options),
      rate_(options.rate) {}

const Call* Calls::find(const Key& key) const {
  auto found = calls_.find(key);
  return found == calls_.end() ? nullptr : &found->second;
}

std::size_t Calls::open_calls(const UserId& user, const UserId* from) const {
  return static_cast<std::size_t>(
      std::count_if(calls_.begin(), calls_.end(), [&](const auto& entry) {
        return entry.first.first == user && entry.second.state != Call::State::ended &&
               (from == nullptr || entry.second.from == *from);
      }));
}

bool Calls::busy(const UserId& user) const {
  return std::any_of(calls_.begin(), calls_.end(), [&](const auto& entry) {
    return entry.first.first == user && (entry.second.state == Call::State::active ||
                                         entry.second.state == Call::State::inviting);
  });
}

Result<Letter::Number> Calls::invite(const Invite& invite) {
  const User* user = users_.find(invite.from);
  if (user == nullptr) return Error{ErrorCode::not_found, "this node hosts no such user"};
  if (invite.to.empty()) return invalid("a call needs somebody to call");
  if (invite.to.size() >= CallMessage::max_members)
    return invalid("a call holds at most 64 people");
  for (const PersonRef& callee : invite.to) {
    if (callee.id() == invite.from) return invalid("you cannot call yourself");
  }
  if (busy(invite.from)) return in_a_call();
  if (open_calls(invite.from) >= options_.max_calls)
    return Error{ErrorCode::refused, "too many open calls"};
  Call call{.user = invite.from,
            .caller = true,
            .group = invite.to.size() > 1,
            .state = Call::State::inviting,
            .from = invite.from,
            .since = context_.now().mono,
            .invited = context_.now().mono};
  auto secret = context_.secrets().next();
  std::copy_n(secret.begin(), call.id.size(), call.id.begin());
  for (const PersonRef& callee : invite.to) call.members[callee.id()] = {.callee = callee};
  Key key{invite.from, call.id};
  forget_oldest(key.first);
  names_[key] = invite.name;
  Call& stored = calls_.emplace(key, std::move(call)).first->second;
  CallMessage message{.op = Op::invite, .members = {self(*user, invite.name)}};
  if (stored.group)
    message.members.insert(message.members.end(), invite.to.begin(), invite.to.end());
  post_all(stored, message);
  watch();
  return stored.id;
}

/// How others reach this user: the caller says so itself, so that an answer needs no search.
PersonRef Calls::self(const User& user, const std::string& name) const {
  return {.key = user.key,
          .name = name,
          .message_key = hpke::public_key(user.message_keys.front().secret),
          .host = context_.self()};
}

Result<void> Calls::accept(const Key& key, const std::string& name) {
  auto found = calls_.find(key);
  if (found == calls_.end() || found->second.state != Call::State::ringing) return no_such_call();
  if (busy(key.first)) return in_a_call();
  Call& call = found->second;
  names_[key] = name;
  call.state = Call::State::active;
  call.since = context_.now().mono;
  Call::Member& host = call.members.at(call.from);
  host.standing = Call::Standing::joined;
  host.heard = context_.now().mono;
  post(call, call.from, {.op = Op::accept});
  tell(call, "joined", &host);
  return {};
}

Result<void> Calls::decline(const Key& key) {
  auto found = calls_.find(key);
  if (found == calls_.end() || found->second.state != Call::State::ringing) return no_such_call();
  post(found->second, found->second.from, {.op = Op::decline, .text = "declined"});
  end(found->second, "declined");
  return {};
}

Result<void> Calls::hang_up(const Key& key) {
  auto found = calls_.find(key);
  if (found == calls_.end() || found->second.state == Call::State::ended) return no_such_call();
  if (found->second.state == Call::State::ringing) return decline(key);
  post_all(found->second, {.op = Op::hangup});
  end(found->second, "hung up");
  return {};
}

Result<void> Calls::say(const Key& key, const std::string& text) {
  auto found = calls_.find(key);
  if (found == calls_.end() || found->second.state != Call::State::active) return no_such_call();
  if (text.size() > CallMessage::max_line || !is_utf8(text)) {
    return invalid("a line is UTF-8 text of at most 4096 bytes");
  }
  Call& call = found->second;
  CallMessage message{.op = Op::line, .text = text};
  for (auto& [id, member] : call.members) {
    if (member.standing == Call::Standing::joined) post(call, id, message);
  }
  return {};
}

Delivery Calls::take(const User& to, const Letter& letter) {
  UserId sender = user_id(letter.from);
  auto message = decode_call_message(letter.body);
  auto age = context_.now().wall - letter.time;
  bool fresh = age <= options_.skew && age >= -options_.skew;
  Id rate_key = Id::of_digest(sha256({to.id().bytes, letter.from}));
  if (!message || !fresh || !rate_.take(rate_key, 1, context_.now().mono)) return Delivery::refused;
  const Contact* contact = contacts_.find(to.id(), sender);
  if (contact != nullptr && contact->standing == Contact::Standing::blocked)
    return unheard(to, letter, *message);
  auto found = calls_.find({to.id(), letter.thread});
  if (found == calls_.end()) {
    return message->op == Op::invite ? invited(to, letter, *message) : Delivery::refused;
  }
  auto member = found->second.members.find(sender);
  if (member == found->second.members.end()) return Delivery::refused;
  if (message->count <= member->second.last_heard) return Delivery::delivered;  // a repetition
  member->second.last_heard = message->count;
  if (member->second.callee.name.empty()) member->second.callee.name = letter.name;
  return heard(found->second, member->second, *message);
}

Delivery Calls::unheard(const User& to, const Letter& letter, const CallMessage& message) {
  UserId sender = user_id(letter.from);
  Key key{to.id(), letter.thread};
  if (calls_.contains(key)) return Delivery::delivered;  // blocked in the middle of it
  if (auto known = unheard_.find(key); known != unheard_.end())
    return known->second.from == sender ? Delivery::delivered : Delivery::refused;
  auto ringing = std::count_if(unheard_.begin(), unheard_.end(), [&](const auto& entry) {
    return entry.first.first == to.id() && entry.second.from == sender;
  });
  if (message.op != Op::invite || to.policy != Policy::everyone || !has_room(to, sender, true) ||
      static_cast<std::size_t>(ringing) >= options_.max_per_caller) {
    return Delivery::refused;
  }
  unheard_[key] = {.from = sender, .since = context_.now().mono};
  watch();
  return Delivery::delivered;
}

bool Calls::has_room(const User& to, const UserId& sender, bool stranger) const {
  std::size_t most = stranger ? options_.max_of_strangers : options_.max_calls;
  return open_calls(to.id()) < most && open_calls(to.id(), &sender) < options_.max_per_caller;
}

Delivery Calls::invited(const User& to, const Letter& letter, const CallMessage& message) {
  UserId sender = user_id(letter.from);
  bool stranger = contacts_.find(to.id(), sender) == nullptr;
  bool closed = to.policy == Policy::nobody || (to.policy == Policy::contacts && stranger);
  if (closed || !has_room(to, sender, stranger)) return Delivery::refused;
  Call call{.id = letter.thread,
            .user = to.id(),
            .group = message.members.size() > 1,
            .from = sender,
            .since = context_.now().mono,
            .invited = context_.now().mono};
  for (const PersonRef& member : message.members) {
    if (member.id() != to.id()) call.members[member.id()] = {.callee = member};
  }
  Call::Member& host = call.members[sender];
  host.callee.key = letter.from;
  host.callee.name = letter.name;
  host.last_heard = message.count;
  Key key{to.id(), call.id};
  forget_oldest(key.first);
  Call& stored = calls_.emplace(key, std::move(call)).first->second;
  watch();
  if (busy(to.id())) {
    post(stored, sender, {.op = Op::decline, .text = "busy"});
    end(stored, "busy");
    return Delivery::delivered;
  }
  tell(stored, "ringing", &stored.members.at(sender));
  return Delivery::delivered;
}

Delivery Calls::heard(Call& call, Call::Member& member, const CallMessage& message) {
  member.heard = context_.now().mono;
  bool from_host = member.callee.id() == call.from;
  bool active = call.state == Call::State::active;
  switch (message.op) {
    case Op::accept:
    case Op::decline:
      return answered(call, member, message);
    case Op::roster:
      if (from_host && !call.caller && active) roster(call, message);
      break;
    case Op::line:
      if (active) line(call, member, message.text);
      break;
    case Op::hangup:
      if (call.state != Call::State::ended && member.standing != Call::Standing::gone)
        gone(call, member, "hung up");
      break;
    case Op::invite:
    case Op::alive:
      break;
  }
  return Delivery::delivered;
}

/// An answer that comes too late is refused, so that the other side does not sit in a dead call.
Delivery Calls::answered(Call& call, Call::Member& member, const CallMessage& message) {
  if (!call.caller || call.state == Call::State::ended ||
      member.standing != Call::Standing::invited) {
    return Delivery::refused;
  }
  if (message.op == Op::accept) {
    joined(call, member);
  } else {
    gone(call, member, message.text == "busy" ? "busy" : "declined");
  }
  return Delivery::delivered;
}

/// In a group a line may overtake the caller's word that its speaker has joined.
void Calls::line(Call& call, Call::Member& member, const std::string& text) {
  if (member.standing == Call::Standing::invited && !call.caller) {
    member.standing = Call::Standing::joined;
    tell(call, "joined", &member);
  }
  if (member.standing == Call::Standing::joined) tell(call, "line", &member, text);
}

void Calls::joined(Call& call, Call::Member& member) {
  member.standing = Call::Standing::joined;
  if (call.state == Call::State::inviting) {
    call.state = Call::State::active;
    call.since = context_.now().mono;
  }
  tell(call, "joined", &member);
  if (!call.group) return;
  CallMessage list = roster_of(call);
  for (auto& [id, other] : call.members) {
    if (other.standing == Call::Standing::joined) post(call, id, list);
  }
}

CallMessage Calls::roster_of(const Call& call) const {
  CallMessage out{.op = Op::roster};
  for (const auto& [id, member] : call.members) {
    if (member.standing == Call::Standing::joined) out.members.push_back(member.callee);
  }
  return out;
}

/// The caller says who is in; whoever is new to us counts as joined from now on.
void Calls::roster(Call& call, const CallMessage& message) {
  for (const PersonRef& callee : message.members) {
    if (callee.id() == call.user) continue;
    auto known = call.members.find(callee.id());
    if (known == call.members.end() && call.members.size() >= CallMessage::max_members) continue;
    Call::Member& member = known == call.members.end() ? call.members[callee.id()] : known->second;
    if (member.standing != Call::Standing::invited) continue;
    member.callee = callee;
    member.standing = Call::Standing::joined;
    member.heard = context_.now().mono;
    tell(call, "joined", &member);
  }
}

/// To whoever is in, and by the caller also to whom it still waits for.
void Calls::post_all(Call& call, const CallMessage& message) {
  for (auto& [id, member] : call.members) {
    bool awaited = call.caller && member.standing == Call::Standing::invited;
    if (awaited || member.standing == Call::Standing::joined) post(call, id, message);
  }
}

void Calls::post(Call& call, const UserId& to, CallMessage message) {
  Call::Member& member = call.members.at(to);
  if (member.queue.size() >= options_.max_queue) return gone(call, member, "dropped");
  message.count = ++member.last_posted;
  member.queue.push_back(std::move(message));
  pump({call.user, call.id}, to);
}

void Calls::pump(const Key& key, const UserId& to) {
  Call& call = calls_.at(key);
  Call::Member& member = call.members.at(to);
  const User* user = users_.find(key.first);
  if (member.sending || member.queue.empty() || user == nullptr) return;
  member.sending = true;
  Letter letter;
  auto secret = context_.secrets().next();
  std::copy_n(secret.begin(), letter.id.size(), letter.id.begin());
  letter.kind = Letter::Kind::call;
  letter.thread = key.second;
  letter.time = context_.now().wall;
  letter.name = names_[key];
  letter.body = encode(member.queue.front());
  member.queue.pop_front();
  courier_.bring(*user, std::move(letter), member.callee,
                 context_.now().wall + std::chrono::minutes(2), Courier::Fallback::none,
                 [this, key, to](const Courier::Outcome& outcome) { sent(key, to, outcome); });
}

void Calls::sent(const Key& key, const UserId& to, const Courier::Outcome& outcome) {
  auto found = calls_.find(key);
  if (found == calls_.end()) return;
  Call::Member& member = found->second.members.at(to);
  member.sending = false;
  if (outcome.state == SendState::delivered) {
    member.callee = outcome.callee;
    return pump(key, to);
  }
  member.queue.clear();
  bool was_in = member.standing == Call::Standing::joined;
  if (member.standing == Call::Standing::gone || found->second.state == Call::State::ended) return;
  gone(found->second, member,
       was_in                                ? "dropped"
       : outcome.state == SendState::refused ? "refused"
                                             : "unreachable");
}

void Calls::gone(Call& call, Call::Member& member, const std::string& why) {
  member.standing = Call::Standing::gone;
  member.why = why;
  if (call.state == Call::State::ringing) {  // what other guests do is no news yet
    if (member.callee.id() == call.from) end(call, why);
    return;
  }
  tell(call, "gone", &member, why);
  bool anybody = std::any_of(call.members.begin(), call.members.end(), [&](const auto& entry) {
    bool awaited = call.caller && entry.second.standing == Call::Standing::invited;
    return entry.second.standing == Call::Standing::joined || awaited;
  });
  if (!anybody) end(call, why);
}

void Calls::end(Call& call, const std::string& why) {
  if (call.state == Call::State::ended) return;
  call.state = Call::State::ended;
  call.why = why;
  call.since = context_.now().mono;
  tell(call, "ended", nullptr, why);
}

/// Before a call begins. Ended calls stay visible for a while, but never many of them: the oldest
/// makes room for the one that will end next.
void Calls::forget_oldest(const UserId& user) {
  std::size_t ended = 0;
  auto oldest = calls_.end();
  for (auto it = calls_.lower_bound({user, Letter::Number{}});
       it != calls_.end() && it->first.first == user; ++it) {
    if (it->second.state != Call::State::ended) continue;
    ++ended;
    if (oldest == calls_.end() || it->second.since < oldest->second.since) oldest = it;
  }
  if (ended < options_.max_ended || ended == 0) return;
  names_.erase(oldest->first);
  calls_.erase(oldest);
}

void Calls::watch() {
  if (watching_ || (calls_.empty() && unheard_.empty())) return;
  watching_ = context_.timer(options_.alive_every, [this] {
    look_at_all();
    watch();
  });
}

void Calls::look_at_all() {
  Time now = context_.now().mono;
  std::erase_if(unheard_,
                [&](const auto& entry) { return now - entry.second.since >= options_.ring_for; });
  for (auto it = calls_.begin(); it != calls_.end();) {
    Call& call = it->second;
    if (call.state == Call::State::ended && now - call.since >= options_.forget_after) {
      names_.erase(it->first);
      it = calls_.erase(it);
      continue;
    }
    if (call.state == Call::State::ringing && now - call.since >= options_.ring_for)
      end(call, "no answer");
    look_at_members(call);
    ++it;
  }
}

void Calls::look_at_members(Call& call) {
  Time now = context_.now().mono;
  for (auto& [id, member] : call.members) {
    if (call.state == Call::State::ended) return;
    bool in = member.standing == Call::Standing::joined;
    bool unanswered = call.caller && member.standing == Call::Standing::invited &&
                      now - call.invited >= options_.ring_for;
    if (unanswered) {
      gone(call, member, "no answer");
    } else if (in && now - member.heard >= options_.dropped_after) {
      gone(call, member, "dropped");
    } else if (in) {
      post(call, id, {.op = Op::alive});
    }
  }
}

void Calls::tell(const Call& call, const char* what, const Call::Member* member,
                 const std::string& text) {
  Json json{{"call", to_hex(call.id)},
            {"user", call.user.hex()},
            {"what", what},
            {"state", to_text(call.state)},
            {"group", call.group}};
  if (member != nullptr)
    json["who"] = {{"id", member->callee.id().hex()}, {"name", member->callee.name}};
  if (!text.empty()) json["text"] = text;
  context_.emit({.name = "call", .json = json.dump()});
}

}  // namespace beckon::service
