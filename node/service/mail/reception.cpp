// SPDX-License-Identifier: MIT
#include "node/service/mail/reception.h"

#include <fmt/core.h>

#include "base/json.h"
#include "node/service/kernel/frames.h"
#include "node/service/mail/mail_json.h"

namespace beckon::service {

namespace {

/// One bucket per (user, sender), so that one sender cannot spend another's share.
Id rate_key(const UserId& user, const PublicKey& from) {
  return Id::of_digest(sha256({user.bytes, from}));
}

}  // namespace

Reception::Reception(Context& context, const Users& users, const Contacts& contacts,
                     const Outbox& outbox, Inbox& inbox, const Signer& signer,
                     const Digest& overlay, Options options)
    : context_(context),
      users_(users),
      contacts_(contacts),
      outbox_(outbox),
      inbox_(inbox),
      signer_(signer),
      overlay_(overlay),
      options_(options),
      rate_(options.rate),
      gate_(context, "letters", options.peer_rate),
      complaints_(options.complaints) {}

void Reception::handle(const Request& request) {
  if (!gate_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  auto envelope = decode_envelope(request.body);
  if (!envelope) {
    complain(request.from, "something that is no letter");
    return context_.refuse(request, envelope.error());
  }
  Request kept = request;
  kept.body.clear();
  take(*envelope, Way::direct, [this, kept](const Result<Taken>& taken) {
    if (!taken) return context_.refuse(kept, taken.error());
    if (taken->rubbish) gate_.charge(kept.from.id, options_.rubbish_cost);
    if (taken->complaint != nullptr) complain(kept.from, taken->complaint);
    context_.reply(kept, raw(FrameType::deliver_rep), encode(DeliverReply{taken->outcome}));
  });
}

std::optional<Delivery> Reception::refusal(const Envelope& envelope) const {
  if (users_.find(envelope.to) == nullptr) return Delivery::not_here;
  WallTime now = context_.now().wall;
  bool in_time = envelope.expiry > now && envelope.expiry <= now + max_letter_life + options_.skew;
  if (!in_time) return Delivery::refused;
  return std::nullopt;
}

void Reception::take(const Envelope& envelope, Way way, Done done) {
  if (auto no = refusal(envelope)) return done(Taken{*no});
  const User& user = *users_.find(envelope.to);
  auto letter = open(envelope, user, signer_, overlay_);
  if (!letter) {
    bool old_key = letter.error().code == ErrorCode::not_found;
    if (old_key) return done(Taken{.outcome = Delivery::not_here, .rubbish = true});
    return done(Taken{
        .outcome = Delivery::refused, .rubbish = true, .complaint = "a forged or damaged letter"});
  }
  switch (letter->kind) {
    case Letter::Kind::text:
      return take_text(user, *letter, way, std::move(done));
    case Letter::Kind::receipt:
      return done(Taken{take_receipt_(user, *letter)});
    case Letter::Kind::call:
      return done(Taken{take_call_(user, *letter)});
  }
}

Inbox::Place Reception::place_for(const User& user, const Letter& letter) const {
  if (letter.from == user.key) return Inbox::Place::shown;
  const Contact* contact = contacts_.find(user.id(), user_id(letter.from));
  // An answer to what one wrote is no stranger's letter, even if the whole group was strangers.
  if (contact == nullptr && outbox_.wrote_to(user.id(), user_id(letter.from)))
    return Inbox::Place::shown;
  if (contact == nullptr) return Inbox::Place::requests;
  return contact->standing == Contact::Standing::blocked ? Inbox::Place::hidden
                                                         : Inbox::Place::shown;
}

void Reception::take_text(const User& user, const Letter& letter, Way way, Done done) {
  UserId id = user.id();
  Inbox::Place place = place_for(user, letter);
  bool closed = user.policy == Policy::nobody ||
                (user.policy == Policy::contacts && place != Inbox::Place::shown);
  bool repetition = inbox_.knows(id, letter);
  auto in_rate = [&] {
    return way == Way::mailbox || rate_.take(rate_key(id, letter.from), 1, context_.now().mono);
  };
  if (!repetition && closed) return done(Taken{Delivery::refused});
  if (!repetition && !in_rate())
    return done(Taken{.outcome = Delivery::later, .complaint = "letters faster than allowed"});
  inbox_.add(
      id, letter, place,
      [this, id, letter, place, repetition, done = std::move(done)](const Result<void>& kept) {
        if (!kept && kept.error().code == ErrorCode::refused) return done(Taken{Delivery::refused});
        if (!kept) return done(kept.error());
        done(Taken{Delivery::delivered, letter});  // first: the sender waits for it
        if (!repetition && place != Inbox::Place::hidden) announce(id, letter);
      });
}

/// Once an hour for each node: a flood of letters must not become a flood of lines.
void Reception::complain(const PeerRef& about, const char* what) {
  if (!complaints_.take(about.id, 1, context_.now().mono)) return;
  context_.log(
      LogLevel::warning,
      fmt::format("a peer brought {}; it was turned away, and so is what follows, silently", what),
      {{"peer", about.id.brief()}});
}

void Reception::announce(const UserId& user, const Letter& letter) {
  auto arrived = inbox_.find(user, letter);
  if (!arrived) return;
  const Contact* sender = contacts_.find(user, user_id(letter.from));
  auto json = message_json(arrived->message, arrived->place, sender);
  json["user"] = user.hex();
  context_.emit({.name = "message", .json = json.dump()});
}

}  // namespace beckon::service
