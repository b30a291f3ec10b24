#pragma once

#include <deque>
#include <map>
#include <vector>

#include "base/hash.h"
#include "chord/peer_ref.h"
#include "profile/record.h"

namespace beckon::service {

/// A record that passed a filter, the hash of its bytes, and whose it is.
struct Candidate {
  profile::Record record{};
  Digest digest{};
  chord::Id owner{};

  chord::PeerRef host() const { return {.id = chord::Id{record.host}, .address = record.address}; }
};

/// Candidates that wait for their hosts to be asked, grouped by host so that one message asks for
/// many. Hosts take turns in the order in which they came up first.
class Candidates {
 public:
  void add(Candidate candidate);
  /// The next host's oldest ones, at most `most` of them; empty when nobody waits.
  std::vector<Candidate> take(std::size_t most);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  std::map<chord::PeerRef, std::deque<Candidate>> by_host_{};
  std::deque<chord::PeerRef> turns_{};  // exactly the keys of by_host_
  std::size_t size_ = 0;
};

}  // namespace beckon::service
