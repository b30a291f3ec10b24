#pragma once

#include <map>
#include <optional>
#include <set>

#include "node/service/context.h"

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
  std::optional<std::uint64_t> open(const Id& peer, Time deadline, Done&& done);
  std::optional<Done> answered(const Id& peer, std::uint64_t number);
  std::vector<Done> failed(const Id& peer);
  std::vector<Done> expired(Time now);

  Time next_deadline() const {
    return deadlines_.empty() ? Time::max() : deadlines_.begin()->first;
  }
  std::size_t size() const { return open_.size(); }

 private:
  struct Pending {
    Id peer{};
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

/// Requests of peers that wait for our answer. Says when a peer has so many open that it should
/// not be listened to for a while, and refuses beyond a hard limit. A request is answered once.
class Inbound {
 public:
  struct Options {
    std::size_t pause_at = 64;
    std::size_t resume_at = 32;
    std::size_t refuse_at = 512;
  };
  enum class Verdict { accepted, repeated, too_many };

  explicit Inbound(Options options) : options_(options) {}
  Verdict accept(const Id& peer, std::uint64_t number);
  bool answered(const Id& peer, std::uint64_t number);  // true if it was open
  void gone(const Id& peer);

  std::vector<Id> take_pause() { return std::exchange(pause_, {}); }
  std::vector<Id> take_resume() { return std::exchange(resume_, {}); }
  std::size_t size() const;

 private:
  struct FromPeer {
    std::set<std::uint64_t> open{};
    bool paused = false;
  };
  Options options_;
  std::map<Id, FromPeer> peers_{};
  std::vector<Id> pause_{};
  std::vector<Id> resume_{};
};

}  // namespace beckon::service
