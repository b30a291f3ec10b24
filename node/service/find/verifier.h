// SPDX-License-Identifier: MIT
#pragma once

#include "base/recent_map.h"
#include "node/service/find/find_messages.h"
#include "node/service/kernel/context.h"
#include "node/service/kernel/rate_limit.h"
#include "node/service/people/users.h"
#include "profile/query/query.h"

namespace beckon::service {

/// The host's word: answers for its own users whether a question holds, on exact values, and shows
/// the card of those it holds for. Who is not hosted here, not published, or not matched gets the
/// same "no".
class Verifier {
 public:
  struct Options {
    RateLimit::Options rate{.per_second = 500, .burst = 2000, .peers = 1024};
    std::size_t parsed_queries = 64;
  };

  Verifier(Context& context, const Users& users, const profile::Schema& schema, Options options);

  void on_verify(const Request& request);

 private:
  VerifyReply::Entry answer(const UserId& owner, const profile::Query& query) const;
  Result<const profile::Query*> query_of(const std::string& text);

  Context& context_;
  const Users& users_;
  const profile::Schema& schema_;
  RateLimit rate_;
  RecentMap<std::string, profile::Query> queries_;
};

}  // namespace beckon::service
