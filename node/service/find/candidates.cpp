#include "node/service/find/candidates.h"

#include <algorithm>

namespace beckon::service {

void Candidates::add(Candidate candidate) {
  chord::PeerRef host = candidate.host();
  auto& waiting = by_host_[host];
  if (waiting.empty()) turns_.push_back(std::move(host));
  waiting.push_back(std::move(candidate));
  ++size_;
}

std::vector<Candidate> Candidates::take(std::size_t most) {
  if (turns_.empty() || most == 0) return {};
  chord::PeerRef host = std::move(turns_.front());
  turns_.pop_front();
  auto found = by_host_.find(host);
  auto& waiting = found->second;
  auto end = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(most, waiting.size()));
  std::vector<Candidate> out(std::move_iterator(waiting.begin()), std::move_iterator(end));
  waiting.erase(waiting.begin(), end);
  size_ -= out.size();
  if (waiting.empty()) {
    by_host_.erase(found);
  } else {
    turns_.push_back(std::move(host));
  }
  return out;
}

}  // namespace beckon::service
