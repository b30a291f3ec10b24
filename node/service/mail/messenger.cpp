// SPDX-License-Identifier: MIT
#include "node/service/mail/messenger.h"

#include <fmt/core.h>

#include <algorithm>

namespace beckon::service {

namespace {

bool is_final(SendState state) {
  return state == SendState::delivered || state == SendState::refused;
}

/// The letter went out while it was written: what the disk refused may have arrived.
Error not_kept(const Error& error) {
  return {error.code,
          "the message could not be stored here, so beckond will not try again; some "
          "may have received it: " +
              error.text};
}

}  // namespace

Messenger::Messenger(Context& context, Users& users, Contacts& contacts, Outbox& outbox,
                     Courier& courier, Locators& locators, Options options)
    : context_(context),
      users_(users),
      contacts_(contacts),
      outbox_(outbox),
      courier_(courier),
      locators_(locators),
      options_(options),
      groups_(options.groups),
      late_(context, [this](const std::vector<Errand>& due) {
        queue_.insert(queue_.end(), due.begin(), due.end());
        run();
      }) {}

void Messenger::start() {
  for (const auto& [name, sent] : outbox_.all()) enqueue(name);
  forget_period();
  run();
}

void Messenger::forget_period() {
  outbox_.forget_expired(context_.now().wall);
  context_.after(std::chrono::hours(1), [this] { forget_period(); });
}

Result<void> Messenger::check(const Send& send) {
  if (users_.find(send.from) == nullptr)
    return Error{ErrorCode::not_found, "this node hosts no such user"};
  if (send.text.empty()) return invalid("the message is empty");
  if (send.text.size() > Letter::max_body) {
    return invalid(fmt::format("a message holds at most {} bytes, this one has {}",
                               Letter::max_body, send.text.size()));
  }
  if (!is_utf8(send.text)) return invalid("the message is not UTF-8 text");
  bool group = send.to.size() > options_.group_size;
  if (group && !groups_.take(send.from, 1, context_.now().mono)) {
    return Error{ErrorCode::refused, "too many messages to groups within the hour; wait a little"};
  }
  return {};
}

/// Whom one writes to is no stranger any more: an answer shall not land among the requests.
void Messenger::remember(const Send& send) {
  for (const PersonRef& callee : send.to) {
    const Contact* known = contacts_.find(send.from, callee.id());
    if (send.to.size() > options_.group_size && known == nullptr) continue;
    Contact contact = known != nullptr ? *known : Contact{.key = callee.key};
    if (!callee.name.empty()) contact.name = callee.name;
    if (callee.message_key != hpke::PublicKey{}) contact.message_key = callee.message_key;
    if (!callee.host.address.empty()) contact.host = callee.host;
    if (known != nullptr && *known == contact) continue;  // nothing new to write down
    auto put = contacts_.put(send.from, std::move(contact), [](const Result<void>&) {});
    if (!put) context_.log(LogLevel::warning, "a contact was not kept");
  }
}

Result<Outbox::Name> Messenger::send(Send send, Context::WriteDone accepted) {
  if (auto good = check(send); !good) return good.error();
  SentLetter sent{.from = send.from, .expiry = context_.now().wall + options_.life};
  auto secret = context_.secrets().next();
  std::copy_n(secret.begin(), sent.letter.id.size(), sent.letter.id.begin());
  sent.letter.from = users_.find(send.from)->key;
  sent.letter.time = context_.now().wall;
  sent.letter.thread = send.thread;
  sent.letter.name = send.name;
  sent.letter.body = send.text;
  for (const PersonRef& callee : send.to) sent.to[callee.id()] = {.callee = callee};
  Outbox::Name name{send.from, sent.letter.id};
  auto added = outbox_.add(std::move(sent),
                           [this, name, accepted = std::move(accepted)](const Result<void>& r) {
                             if (!r) watchers_.erase(name);
                             accepted(r ? r : not_kept(r.error()));
                             tell(name);
                           });
  if (!added) return added.error();
  remember(send);
  locators_.ensure(send.from);  // so that an answer finds its way
  enqueue(name);
  run();
  return name;
}

void Messenger::watch(const Outbox::Name& name, Changed changed) {
  watchers_[name] = std::move(changed);
}

void Messenger::enqueue(const Outbox::Name& name) {
  const SentLetter* sent = outbox_.find(name);
  if (sent == nullptr) return;
  for (const auto& [to, outgoing] : sent->to) {
    Errand errand{name, to};
    if (!is_final(outgoing.state) && busy_.insert(errand).second) queue_.push_back(errand);
  }
}

void Messenger::run() {
  while (under_way_ < options_.window && !queue_.empty()) {
    Errand errand = queue_.front();
    queue_.pop_front();
    const SentLetter* sent = outbox_.find(errand.name);
    const User* from = users_.find(errand.name.first);
    bool due = sent != nullptr && from != nullptr && sent->expiry > context_.now().wall &&
               !is_final(sent->to.at(errand.to).state);
    if (!due) {
      busy_.erase(errand);
      continue;
    }
    ++under_way_;
    courier_.bring(*from, sent->letter, sent->to.at(errand.to).callee, sent->expiry,
                   Courier::Fallback::mailbox,
                   [this, errand](const Courier::Outcome& outcome) { finished(errand, outcome); });
  }
}

void Messenger::finished(const Errand& errand, const Courier::Outcome& outcome) {
  --under_way_;
  const SentLetter* sent = outbox_.find(errand.name);
  if (sent == nullptr) {
    busy_.erase(errand);
    return run();
  }
  Outgoing outgoing = sent->to.at(errand.to);
  if (!is_final(outgoing.state)) {  // a receipt may have come while the trip went on
    // Kept stays true when a later try fails: a mailbox has it, or had it.
    bool fell = outgoing.state == SendState::kept && !is_final(outcome.state);
    outgoing.state = fell ? SendState::kept : outcome.state;
    outgoing.callee = outcome.callee;
    ++outgoing.attempts;
    record(errand, outgoing);
  }
  if (is_final(outgoing.state)) {
    busy_.erase(errand);
  } else {
    late_.add(pause_after(outgoing), errand);
  }
  run();
}

void Messenger::record(const Errand& errand, const Outgoing& outgoing) {
  outbox_.set(errand.name, errand.to, outgoing);
  tell(errand.name);
}

void Messenger::tell(const Outbox::Name& name) {
  auto watcher = watchers_.find(name);
  const SentLetter* sent = outbox_.find(name);
  if (watcher == watchers_.end() || sent == nullptr) return;
  Changed changed = watcher->second;  // it may unwatch itself
  changed(*sent);
}

/// Doubles from try to try; a host that only wants a slower pace is asked again soon.
Duration Messenger::pause_after(const Outgoing& outgoing) {
  bool slower = outgoing.state == SendState::waiting;
  Duration pause = slower ? options_.first_wait : options_.first_retry;
  pause *= 1 << std::min<std::uint32_t>(outgoing.attempts - 1, 12);
  pause = std::min(pause, slower ? options_.last_wait : options_.last_retry);
  return pause + Duration(context_.rng().between(0, pause.count() / 4));
}

Delivery Messenger::receipt(const User& to, const Letter& letter) {
  Outbox::Name name{to.id(), letter.id};
  const SentLetter* sent = outbox_.find(name);
  if (sent == nullptr) return Delivery::delivered;  // long done, or forgotten: nothing to correct
  auto outgoing = sent->to.find(user_id(letter.from));
  if (outgoing == sent->to.end()) return Delivery::refused;  // a receipt for what they never got
  if (outgoing->second.state != SendState::delivered) {
    Outgoing changed = outgoing->second;
    changed.state = SendState::delivered;
    record({name, outgoing->first}, changed);
  }
  return Delivery::delivered;
}

}  // namespace beckon::service
