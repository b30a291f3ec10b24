// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/items/replicas.h"
#include "node/service/kernel/flow.h"
#include "node/service/mail/locator.h"
#include "node/service/mail/outbox.h"

namespace beckon::service {

/// Brings one sealed letter to one callee: to the host it was last known at; if that fails, to the
/// host its locator on the ring names; if that fails too, into its mailbox. Ends exactly once.
class Courier {
 public:
  struct Options {
    Duration deliver_timeout = std::chrono::seconds(4);
    std::size_t max_trips = 16'384;  // at once; who brings letters has tighter limits
  };
  /// What became of it, and what was learnt of the callee on the way.
  struct Outcome {
    SendState state = SendState::unreachable;
    PersonRef callee{};
  };
  using Done = std::function<void(Outcome)>;
  enum class Fallback : std::uint8_t { mailbox, none };  // calls are of no use later

  Courier(Context& context, Replicas& replicas, const Signer& signer, const Digest& overlay,
          Options options);

  void bring(const User& from, Letter letter, const PersonRef& callee, WallTime expiry,
             Fallback fallback, Done done);

  const Histogram& trip_times() const { return trip_times_; }  // to the host or the mailbox

  /// The callee's locator, as the ring has it now.
  void locate(const PublicKey& key, std::function<void(Result<Locator>)> done);

 private:
  struct Trip {
    SecretSeed seed{};
    Letter letter{};
    PersonRef callee{};
    WallTime expiry{};
    Fallback fallback{};
  };

  Flow<Outcome> travel(Trip trip);
  Result<Envelope> sealed(const Trip& trip);

  Context& context_;
  Replicas& replicas_;
  const Signer& signer_;
  Digest overlay_;
  Options options_;
  Histogram trip_times_{};
  Scope trips_;
};

}  // namespace beckon::service
