#pragma once

#include <deque>
#include <set>

#include "node/service/mail/contacts.h"
#include "node/service/mail/locator.h"
#include "node/service/replicas.h"
#include "node/service/users.h"

namespace beckon::service {

/// Keeps the locators of this node's users on the ring, and their message keys fresh. A user has
/// one once it is published or has written to somebody: before that nobody has a reason to reach
/// it.
class Locators {
 public:
  struct Options {
    Duration period = std::chrono::hours(8);  // a third of the life of a record
    std::chrono::seconds life = std::chrono::hours(24);
    Duration retry = std::chrono::seconds(30);
    std::size_t batch = 64;
  };

  Locators(Context& context, Replicas& replicas, Users& users, const Contacts& contacts,
           const Signer& signer, const Digest& overlay, Options options);

  void start();                      // refreshes all, now and every period
  void refresh(const UserId& user);  // this one, soon
  void ensure(const UserId& user);   // as refresh, unless it has one from this life

 private:
  void refresh_all();
  void run();
  void rotate(const User& user);
  ItemClient::PutEntry entry(const User& user) const;

  Context& context_;
  Replicas& replicas_;
  Users& users_;
  const Contacts& contacts_;
  const Signer& signer_;
  Digest overlay_;
  Options options_;
  std::deque<UserId> queue_;
  std::set<UserId> placed_;
  bool running_ = false;
};

}  // namespace beckon::service
