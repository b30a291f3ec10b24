// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/items/arc_map.h"
#include "node/service/items/claim.h"

namespace beckon::service {

enum class Verdict : std::uint8_t {
  granted,  // promised, accepted or filled, as was asked
  refused,  // a higher ballot was promised, or the request is not one that the sender may make
  behind,   // a later set is known here than the request is about
  ahead,    // the set that the request is about is not known here yet: learn it first, ask again
};

/// The answer of a node for one piece of the arc it was asked about.
struct Reply {
  Arc arc{};
  Verdict verdict{};
  /// What the answer tells: a promise the proposal accepted before (accepted, x_accepted, value), a
  /// refusal the ballot promised, `behind` the set known (x, holders). Nothing else is set.
  Claim claim{};
  friend bool operator==(const Reply&, const Reply&) = default;
};

/// A set that is to come after set x.
struct Proposal {
  Arc arc{};
  std::uint64_t x{};
  Ballot ballot{};
  std::uint64_t x_next{};
  Holders holders{};
  friend bool operator==(const Proposal&, const Proposal&) = default;
};

/// What a proposer collects during one attempt to decide the set after x. All of it may be lost in
/// a restart: the promises are on the disks of those who gave them. The keys of the arc may go
/// different ways, so every question is answered piece by piece.
///
/// `gone` are holders whose disks an operator gave up: they count as having agreed to everything.
class Attempt {
 public:
  Attempt(const ClaimRow& row, const Ballot& ballot, const Holders& gone);

  const Arc& arc() const { return arc_; }
  std::uint64_t x() const { return x_; }
  const Holders& holders() const { return holders_; }
  const Ballot& ballot() const { return ballot_; }
  bool must_prepare() const { return ballot_.number > 1; }

  void promised(const Holder& from, const Reply& reply);
  void accepted(const Holder& from, const Reply& reply);

  /// The pieces that may be proposed now. Where a promise told of an accepted proposal, x_next and
  /// holders are that proposal's and must be kept. Where holders is empty the proposer may choose.
  std::vector<Proposal> may_propose() const;
  /// The pieces where a majority has accepted what was proposed: decided.
  std::vector<Arc> decided() const;

  friend bool operator==(const Attempt&, const Attempt&) = default;

 private:
  struct Tally {
    Holders promised{};
    Holders accepted{};
    Ballot highest{};  // among the proposals that the promises told of:
    std::uint64_t x_next{};
    Holders value{};
    friend bool operator==(const Tally&, const Tally&) = default;
  };
  bool majority(const Holders& some) const;

  Arc arc_;
  std::uint64_t x_;
  Holders holders_;
  Ballot ballot_;
  ArcMap<Tally> tallies_{};
};

}  // namespace beckon::service
