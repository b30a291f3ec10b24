// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <set>

#include "node/service/kernel/agenda.h"
#include "node/service/mail/contacts.h"
#include "node/service/mail/courier.h"
#include "node/service/mail/locators.h"
#include "node/service/mail/mail_messages.h"
#include "node/service/people/users.h"

namespace beckon::service {

/// Sends letters of this node's users to one or many callees, in parallel within a window, and
/// keeps at it: what was kept or could not be brought is tried again, ever more rarely, until a
/// receipt comes or the letter expires. A restart goes on where it stopped; callees recognise what
/// they already have.
///
/// A letter leaves while it is still being written to the outbox. If this node dies before that is
/// done, the letter may have arrived although its sender was never told so; it is never told too
/// much.
class Messenger {
 public:
  struct Options {
    std::size_t window = 16;  // trips at once
    std::chrono::milliseconds life = std::chrono::hours(14 * 24);
    Duration first_retry = std::chrono::seconds(30);  // doubles
    Duration last_retry = std::chrono::hours(1);
    Duration first_wait = std::chrono::seconds(1);  // where the callee's host said later; doubles
    Duration last_wait = std::chrono::minutes(1);
    std::size_t group_size = 5;  // more callees than this make a group send
    RateLimit::Options groups{.per_second = 20.0 / 3600, .burst = 20, .peers = 4096};
  };
  struct Send {
    UserId from{};
    std::string name{};  // what the sender calls itself
    std::vector<PersonRef> to{};
    std::string text{};
    Letter::Number thread{};
  };
  /// After every change of a state, and when the letter has become durable here.
  using Changed = std::function<void(const SentLetter&)>;

  Messenger(Context& context, Users& users, Contacts& contacts, Outbox& outbox, Courier& courier,
            Locators& locators, Options options);

  void start();  // after the outbox is loaded: takes up what is open

  /// The letter is durable here when `accepted` says so. An Error there means that this node will
  /// not try again, not that nobody got it.
  Result<Outbox::Name> send(Send send, Context::WriteDone accepted);
  void watch(const Outbox::Name& name, Changed changed);
  void unwatch(const Outbox::Name& name) { watchers_.erase(name); }

  Delivery receipt(const User& to, const Letter& letter);

 private:
  struct Errand {
    Outbox::Name name{};
    UserId to{};
    friend auto operator<=>(const Errand&, const Errand&) = default;
  };

  Result<void> check(const Send& send);
  void remember(const Send& send);
  void enqueue(const Outbox::Name& name);
  void run();
  void finished(const Errand& errand, const Courier::Outcome& outcome);
  void record(const Errand& errand, const Outgoing& outgoing);
  void tell(const Outbox::Name& name);
  Duration pause_after(const Outgoing& outgoing);
  void forget_period();

  Context& context_;
  Users& users_;
  Contacts& contacts_;
  Outbox& outbox_;
  Courier& courier_;
  Locators& locators_;
  Options options_;
  RateLimit groups_;
  std::deque<Errand> queue_;
  std::set<Errand> busy_;  // queued, under way or waiting for another try
  std::size_t under_way_ = 0;
  Agenda<Errand> late_;  // to be tried again
  std::map<Outbox::Name, Changed> watchers_;
};

}  // namespace beckon::service
