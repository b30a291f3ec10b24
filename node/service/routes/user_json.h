#pragma once

#include <map>

#include "base/json.h"
#include "node/service/find/publisher.h"
#include "node/service/people/users.h"

namespace beckon::service {

/// Hosted users as the API tells of them: {"id","name","published","version","records"}. Name and
/// number of records are worked out once for each state of a profile, since a node may host
/// thousands.
class UserFacts {
 public:
  UserFacts(const profile::Schema& schema, const Publisher& publisher)
      : schema_(schema), publisher_(publisher) {}

  Json of(const User& user);

 private:
  struct Known {
    std::size_t stamp{};  // of the texts it was worked out from
    std::string name{};
    std::size_t records{};
  };
  const Known& known(const User& user);

  const profile::Schema& schema_;
  const Publisher& publisher_;
  std::map<UserId, Known> known_;
};

}  // namespace beckon::service
