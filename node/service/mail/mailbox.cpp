// SPDX-License-Identifier: MIT
#include "node/service/mail/mailbox.h"

#include "node/service/mail/mailbox_item.h"

namespace beckon::service {

Mailbox::Mailbox(Context& context, Replicas& replicas, const Users& users, Reception& reception,
                 Courier& courier, const Signer& signer, const Digest& overlay, Options options)
    : context_(context),
      replicas_(replicas),
      users_(users),
      reception_(reception),
      courier_(courier),
      signer_(signer),
      overlay_(overlay),
      options_(options),
      gate_(context, "requests for mailboxes", options.rate),
      visits_(options.window) {}

void Mailbox::start() {
  auto jitter = Duration(context_.rng().between(0, options_.period.count() / 4));
  context_.after(options_.period + jitter, [this] {
    fetch_all();
    start();
  });
}

void Mailbox::fetch_all() {
  if (!queue_.empty()) return;  // the last round is still going on
  for (const auto& [id, user] : users_.all()) queue_.push_back(id);
  while (!visits_.full() && !queue_.empty()) visit_next();
}

void Mailbox::visit_next() {
  UserId user = queue_.front();
  queue_.pop_front();
  visits_.start(visit(user), [this] {
    if (!queue_.empty()) visit_next();
  });
}

/// Asks every keeper: a copy may have reached only some of them.
Flow<void> Mailbox::visit(UserId id) {
  auto owner_found = lookup(context_, mailbox_key(overlay_, id));
  auto owner = co_await owner_found;
  if (!owner) co_return;
  std::size_t pages = 0;
  std::size_t letters = 0;
  auto keepers = owner->holders(options_.copies);
  for (const PeerRef& keeper : keepers) {
    std::optional<Id> after;
    for (bool more = true; more;) {
      const User* user = users_.find(id);
      if (user == nullptr) co_return;
      auto answer = ask(context_, keeper, FrameType::mailbox_req,
                        fetch_request(*user, keeper.id, after), options_.timeout);
      auto frame = co_await answer;
      auto reply = frame ? decode<FetchReply>(frame->body) : Result<FetchReply>(frame.error());
      if (!reply) break;
      for (const Bytes& bytes : reply->envelopes) {
        if (letters++ < options_.max_letters) take(id, bytes);
      }
      more = reply->more && !reply->envelopes.empty() && ++pages < options_.max_pages;
      if (more) after = MailboxRules::mailbox_item_id(reply->envelopes.back());
    }
  }
}

Bytes Mailbox::fetch_request(const User& user, const Id& keeper,
                             const std::optional<Id>& after) const {
  FetchRequest request{.user = user.key, .time = context_.now().wall, .after = after};
  request.signature = signer_.sign(user.seed, fetch_signed_bytes(request, overlay_, keeper));
  return encode(request);
}

void Mailbox::take(const UserId& user, const Bytes& bytes) {
  auto envelope = decode_envelope(bytes);
  if (!envelope || envelope->to != user) return;  // a keeper that lies; nothing to acknowledge
  reception_.take(*envelope, Reception::Way::mailbox,
                  [this, user, envelope = *envelope](const Result<Reception::Taken>& taken) {
                    const User* to = users_.find(user);
                    if (!taken || to == nullptr)
                      return;  // our disk failed: it stays in the mailbox
                    acknowledge(*to, envelope);
                    if (!taken->text || receipts_.size() >= options_.max_receipts) return;
                    receipts_.push_back({.user = user, .letter = *taken->text});
                    receipts_.back().letter.body.clear();
                    send_receipts();
                  });
}

void Mailbox::acknowledge(const User& user, const Envelope& envelope) {
  MailboxAck ack{.recipient = user.key,
                 .entry = MailboxRules::mailbox_item_id(envelope.bytes),
                 .expiry = envelope.expiry};
  if (acks_.size() >= options_.max_acks) return;
  RawItem raw_item{.ring = mailbox_key(overlay_, user.id()),
                   .kind = ItemKind::mailbox_item,
                   .bytes = sign_mailbox_ack(ack, overlay_, user.seed, signer_)};
  acks_.push_back({.raw_item = std::move(raw_item)});
  send_acks();
}

/// One batch at a time: a full mailbox must not use up the writes to the ring that others need.
void Mailbox::send_acks() {
  if (acking_ || acks_.empty()) return;
  acking_ = true;
  std::vector<ItemClient::PutEntry> batch;
  while (!acks_.empty() && batch.size() < options_.acks_at_once) {
    batch.push_back(std::move(acks_.front()));
    acks_.pop_front();
  }
  replicas_.put(std::move(batch), [this](const std::vector<ItemClient::Stored>&) {
    acking_ = false;
    send_acks();
  });
}

void Mailbox::send_receipts() {
  while (receipts_under_way_ < options_.receipts_at_once && !receipts_.empty()) {
    Owed owed = std::move(receipts_.front());
    receipts_.pop_front();
    if (const User* user = users_.find(owed.user)) send_receipt(*user, owed.letter);
  }
}

void Mailbox::send_receipt(const User& user, const Letter& letter) {
  Letter receipt;
  receipt.id = letter.id;
  receipt.kind = Letter::Kind::receipt;
  receipt.time = context_.now().wall;
  PersonRef sender{.key = letter.from, .name = letter.name};
  ++receipts_under_way_;
  courier_.bring(user, std::move(receipt), sender, context_.now().wall + max_letter_life,
                 Courier::Fallback::mailbox, [this](const Courier::Outcome&) {
                   --receipts_under_way_;
                   send_receipts();
                 });
}

void Mailbox::handle(const Request& request) {
  if (!gate_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  auto asked = decode<FetchRequest>(request.body);
  auto page = asked ? page_for(*asked) : Result<FetchReply>(asked.error());
  if (!page) return context_.refuse(request, page.error());
  context_.reply(request, raw(FrameType::mailbox_rep), encode(*page));
}

Result<FetchReply> Mailbox::page_for(const FetchRequest& request) const {
  WallTime now = context_.now().wall;
  bool timely = request.time <= now + options_.skew && request.time >= now - options_.skew;
  Bytes message = fetch_signed_bytes(request, overlay_, context_.self().id);
  if (!timely || !signer_.verify(request.user, message, request.signature)) {
    return Error{ErrorCode::refused, "a mailbox opens for its owner only"};
  }
  FetchReply out;
  std::size_t bytes = 0;
  Id place = mailbox_key(overlay_, user_id(request.user));
  replicas_.table().each_at(place, ItemKind::mailbox_item, [&](const Item& item) {
    if (item.info.tombstone || !item.live(now) || (request.after && item.key.sub <= *request.after))
      return true;
    out.more = bytes > 0 && bytes + item.bytes.size() > max_fetch_bytes;
    if (out.more) return false;
    bytes += item.bytes.size();
    out.envelopes.push_back(item.bytes);
    return true;
  });
  return out;
}

}  // namespace beckon::service
