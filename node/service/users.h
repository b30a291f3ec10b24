#pragma once

#include <map>
#include <optional>

#include "node/service/context.h"
#include "node/service/user.h"

namespace beckon::service {

/// The users this node hosts, in memory and in Table::users. The first one made is `me`: whom a
/// command means when it names nobody. A change is visible at once and durable when `done` says so.
class Users {
 public:
  struct Options {
    std::size_t max_users = 100'000;
  };

  Users(Context& context, const Signer& signer, Options options);

  Result<void>
  load();  // once, before anything else; a row that cannot be read is an error, not skipped

  Result<UserId> create(std::string profile, Context::WriteDone done);
  Result<void> change(const User& user, Context::WriteDone done);  // the user must exist already

  const User* find(const UserId& id) const;
  const User* me() const;  // nullptr while there is none
  /// By full id or by a prefix of at least 6 hexadecimal digits that fits one user only.
  Result<UserId> resolve(std::string_view text) const;
  const std::map<UserId, User>& all() const { return users_; }

 private:
  Mutation row(const User& user) const;

  Context& context_;
  const Signer& signer_;
  Options options_;
  std::map<UserId, User> users_;
  std::optional<UserId> me_;
};

}  // namespace beckon::service
