// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "base/hash.h"
#include "chord/peer_ref.h"
#include "profile/index/record.h"

namespace beckon::service {

/// A record may name several hosts; one is asked.
inline chord::PeerRef first_host(const profile::Record& record) {
  const profile::RecordHost& host = record.hosts.front();
  return {.id = chord::Id{host.id}, .address = host.address};
}

/// A record that passed a filter, the hash of its bytes, and whose it is.
struct Candidate {
  profile::Record record{};
  Digest digest{};
  chord::Id owner{};

  chord::PeerRef host() const { return first_host(record); }
};

/// Candidates that wait for their hosts to be asked, grouped by host so that one message asks for
/// many. The host of most of them comes first, so that few need to hear the question; of equals,
/// the one that came up first.
class Candidates {
 public:
  void add(Candidate candidate);
  /// The first host's oldest ones, at most `most` of them; empty when nobody waits.
  std::vector<Candidate> take(std::size_t most);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Waiting {
    std::uint64_t turn{};  // grows from host to host
    std::deque<Candidate> people{};
  };
  using ByHost = std::map<chord::PeerRef, Waiting>;
  struct Sooner {
    bool operator()(ByHost::iterator a, ByHost::iterator b) const;
  };

  ByHost by_host_{};                            // nobody with no people
  std::set<ByHost::iterator, Sooner> turns_{};  // all of by_host_
  std::uint64_t last_turn_ = 0;
  std::size_t size_ = 0;
};

}  // namespace beckon::service
