// SPDX-License-Identifier: MIT
#include "node/service/mail/locators.h"

#include "node/service/items/author_item.h"

namespace beckon::service {

Locators::Locators(Context& context, Replicas& replicas, Users& users, const Contacts& contacts,
                   const Signer& signer, const Digest& overlay, Options options)
    : context_(context),
      replicas_(replicas),
      users_(users),
      contacts_(contacts),
      signer_(signer),
      overlay_(overlay),
      options_(options) {}

void Locators::start() {
  refresh_all();
  auto jitter = Duration(context_.rng().between(0, options_.period.count() / 8));
  context_.after(options_.period - jitter, [this] { start(); });
}

void Locators::refresh_all() {
  queue_.clear();
  for (const auto& [id, user] : users_.all()) {
    if (user.published || !contacts_.of(id).empty()) queue_.push_back(id);
  }
  run();
}

void Locators::refresh(const UserId& user) {
  queue_.push_back(user);
  run();
}

void Locators::ensure(const UserId& user) {
  if (!placed_.contains(user)) refresh(user);
}

/// True while its key is being changed; its turn comes again when that is durable.
bool Locators::rotating(const User& user) {
  User changed = user;
  if (!rotate_message_keys(changed, context_.secrets().next(), context_.now().wall)) return false;
  auto begun = users_.change(changed, [this, id = user.id()](const Result<void>& written) {
    queue_.push_back(id);
    if (written) return run();
    context_.log(LogLevel::error, "a message key was not changed",
                 {{"reason", written.error().text}});
    run_after(options_.retry);
  });
  return begun.has_value();
}

ItemClient::PutEntry Locators::entry(const User& user) {
  std::uint64_t& seq = seqs_[user.id()];
  seq = next_seq(std::max(seq, user.version), context_.now().wall);
  Locator locator{.hosts = {context_.self()},
                  .message_key = hpke::public_key(user.message_keys.front().secret)};
  AuthorItem record{.topic = Locator::topic,
                    .author = user.key,
                    .seq = seq,
                    .issued = context_.now().wall,
                    .life = options_.life,
                    .payload = encode(locator)};
  return {.raw_item = {.ring = author_record_key(overlay_, Locator::topic, user.key),
                       .kind = ItemKind::author_item,
                       .bytes = sign_author_record(record, overlay_, user.seed, signer_)}};
}

/// Nothing runs before: what failed must not be tried at once, and needs one timer only.
void Locators::run_after(Duration pause) {
  if (!running_ && !pause_) pause_ = context_.timer(pause, [this] { run(); });
}

bool Locators::settled(const UserId& user, const ItemClient::Stored& stored) {
  if (stored.status == Status::ok) placed_.insert(user);
  // Our clock was set back, or the database is an older one: go on from what the ring holds. A
  // number further ahead than the ring takes is a lie.
  std::uint64_t furthest = next_seq(0, context_.now().wall + options_.seq_ahead);
  if (stored.status == Status::too_old && stored.seq < furthest)
    seqs_[user] = std::max(seqs_[user], stored.seq);
  return stored.status == Status::ok;
}

void Locators::run() {
  if (running_ || pause_ || queue_.empty()) return;
  std::vector<ItemClient::PutEntry> batch;
  std::vector<UserId> ids;
  while (!queue_.empty() && batch.size() < options_.batch) {
    const User* user = users_.find(queue_.front());
    queue_.pop_front();
    if (user == nullptr) continue;
    if (rotating(*user)) continue;
    ids.push_back(user->id());
    batch.push_back(entry(*user));
  }
  if (batch.empty()) return;
  running_ = true;
  replicas_.put(std::move(batch), [this, ids](const std::vector<ItemClient::Stored>& stored) {
    bool failed = false;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (settled(ids[i], stored[i])) continue;
      queue_.push_back(ids[i]);
      failed = true;
    }
    running_ = false;
    run_after(failed ? options_.retry : Duration(0));
  });
}

}  // namespace beckon::service
