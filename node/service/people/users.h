// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>

#include "node/service/kernel/context.h"
#include "node/service/people/user.h"

namespace beckon::service {

/// The users this node hosts, in memory and in Table::users. The first one made is `me`: whom a
/// command means when it names nobody. A change is visible at once and durable when `done` says so;
/// if the disk fails, what was durable before is back when `done` is called.
class Users {
 public:
  struct Options {
    std::size_t max_users = 100'000;
  };

  Users(Context& context, const Signer& signer, const profile::Schema& schema, Options options);

  Result<void>
  load();  // once, before anything else; a row that cannot be read is an error, not skipped

  Result<UserId> create(ProfilePtr profile, Context::WriteDone done);
  Result<void> change(const User& user, Context::WriteDone done);  // the user must exist already

  const User* find(const UserId& id) const;
  const User* me() const;  // nullptr while there is none
  /// By full id or by a prefix of at least 6 hexadecimal digits that fits one user only.
  Result<UserId> resolve(std::string_view text) const;
  const std::map<UserId, User>& all() const { return users_; }

 private:
  /// What to go back to while changes of a user are on their way to the disk.
  struct Pending {
    std::optional<User> durable{};  // none: it is being created
    std::uint64_t newest{};         // number of the last change
    std::size_t writes{};
  };

  Mutation row(const User& user) const;
  void write(const User& user, std::optional<User> before, Context::WriteDone done);
  void written(const User& user, std::uint64_t number, const Result<void>& result);

  Context& context_;
  const Signer& signer_;
  const profile::Schema& schema_;
  Options options_;
  std::map<UserId, User> users_;
  std::optional<UserId> me_;
  std::map<UserId, Pending> pending_;
  std::uint64_t changes_ = 0;
};

}  // namespace beckon::service
