#include "node/service/mail/courier.h"

#include "node/service/items/author_record.h"
#include "node/service/mail/mail_messages.h"
#include "node/service/mail/mailbox_entry.h"

namespace beckon::service {

Courier::Courier(Context& context, Replicas& replicas, const Signer& signer, const Digest& overlay,
                 Options options)
    : context_(context),
      replicas_(replicas),
      signer_(signer),
      overlay_(overlay),
      options_(options) {}

void Courier::bring(const User& from, Letter letter, const Callee& callee, WallTime expiry,
                    Fallback fallback, Done done) {
  letter.from = from.key;
  letter.to = callee.id();
  TripId id = ++last_;
  trips_.emplace(id, Trip{.seed = from.seed,
                          .letter = std::move(letter),
                          .callee = callee,
                          .expiry = expiry,
                          .fallback = fallback,
                          .done = std::move(done)});
  bool reachable = callee.message_key != hpke::PublicKey{} && !callee.host.address.empty();
  reachable ? direct(id) : look_up(id);
}

Result<Envelope> Courier::sealed(const Trip& trip) {
  return seal(trip.letter, trip.seed, signer_,
              {.overlay = overlay_,
               .to_key = trip.callee.message_key,
               .expiry = trip.expiry,
               .ephemeral = context_.secrets().next()});
}

void Courier::direct(TripId id) {
  Trip& trip = trips_.at(id);
  auto envelope = sealed(trip);
  if (!envelope) {
    context_.log(LogLevel::warning, "a letter could not be sealed: " + envelope.error().text);
    return finish(id, SendState::unreachable);
  }
  context_.ask(trip.callee.host, raw(FrameType::deliver_req), std::move(envelope->bytes),
               options_.deliver_timeout,
               [this, id](const Result<Frame>& frame) { answered(id, frame); });
}

void Courier::answered(TripId id, const Result<Frame>& frame) {
  auto delivery = frame ? decode_delivery(frame->body) : Result<Delivery>(frame.error());
  if (delivery && *delivery == Delivery::delivered) return finish(id, SendState::delivered);
  if (delivery && *delivery == Delivery::refused) return finish(id, SendState::refused);
  if (delivery && *delivery == Delivery::later) return finish(id, SendState::waiting);
  if (trips_.at(id).located) return into_mailbox(id);
  look_up(id);
}

void Courier::locate(const PublicKey& key, std::function<void(Result<Locator>)> done) {
  Id place = author_record_key(overlay_, Locator::topic, key);
  replicas_.get(place, ItemKind::author_record,
                [this, done = std::move(done)](const Result<std::vector<Item>>& items) {
                  if (!items) return done(items.error());
                  for (const Item& item : *items) {
                    auto record = decode_author_record(item.bytes, overlay_);
                    if (!record || record->tombstone) continue;
                    return done(decode_locator(record->payload));
                  }
                  done(Error{ErrorCode::not_found, "nobody knows where this user is hosted"});
                });
}

void Courier::look_up(TripId id) {
  trips_.at(id).located = true;
  locate(trips_.at(id).callee.key,
         [this, id](const Result<Locator>& locator) { located(id, locator); });
}

void Courier::located(TripId id, const Result<Locator>& locator) {
  Trip& trip = trips_.at(id);
  bool news = locator && (locator->host != trip.callee.host ||
                          locator->message_key != trip.callee.message_key);
  if (!news) return into_mailbox(id);
  trip.callee.host = locator->host;
  trip.callee.message_key = locator->message_key;
  direct(id);
}

void Courier::into_mailbox(TripId id) {
  Trip& trip = trips_.at(id);
  auto envelope = trip.fallback == Fallback::mailbox && trip.callee.message_key != hpke::PublicKey{}
                      ? sealed(trip)
                      : Result<Envelope>(Error{ErrorCode::unavailable, "no key to seal to"});
  if (!envelope) return finish(id, SendState::unreachable);
  Parcel parcel{.ring = mailbox_key(overlay_, trip.callee.id()),
                .kind = ItemKind::mailbox_entry,
                .bytes = std::move(envelope->bytes)};
  replicas_.put({{.parcel = std::move(parcel)}},
                [this, id](const std::vector<ItemClient::Stored>& stored) {
                  bool kept = stored.front().status == Status::ok && stored.front().safe;
                  finish(id, kept ? SendState::kept : SendState::unreachable);
                });
}

void Courier::finish(TripId id, SendState state) {
  auto node = trips_.extract(id);
  node.mapped().done({.state = state, .callee = node.mapped().callee});
}

}  // namespace beckon::service
