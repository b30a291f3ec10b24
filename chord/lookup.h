// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"
#include "chord/message.h"
#include "chord/options.h"
#include "chord/ring_io.h"

namespace beckon::chord {

/// One iterative search for the owner of a key: asks ever nearer peers before the key for what they
/// know, until nobody nearer is left, then asks the first entry at or behind the key in the nearest
/// one's list whether it is there. An answer may only name peers nearer to the key; dead peers are
/// gone round because every answer holds a whole successor list. One expiry is enough to move on,
/// and after the first, three are asked at once. At most `lookup_contacts` requests. If the list of
/// ours was shorter than it may be, it named the whole ring: once all in it are found dead, we are
/// what is left of the ring, and own the key.
///
/// The owner of this object sends each Question and completes it exactly once.
class Lookup {
 public:
  struct Question {
    PeerRef peer{};
    bool state = false;  // STATE_REQ; otherwise NEXT_REQ for the key
  };
  struct Finding {
    LookupOutcome outcome{};
    PeerRef owner{};
    PeerRef predecessor{};
    std::vector<PeerRef> list{};        // the predecessor's list
    std::vector<PeerRef> successors{};  // the owner's list; empty when the owner is ourselves
    friend bool operator==(const Finding&, const Finding&) = default;
  };

  struct Plan {
    PeerRef self{};
    Id key{};
    bool exclude_self = false;  // we are not in this ring, or want to know who follows us
    std::vector<PeerRef> start{};
    std::optional<std::vector<PeerRef>>
        own_list{};            // our list, if our own view counts as an answer
    std::size_t contacts = 0;  // requests that an earlier try for this key has used up
  };
  Lookup(const Options& options, const Plan& plan, Time started);

  [[nodiscard]] std::vector<Question> questions();  // those to ask now
  void also_start(const PeerRef& peer) { add_candidate(peer, key_); }
  void next_answered(const PeerRef& by, const NextReply& reply);
  void state_answered(const PeerRef& by, const StateReply& reply);
  void failed(const Id& peer, bool silent);
  void slow(const Id& peer);  // half its time-out has run: ask another one beside it
  void give_up();             // time is over

  const std::optional<Finding>& finding() const { return finding_; }
  bool is_slow(const Id& peer) const { return slow_.contains(peer); }
  const Id& key() const { return key_; }
  Time started() const { return started_; }
  std::size_t contacts() const { return contacts_; }
  const std::vector<Id>& path() const { return path_; }
  /// Lists a join could adopt when this ends; for the budget of simulated crashes.
  std::vector<std::vector<Id>> lists_to_adopt() const;

  friend bool operator==(const Lookup&, const Lookup&) = default;

 private:
  struct Contact {
    PeerRef peer{};
    std::vector<PeerRef> list{};
    friend bool operator==(const Contact&, const Contact&) = default;
  };
  Id distance(const Id& peer) const { return key_ - peer; }  // from the peer on to the key
  void add_candidate(const PeerRef& peer, const Id& after);
  std::vector<PeerRef> nearest_open(std::size_t count) const;
  std::size_t nearer_under_way(bool without_slow) const;
  std::size_t owners_under_way() const;
  std::optional<std::vector<PeerRef>> owners_to_ask(std::size_t count);
  bool outlived_the_ring(const Contact& contact) const;
  void found(const PeerRef& owner, const Contact& before, std::vector<PeerRef> successors);
  std::vector<Question> put(const std::vector<PeerRef>& peers, bool state);

  PeerRef self_;
  Id key_;
  bool exclude_self_;
  std::size_t list_length_;
  std::size_t max_contacts_;
  std::size_t parallel_;
  Time started_;
  std::size_t window_ = 1;
  std::size_t contacts_ = 0;
  std::map<Id, PeerRef> candidates_{};  // by distance
  std::map<Id, Contact> answered_{};    // by distance
  std::map<Id, bool> asking_{};         // value: a state question
  std::set<Id> slow_{};
  std::map<Id, StateReply> owners_{};  // answered as members, not yet known to be the first
  std::set<Id> dead_{};
  std::vector<Id> path_{};
  std::optional<Finding> finding_{};
};

}  // namespace beckon::chord
