#include "node/service/mail/locators.h"

#include "node/service/author_record.h"

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

void Locators::rotate(const User& user) {
  User changed = user;
  if (!rotate_message_keys(changed, context_.secrets().next(), context_.now().wall)) return;
  auto stored = users_.change(changed, [](const Result<void>&) {});
  if (!stored)
    context_.log(LogLevel::error, "a message key was not changed: " + stored.error().text);
}

ItemClient::PutEntry Locators::entry(const User& user) const {
  Locator locator{.host = context_.self(),
                  .message_key = hpke::public_key(user.message_keys.front().secret)};
  AuthorRecord record{.topic = Locator::topic,
                      .author = user.key,
                      .seq = next_seq(0, context_.now().wall),
                      .issued = context_.now().wall,
                      .life = options_.life,
                      .payload = encode(locator)};
  return {.parcel = {.ring = author_record_key(overlay_, Locator::topic, user.key),
                     .kind = ItemKind::author_record,
                     .bytes = sign_author_record(record, overlay_, user.seed, signer_)}};
}

void Locators::run() {
  if (running_ || queue_.empty()) return;
  std::vector<ItemClient::PutEntry> batch;
  std::vector<UserId> ids;
  while (!queue_.empty() && batch.size() < options_.batch) {
    const User* user = users_.find(queue_.front());
    queue_.pop_front();
    if (user == nullptr) continue;
    rotate(*user);
    ids.push_back(user->id());
    batch.push_back(entry(*users_.find(ids.back())));
  }
  if (batch.empty()) return;
  running_ = true;
  replicas_.put(std::move(batch), [this, ids](const std::vector<ItemClient::Stored>& stored) {
    bool failed = false;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (stored[i].status == Status::ok) {
        placed_.insert(ids[i]);
        continue;
      }
      queue_.push_back(ids[i]);
      failed = true;
    }
    context_.after(failed ? options_.retry : Duration(0), [this] {
      running_ = false;
      run();
    });
  });
}

}  // namespace beckon::service
