// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>

#include "node/service/kernel/context.h"

namespace beckon::service {

/// Requests of ours that wait for a reply. Each continuation put in comes out exactly once: by its
/// reply, by its deadline, or because its peer is gone. A reply counts only when it comes from the
/// peer that was asked. Bounded in all and per peer.
class Rpc {
 public:
  struct Options {
    std::size_t max_open = 8192;
    std::size_t max_open_per_peer = 512;
  };
  using Done = Context::ReplyDone;

  /// Numbers start at a place of this life's own, so that a reply meant for an earlier one finds
  /// nothing here.
  Rpc(Options options, std::uint64_t epoch);

  /// None if there is no room; then `done` is left as it was.
  std::optional<std::uint64_t> open(const Id& peer, Time deadline, Done&& done, Time asked = {});
  struct Answered {
    Time asked{};
    Done done{};
  };
  std::optional<Answered> answered(const Id& peer, std::uint64_t number);
  std::vector<Done> failed(const Id& peer);
  std::vector<Done> expired(Time now);

  Time next_deadline() const {
    return deadlines_.empty() ? Time::max() : deadlines_.begin()->first;
  }
  std::size_t size() const { return open_.size(); }

 private:
  struct Pending {
    Id peer{};
    Time asked{};
    Time deadline{};
    Done done{};
  };
  Done take(std::map<std::uint64_t, Pending>::iterator at);

  Options options_;
  std::uint64_t next_;
  std::map<std::uint64_t, Pending> open_{};
  std::set<std::pair<Time, std::uint64_t>> deadlines_{};
  std::map<Id, std::set<std::uint64_t>> by_peer_{};
};

/// Requests of peers that wait for our answer: each is answered once, and a peer that has too many
/// open is refused more. It is listened to all the same, for what answers its requests may be the
/// replies it sends on the same link. Who keeps to Rpc's limits is never refused.
class Inbound {
 public:
  struct Options {
    std::size_t max_open_per_peer = Rpc::Options{}.max_open_per_peer;
  };
  enum class Verdict { accepted, repeated, too_many };

  explicit Inbound(Options options) : options_(options) {}
  Verdict accept(const Id& peer, std::uint64_t number);
  bool answered(const Id& peer, std::uint64_t number);  // true if it was open
  void gone(const Id& peer);
  std::size_t size() const;

 private:
  Options options_;
  std::map<Id, std::set<std::uint64_t>> open_{};
};

}  // namespace beckon::service
