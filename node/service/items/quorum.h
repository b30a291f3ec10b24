// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "node/service/items/claim.h"

namespace beckon::service {

/// Votes of a set of `n` holders: one each, but two for the lead of a pair, so that of two nodes
/// the lead can go on alone.
std::size_t votes_of(const Holders& holders, const Holder& holder);  // 0 for a stranger
std::size_t votes_of(const Holders& holders, const Holders& some);   // `some` names nobody twice
std::size_t to_decide(std::size_t n);                                // votes: more than half
std::size_t to_read(std::size_t n);                                  // votes: half or more

/// What a settled holder says about itself with every answer. Two answers speak of the same set
/// when x, n and hash are equal. x = 0: not settled, the answer counts for nothing.
struct Settled {
  std::uint64_t x{};
  std::uint8_t n{};
  std::uint64_t hash{};
  std::uint8_t votes{};  // of the holder that answers: the reader does not know who leads a pair
  bool same_set(const Settled& o) const { return x == o.x && n == o.n && hash == o.hash; }
  friend bool operator==(const Settled&, const Settled&) = default;
};

struct ReadAnswer {
  Id node{};
  Settled settled{};
  bool whole{};  // all pages came, and all of them said the same
};

/// Whether the answers of a read, taken together, miss nothing that was safe when it began: enough
/// votes of one set. A single holder is enough only if no other holder of the set can be asked:
/// `awaited` counts the requests that neither answered nor failed.
bool complete(std::span<const ReadAnswer> answers, std::size_t awaited);

/// The copies of one record that a coordinator writes under set x.
class PutTally {
 public:
  PutTally(std::uint64_t x, Holders holders) : x_(x), holders_(std::move(holders)) {}

  /// This holder, the coordinator included, was settled in x when its disk confirmed the record.
  void ok(const Holder& holder);
  /// `least`: copies that a record needs, no more than there are members.
  bool safe(std::size_t least) const;

  std::uint64_t x() const { return x_; }
  const Holders& holders() const { return holders_; }

 private:
  std::uint64_t x_;
  Holders holders_;
  Holders ok_{};
};

}  // namespace beckon::service
