// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <set>

#include "node/service/items/replicas.h"
#include "node/service/mail/contacts.h"
#include "node/service/mail/locator.h"
#include "node/service/people/users.h"

namespace beckon::service {

/// Keeps the locators of this node's users on the ring, and their message keys fresh. A user has
/// one once it is published or has written to somebody: before that nobody has a reason to reach
/// it.
///
/// A new message key is told to the ring only once it is durable: else letters sealed to it could
/// never be opened after a crash. Sequence numbers follow the clock but never go back with it;
/// after a restart the ring itself says which one it holds.
class Locators {
 public:
  struct Options {
    Duration period = std::chrono::hours(8);  // a third of the life of a record
    std::chrono::seconds life = std::chrono::hours(24);
    Duration retry = std::chrono::seconds(30);
    std::size_t batch = 64;
    std::chrono::milliseconds seq_ahead = std::chrono::hours(1);  // as RuleBook::Options
  };

  Locators(Context& context, Replicas& replicas, Users& users, const Contacts& contacts,
           const Signer& signer, const Digest& overlay, Options options);

  void start();                      // refreshes all, now and every period
  void refresh(const UserId& user);  // this one, soon
  void ensure(const UserId& user);   // as refresh, unless it has one from this life

 private:
  void refresh_all();
  void run();
  void run_after(Duration pause);
  bool rotating(const User& user);
  ItemClient::PutEntry entry(const User& user);
  bool settled(const UserId& user, const ItemClient::Stored& stored);

  Context& context_;
  Replicas& replicas_;
  Users& users_;
  const Contacts& contacts_;
  const Signer& signer_;
  Digest overlay_;
  Options options_;
  std::deque<UserId> queue_;
  std::set<UserId> placed_;
  std::map<UserId, std::uint64_t> seqs_;  // the newest made or heard of
  bool running_ = false;
  Timer pause_{};
};

}  // namespace beckon::service
