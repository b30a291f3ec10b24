// SPDX-License-Identifier: MIT
#include "node/service/mail/courier.h"

#include "node/service/items/author_item.h"
#include "node/service/mail/mail_messages.h"
#include "node/service/mail/mailbox_item.h"

namespace beckon::service {

namespace {

/// What the host's answer makes of the letter; none if it was not there to take it.
std::optional<SendState> state_of(const Result<Frame>& answer) {
  auto reply = answer ? decode<DeliverReply>(answer->body) : Result<DeliverReply>(answer.error());
  if (!reply) return std::nullopt;
  if (reply->outcome == Delivery::delivered) return SendState::delivered;
  if (reply->outcome == Delivery::refused) return SendState::refused;
  if (reply->outcome == Delivery::later) return SendState::waiting;
  return std::nullopt;
}

/// True if the locator says something new.
bool learn(PersonRef& callee, const Result<Locator>& locator) {
  bool news = locator &&
              (locator->hosts.front() != callee.host || locator->message_key != callee.message_key);
  if (!news) return false;
  callee.host = locator->hosts.front();
  callee.message_key = locator->message_key;
  return true;
}

}  // namespace

Courier::Courier(Context& context, Replicas& replicas, const Signer& signer, const Digest& overlay,
                 Options options)
    : context_(context),
      replicas_(replicas),
      signer_(signer),
      overlay_(overlay),
      options_(options),
      trips_(options.max_trips) {}

void Courier::bring(const User& from, Letter letter, const PersonRef& callee, WallTime expiry,
                    Fallback fallback, Done done) {
  letter.from = from.key;
  letter.to = callee.id();
  if (trips_.full()) {
    context_.after(Duration{0}, [done = std::move(done), callee] { done({.callee = callee}); });
    return;
  }
  Trip trip{.seed = from.seed,
            .letter = std::move(letter),
            .callee = callee,
            .expiry = expiry,
            .fallback = fallback};
  trips_.start(travel(std::move(trip)),
               [this, began = context_.now().mono, done = std::move(done)](Outcome outcome) {
                 trip_times_.observe(context_.now().mono - began);
                 done(std::move(outcome));
               });
}

Result<Envelope> Courier::sealed(const Trip& trip) {
  return seal(trip.letter, trip.seed, signer_,
              {.overlay = overlay_,
               .to_key = trip.callee.message_key,
               .expiry = trip.expiry,
               .ephemeral = context_.secrets().next()});
}

Flow<Courier::Outcome> Courier::travel(Trip trip) {
  PersonRef& callee = trip.callee;
  bool reachable = callee.message_key != hpke::PublicKey{} && !callee.host.address.empty();
  for (bool located = false;; located = true) {
    if (reachable) {
      auto envelope = sealed(trip);
      if (!envelope) {
        context_.log(LogLevel::warning, "a letter could not be sealed",
                     {{"reason", envelope.error().text}});
        co_return Outcome{.callee = callee};
      }
      auto answer = ask(context_, callee.host, FrameType::deliver_req, std::move(envelope->bytes),
                        options_.deliver_timeout);
      auto frame = co_await answer;
      if (auto state = state_of(frame)) co_return Outcome{.state = *state, .callee = callee};
    }
    if (located) break;
    Pending<Result<Locator>> on_ring(context_, [&](auto done) { locate(callee.key, done); });
    auto locator = co_await on_ring;
    reachable = learn(callee, locator);
    if (!reachable) break;
  }
  if (trip.fallback == Fallback::none || callee.message_key == hpke::PublicKey{})
    co_return Outcome{.callee = callee};
  auto envelope = sealed(trip);
  if (!envelope) co_return Outcome{.callee = callee};
  RawItem raw_item{.ring = mailbox_key(overlay_, callee.id()),
                   .kind = ItemKind::mailbox_item,
                   .bytes = std::move(envelope->bytes)};
  Pending<std::vector<ItemClient::Stored>> in_mailbox(
      context_, [&](auto done) { replicas_.put({{.raw_item = std::move(raw_item)}}, done); });
  auto stored = co_await in_mailbox;
  bool kept = stored.front().status == Status::ok && stored.front().safe;
  SendState state = kept ? SendState::kept : SendState::unreachable;
  co_return Outcome{.state = state, .callee = callee};
}

void Courier::locate(const PublicKey& key, std::function<void(Result<Locator>)> done) {
  Id place = author_record_key(overlay_, Locator::topic, key);
  replicas_.get(place, ItemKind::author_item,
                [this, done = std::move(done)](const Result<std::vector<Item>>& items) {
                  if (!items) return done(items.error());
                  for (const Item& item : *items) {
                    auto record = decode_author_record(item.bytes, overlay_);
                    if (!record || record->tombstone) continue;
                    return done(decode<Locator>(record->payload));
                  }
                  done(Error{ErrorCode::not_found, "nobody knows where this user is hosted"});
                });
}

}  // namespace beckon::service
