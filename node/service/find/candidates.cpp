// SPDX-License-Identifier: MIT
#include "node/service/find/candidates.h"

#include <algorithm>

namespace beckon::service {

bool Candidates::Sooner::operator()(ByHost::iterator a, ByHost::iterator b) const {
  if (a->second.people.size() != b->second.people.size())
    return a->second.people.size() > b->second.people.size();
  return a->second.turn < b->second.turn;
}

void Candidates::add(Candidate candidate) {
  auto [host, is_new] = by_host_.try_emplace(candidate.host());
  if (is_new) host->second.turn = ++last_turn_;
  turns_.erase(host);  // out of the order while the number it goes by changes
  host->second.people.push_back(std::move(candidate));
  turns_.insert(host);
  ++size_;
}

std::vector<Candidate> Candidates::take(std::size_t most) {
  if (turns_.empty() || most == 0) return {};
  auto host = *turns_.begin();
  turns_.erase(turns_.begin());
  auto& people = host->second.people;
  auto end = people.begin() + static_cast<std::ptrdiff_t>(std::min(most, people.size()));
  std::vector<Candidate> out(std::move_iterator(people.begin()), std::move_iterator(end));
  people.erase(people.begin(), end);
  size_ -= out.size();
  if (people.empty()) {
    by_host_.erase(host);
  } else {
    turns_.insert(host);
  }
  return out;
}

}  // namespace beckon::service
