// SPDX-License-Identifier: MIT
#include "node/service/people/users.h"

#include <fmt/core.h>

#include "base/text.h"

namespace beckon::service {

namespace {

const Bytes me_key{'m', 'e'};  // in Table::meta

Bytes to_bytes(const UserId& id) { return {id.bytes.begin(), id.bytes.end()}; }

}  // namespace

Users::Users(Context& context, const Signer& signer, const profile::Schema& schema, Options options)
    : context_(context), signer_(signer), schema_(schema), options_(options) {}

Result<void> Users::load() {
  std::optional<Error> failed;
  auto scanned = context_.store().scan(Table::users, {}, [&](ByteView key, ByteView row) {
    auto user = decode_user(row, signer_, schema_);
    if (!user || to_bytes(user->id()) != Bytes(key.begin(), key.end())) {
      failed = invalid(fmt::format("the stored user {} cannot be read", to_hex(key)));
      return false;
    }
    UserId id = user->id();
    users_.emplace(id, *std::move(user));
    return true;
  });
  if (!scanned) return scanned.error();
  if (failed) return *failed;
  auto me = context_.store().get(Table::meta, me_key);
  if (!me) return me.error();
  if (!me->has_value()) return {};
  ByteReader r(**me);
  UserId id{r.array<UserId::size>()};
  if (!r.finish("the stored name of the first user") || !users_.contains(id)) {
    return invalid(
        fmt::format("the stored name of the first user, {}, is no hosted user's", to_hex(**me)));
  }
  me_ = id;
  return {};
}

Mutation Users::row(const User& user) const {
  return {.table = Table::users, .key = to_bytes(user.id()), .value = encode(user)};
}

Result<UserId> Users::create(ProfilePtr profile, Context::WriteDone done) {
  if (users_.size() >= options_.max_users) {
    return Error{ErrorCode::refused,
                 fmt::format("this node hosts {} users, which is its limit", users_.size())};
  }
  if (profile->text.size() > User::max_profile_size)
    return invalid("a profile holds at most 32 KiB");
  SecretRng& secrets = context_.secrets();
  SecretSeed seed = secrets.next();
  User user = make_user(signer_, seed, secrets.next(), context_.now().wall);
  user.profile = std::move(profile);
  UserId id = user.id();
  users_.emplace(id, user);
  write(user, std::nullopt, std::move(done));
  return id;
}

void Users::write(const User& user, std::optional<User> before, Context::WriteDone done) {
  UserId id = user.id();
  std::vector<Mutation> writes{row(user)};
  if (!before && !me_) {
    me_ = id;
    writes.push_back({.table = Table::meta, .key = me_key, .value = to_bytes(id)});
  }
  auto [pending, fresh] = pending_.try_emplace(id);
  if (fresh) pending->second.durable = std::move(before);
  std::uint64_t number = ++changes_;
  pending->second.newest = number;
  ++pending->second.writes;
  context_.write(std::move(writes),
                 [this, user, number, done = std::move(done)](const Result<void>& result) {
                   written(user, number, result);
                   done(result);
                 });
}

void Users::written(const User& user, std::uint64_t number, const Result<void>& result) {
  UserId id = user.id();
  auto found = pending_.find(id);
  Pending& pending = found->second;
  if (result) pending.durable = user;
  bool last_word = pending.newest == number;  // a later change holds all of this one
  if (!result && last_word && pending.durable) users_.at(id) = *pending.durable;
  if (!result && last_word && !pending.durable) {
    users_.erase(id);
    if (me_ == id) me_.reset();
  }
  if (--pending.writes == 0) pending_.erase(found);
}

Result<void> Users::change(const User& user, Context::WriteDone done) {
  auto found = users_.find(user.id());
  if (found == users_.end()) return Error{ErrorCode::not_found, "this node hosts no such user"};
  if (user.profile->text.size() > User::max_profile_size)
    return invalid("a profile holds at most 32 KiB");
  User before = std::exchange(found->second, user);
  write(user, std::move(before), std::move(done));
  return {};
}

const User* Users::find(const UserId& id) const {
  auto found = users_.find(id);
  return found == users_.end() ? nullptr : &found->second;
}

const User* Users::me() const { return me_ ? find(*me_) : nullptr; }

Result<UserId> Users::resolve(std::string_view text) const {
  if (text.size() < 6 || text.size() > 2 * UserId::size) {
    return invalid(fmt::format("a user is named by 6 to 40 hexadecimal digits, got '{}'",
                               printable(text, 64)));
  }
  std::vector<UserId> fitting;
  for (const auto& [id, user] : users_) {
    if (id.hex().starts_with(text)) fitting.push_back(id);
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty())
    return Error{ErrorCode::not_found,
                 fmt::format("this node hosts no user '{}'", printable(text, 64))};
  return invalid(fmt::format("'{}' fits {} hosted users; write more digits", printable(text, 64),
                             fitting.size()));
}

}  // namespace beckon::service
