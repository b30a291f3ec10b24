// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "node/service/items/attempt.h"
#include "node/service/items/quorum.h"

namespace beckon::service {

enum class ClaimState : std::uint8_t {
  unknown,    // no set is known
  receiving,  // filled as a newcomer, not a holder yet
  settled,    // a holder: has every safe record
  changing,   // a holder that has promised something about the next set: fenced
  former,     // others are the holders; copies here are strays
};
std::string_view name_of(ClaimState state);

enum class CopyVerdict : std::uint8_t {
  ok,      // durable while settled in the same set
  kept,    // stored, but it counts for nothing
  behind,  // stored; a later set is known here
};

/// What must be on disk before any frame that tells of the change leaves, in one transaction. A row
/// is found by the end of its arc.
struct ClaimWrites {
  std::vector<ClaimRow> put{};
  std::vector<Id> erase{};  // ends of arcs
  bool empty() const { return put.empty() && erase.empty(); }
  friend bool operator==(const ClaimWrites&, const ClaimWrites&) = default;
};

/// Who holds which keys, as far as this node knows and has promised (docs/ownership.md). A value
/// without clock, timers and I/O: every function that changes it returns the rows to write.
///
/// Invariants: (x, promised) of a key never falls. A holder with a promise is not settled, until it
/// learns a later set. Rows with equal content and neighbouring arcs are one row.
///
/// The caller writes before it sends, checks by TLS that `from` is who it says, and begins at most
/// one attempt for a key at a time.
class Claims {
 public:
  explicit Claims(const Holder& self) : self_(self) {}
  /// After a start, from the store. Refuses rows that overlap.
  static Result<Claims> restore(const Holder& self, const std::vector<ClaimRow>& rows);

  // Questions
  const Holder& self() const { return self_; }
  const Claim& at(const Id& key) const { return rows_.at(key); }
  ClaimState state(const Id& key) const { return state_of(at(key)); }
  Settled settled(const Id& key) const;                // what an answer to a read says
  std::vector<ClaimRow> rows() const;                  // all with x > 0
  std::vector<ClaimRow> pieces(const Arc& arc) const;  // clockwise, with x = 0 too

  // Records
  std::optional<PutTally> begin_put(const Id& key) const;  // none: not settled
  /// Asked when the disk has confirmed a copy that was sent under set x, never earlier.
  CopyVerdict copied(const Id& key, std::uint64_t x) const;
  /// Whether a record that every holder has confirmed may be deleted here.
  bool may_drop(const Id& key) const { return state(key) == ClaimState::former; }

  // The first set of all, made by `create` and by nothing else
  Result<ClaimWrites> found();

  // A proposer
  struct Begun {
    Attempt attempt;
    ClaimWrites writes{};
  };
  /// Fences this node for the arc and names an attempt with a ballot above `seen`. None if the arc
  /// lies in several rows (begin each) or this node is no holder of it.
  std::optional<Begun> begin(const Arc& arc, std::uint32_t seen);
  bool under_way(const Attempt& attempt) const;  // no other ballot and no later set came between
  std::uint64_t next_x(const Arc& arc) const;    // for a set that the proposer chooses itself
  /// The set in the order in which it is proposed: of a pair, one that was a holder before leads.
  static Holders in_order(Holders wanted, const Holders& holders);

  // Requests of others, and what this node asks of itself
  struct Answer {
    std::vector<Reply> replies{};
    ClaimWrites writes{};
  };
  Answer on_prepare(const Holder& from, const Arc& arc, std::uint64_t x, const Ballot& ballot);
  Answer on_accept(const Holder& from, const Proposal& proposal);
  /// All records of the arc came from `from`, and are durable.
  Answer on_filled(const Holder& from, const Arc& arc, std::uint64_t x);
  ClaimWrites learn(const Arc& arc, std::uint64_t x, const Holders& holders);

  /// An operator's word that a disk is lost for good. The caller stores the word itself.
  void forget(const Holder& holder);
  const Holders& forgotten() const { return forgotten_; }

  friend bool operator==(const Claims&, const Claims&) = default;

 private:
  using Rows = ArcMap<Claim>;
  ClaimState state_of(const Claim& claim) const;
  template <typename Grant>
  Answer ask(const Holder& from, const Arc& arc, std::uint64_t x, Grant&& grant);

  Holder self_;
  Rows rows_{};
  Holders forgotten_{};  // sorted
};

}  // namespace beckon::service
