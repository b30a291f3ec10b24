// SPDX-License-Identifier: MIT
#include "node/service/find/publisher.h"

#include <algorithm>

#include "node/service/find/index_item.h"
#include "node/service/items/author_item.h"

namespace beckon::service {

namespace {

ItemClient::PutEntry entry_at(const profile::RingKey& key, const profile::Marks& marks,
                              ByteView record) {
  return {.raw_item = {.ring = Id{key},
                       .kind = ItemKind::index_item,
                       .bytes = encode_index_item(marks, record)}};
}

}  // namespace

Publisher::Publisher(Context& context, Replicas& replicas, Users& users,
                     const profile::Schema& schema, const profile::Salt& salt, const Signer& signer,
                     Options options)
    : context_(context),
      replicas_(replicas),
      users_(users),
      schema_(schema),
      salt_(salt),
      signer_(signer),
      options_(options),
      late_(context, [this](const std::vector<Late>& due) {
        for (const Late& late : due) enqueue_again(late.user, late.withdraw, late.version);
      }) {}

void Publisher::start() {
  renew_all();
  auto jitter = Duration(context_.rng().between(0, options_.period.count() / 8));
  context_.after(options_.period - jitter, [this] { start(); });
}

void Publisher::renew_all() {
  for (const auto& [id, user] : users_.all()) {
    bool withdrawing = !user.published && !user.published_profile->text.empty();
    if (user.published || withdrawing) enqueue_again(id, withdrawing, user.version);
  }
}

void Publisher::publish(const UserId& user, Done done) {
  const User* found = users_.find(user);
  enqueue({.user = user,
           .profile = found == nullptr ? nullptr : found->profile,
           .done = std::move(done)});
}

void Publisher::withdraw(const UserId& user, Done done) {
  enqueue({.user = user, .withdraw = true, .done = std::move(done)});
}

void Publisher::enqueue(Job job) {
  queue_.push_back(std::move(job));
  run();
}

void Publisher::enqueue_again(const UserId& user, bool withdraw, std::uint64_t version) {
  enqueue({.user = user,
           .withdraw = withdraw,
           .done = [](const Result<Published>&) {},
           .repeats = version});
}

/// One after the other, never one inside the end of another: a queue of jobs that all fail at once
/// must not nest.
void Publisher::run() {
  if (running_) return;
  running_ = true;
  for (auto it = queue_.begin(); it != queue_.end() && under_way_ < options_.window;) {
    if (busy_.contains(it->user)) {
      ++it;
      continue;
    }
    Job job = std::move(*it);
    it = queue_.erase(it);
    busy_.insert(job.user);
    ++under_way_;
    begin(std::move(job));
    it = queue_.begin();
  }
  running_ = false;
}

profile::Publication Publisher::publication(const User& user) const {
  auto expiry = std::chrono::floor<std::chrono::seconds>(context_.now().wall + options_.life);
  return {.owner_key = user.key,
          .message_key = hpke::public_key(user.message_keys.front().secret),
          .host = {.id = context_.self().id.bytes, .address = context_.self().address},
          .version = user.version,
          .expiry = expiry,
          .target_fpr = options_.target_fpr};
}

/// Where the records of a profile belong; nowhere if it cannot be read.
std::vector<profile::Placement> Publisher::places_of(const ProfilePtr& profile,
                                                     const User& user) const {
  if (!profile->read) return {};
  return profile::placements(schema_, salt_, *profile->read, profile::owner_id(user.key));
}

/// Where records of an earlier profile may still lie.
std::set<profile::RingKey> Publisher::old_keys(const User& user) const {
  std::set<profile::RingKey> out;
  for (const Id& key : user.leftover_keys) out.insert(key.bytes);
  for (const auto& place : places_of(user.published_profile, user)) out.insert(place.key);
  return out;
}

/// The new record under all keys of the profile, and a withdrawal under keys that only older ones
/// had; those are noted in the user.
Result<Publisher::Batch> Publisher::batch(User& user, const Job& job) const {
  bool withdraw = job.withdraw;
  if (!withdraw && !job.profile->read) return job.profile->read.error();
  auto places = withdraw ? std::vector<profile::Placement>() : places_of(job.profile, user);
  std::set<profile::RingKey> old = old_keys(user);
  for (const auto& place : places) old.erase(place.key);
  user.leftover_keys.clear();
  for (const profile::RingKey& key : old) {
    if (user.leftover_keys.size() < User::max_leftover_keys) user.leftover_keys.push_back(Id{key});
  }

  user.version = next_seq(user.version, context_.now().wall);
  profile::Record gone = profile::withdrawal(publication(user));
  if (!old.empty() && !withdraw) ++user.version;
  Batch out;
  if (!withdraw) {
    profile::Record record =
        profile::build_record(schema_, salt_, *job.profile->read, publication(user));
    profile::sign_record(salt_, signer_, user.seed, record);
    Bytes bytes = profile::encode(record);
    for (const auto& place : places) out.entries.push_back(entry_at(place.key, place.marks, bytes));
    out.records = out.entries.size();
  }
  if (old.empty()) return out;
  profile::sign_record(salt_, signer_, user.seed, gone);
  Bytes bytes = profile::encode(gone);
  for (const profile::RingKey& key : old) out.entries.push_back(entry_at(key, {}, bytes));
  if (withdraw) out.records = out.entries.size();
  return out;
}

std::size_t Publisher::record_count(const User& user) const {
  return user.published ? places_of(user.published_profile, user).size() : 0;
}

void Publisher::begin(Job job) {
  const User* found = users_.find(job.user);
  if (found == nullptr)
    return end(job, Error{ErrorCode::not_found, "this node hosts no such user"});
  if (job.repeats && *job.repeats != found->version)
    return end(job, Published{.version = found->version});
  User user = *found;
  if (job.repeats) job.profile = user.published_profile;
  auto made = batch(user, job);
  if (!made) return end(job, made.error());
  user.published = !job.withdraw;
  // A withdrawal leaves it until the ring has heard: only it says which keys to clear.
  if (!job.withdraw) user.published_profile = job.profile;
  // The version is durable before the ring sees it: it must never be used for other bytes.
  auto changed = users_.change(user, [this, job, version = user.version, batch = *std::move(made)](
                                         const Result<void>& written) mutable {
    if (!written) return end(job, written.error());
    put(job, version, std::move(batch));
  });
  if (!changed) end(job, changed.error());
}

void Publisher::put(const Job& job, std::uint64_t version, Batch batch) {
  if (batch.entries.empty()) return end(job, Published{.version = version});
  std::vector<Id> keys;
  for (const auto& entry : batch.entries) keys.push_back(entry.raw_item.ring);
  auto done = [this, job, version, records = batch.records,
               keys = std::move(keys)](const std::vector<ItemClient::Stored>& stored) {
    Published result{.version = version, .records = records};
    std::set<Id> safe;
    bool all = true;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (stored[i].status != Status::ok) result.refused = stored[i].status;
      bool good = stored[i].status == Status::ok && stored[i].safe;
      all = all && good;
      if (!good) continue;
      if (i < records) ++result.stored;
      safe.insert(keys[i]);
    }
    if (!all) late_.add(options_.retry, {job.user, job.withdraw, version});
    if (all && job.withdraw) forget_published(job.user);
    if (!job.withdraw) forget_leftover(job.user, safe);
    if (!job.withdraw) published_(job.user);
    end(job, result);
  };
  replicas_.put(std::move(batch.entries), done);
}

/// Of a withdrawal they are kept until all of it is done: see forget_published.
void Publisher::forget_leftover(const UserId& id, const std::set<Id>& cleared) {
  const User* found = users_.find(id);
  if (found == nullptr) return;
  User user = *found;
  if (std::erase_if(user.leftover_keys, [&](const Id& key) { return cleared.contains(key); }) == 0)
    return;
  auto changed = users_.change(user, [](const Result<void>&) {});  // else they are cleared twice
  if (!changed) {
    context_.log(LogLevel::warning, "a user's keys were not forgotten",
                 {{"reason", changed.error().text}});
  }
}

void Publisher::forget_published(const UserId& id) {
  const User* found = users_.find(id);
  if (found == nullptr || found->published) return;
  User user = *found;
  user.published_profile = no_profile();
  user.leftover_keys.clear();
  auto changed = users_.change(user, [](const Result<void>&) {});  // else it is withdrawn twice
  if (!changed) {
    context_.log(LogLevel::warning, "a user's keys were not forgotten",
                 {{"reason", changed.error().text}});
  }
}

void Publisher::end(const Job& job, const Result<Published>& result) {
  busy_.erase(job.user);
  --under_way_;
  job.done(result);
  run();
}

}  // namespace beckon::service
