// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "node/service/items/claims.h"
#include "node/service/kernel/context.h"

namespace beckon::service {

std::vector<Mutation> to_mutations(const ClaimWrites& writes);

/// The claims of this node with the disk they live on. Rows change in memory first. Nothing is
/// told of a change, and the keys it touches are not settled, until the disk has confirmed it.
///
/// The disk has a number, made with the database. A disk without a number, or with a row that
/// cannot be read, has lost promises: it gets a new number and owns nothing.
class ClaimKeeper {
 public:
  using Done = std::function<void(Result<void>)>;

  explicit ClaimKeeper(Context& context) : context_(context), claims_({context.self().id, 0}) {}

  void load();  // once, before anything else

  const Claims& claims() const { return claims_; }
  /// None while a change of the key is not durable.
  Settled settled(const Id& key) const;

  void found(Done done);  // conflict if any set is known here

  /// Runs `change` on the claims. What it returns is written; `done` follows when it is durable. An
  /// error means that memory is ahead of the disk: send nothing. The keeper tries again by itself.
  using Change = std::function<ClaimWrites(Claims&)>;
  void change(const Change& change, Done done);

 private:
  void begin_disk(std::vector<Mutation> old);
  void write(const ClaimWrites& writes, Done done);
  void written(std::uint64_t number, bool durable);
  void mend();

  Context& context_;
  Claims claims_;
  std::map<std::uint64_t, std::vector<Arc>> pending_{};  // writes under way, and what they touch
  std::uint64_t last_write_ = 0;
  bool torn_ = false;  // a write failed: the disk may lack any row
  Timer mending_{};
};

}  // namespace beckon::service
