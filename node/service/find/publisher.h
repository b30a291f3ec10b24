// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <set>

#include "node/service/items/replicas.h"
#include "node/service/kernel/agenda.h"
#include "node/service/people/users.h"
#include "profile/index/keys.h"
#include "profile/index/record.h"

namespace beckon::service {

/// Puts the records of this node's users on the ring, replaces them when the user publishes again,
/// renews them before they expire, and withdraws them. What the user has saved since but not
/// published never leaves this node. A user's published profile is remembered, and so
/// are the keys that a change leaves behind until the ring has confirmed that they are cleared,
/// also over a restart.
///
/// A withdrawal has a lower version than the record made with it: whoever puts it under a key of
/// the new profile cannot displace the record there.
class Publisher {
 public:
  struct Options {
    Duration period = std::chrono::hours(8);
    std::chrono::seconds life = std::chrono::hours(24);
    Duration retry = std::chrono::seconds(30);
    std::size_t window = 32;  // users under way at once
    double target_fpr = profile::default_target_fpr;
  };
  struct Published {
    std::uint64_t version{};
    std::size_t records{};  // of the profile; of a withdrawal, the keys it clears
    std::size_t stored{};   // of these, with as many copies as make them safe
    Status refused{};       // why one of the others is not; ok if they only lack copies
  };
  using Done = std::function<void(Result<Published>)>;

  Publisher(Context& context, Replicas& replicas, Users& users, const profile::Schema& schema,
            const profile::Salt& salt, const Signer& signer, Options options);

  void start();  // renews all that is published, now and every period
  using Listener = std::function<void(const UserId&)>;
  void on_published(Listener listener) { published_ = std::move(listener); }  // the ring has heard

  void publish(const UserId& user, Done done);
  void withdraw(const UserId& user, Done done);

  std::size_t record_count(const User& user) const;  // of what is published of it
  std::size_t waiting() const { return queue_.size() + under_way_; }

 private:
  struct Job {
    UserId user{};
    bool withdraw = false;
    ProfilePtr profile{};  // to publish, as it was when that was asked for
    Done done{};
    /// Nobody asked for it now: it is dropped if the user has published or withdrawn since this
    /// version, for that is what the user wanted last. Renews what was published, not what was
    /// saved since.
    std::optional<std::uint64_t> repeats{};
  };

  void renew_all();
  void enqueue(Job job);
  void enqueue_again(const UserId& user, bool withdraw, std::uint64_t version);
  void forget_published(const UserId& id);
  void forget_leftover(const UserId& id, const std::set<Id>& cleared);
  void run();
  void begin(Job job);
  struct Batch {
    std::vector<ItemClient::PutEntry> entries{};
    std::size_t records{};  // the first so many; keys that only an older profile had follow
  };
  Result<Batch> batch(User& user, const Job& job) const;
  std::vector<profile::Placement> places_of(const ProfilePtr& profile, const User& user) const;
  std::set<profile::RingKey> old_keys(const User& user) const;
  profile::Publication publication(const User& user) const;
  void end(const Job& job, const Result<Published>& result);
  void put(const Job& job, std::uint64_t version, Batch batch);

  Context& context_;
  Replicas& replicas_;
  Users& users_;
  const profile::Schema& schema_;
  profile::Salt salt_;
  const Signer& signer_;
  Options options_;
  std::deque<Job> queue_;
  std::set<UserId> busy_;  // one job a user, so that versions reach the ring in order
  std::size_t under_way_ = 0;
  bool running_ = false;
  Listener published_ = [](const UserId&) {};
  struct Late {
    UserId user{};
    bool withdraw = false;
    std::uint64_t version{};
  };
  Agenda<Late> late_;  // to be tried again
};

}  // namespace beckon::service
