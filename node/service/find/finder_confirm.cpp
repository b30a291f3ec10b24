// SPDX-License-Identifier: MIT
#include <algorithm>

#include "node/service/find/finder.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

/// Whom a record leads to must have signed it; else a stranger could pose as the host, and learn
/// the question. A second record of somebody who was asked about adds nothing.
bool Finder::worth_asking(Running& r, const Candidate& candidate) {
  bool good =
      genuine_.check(candidate.record, candidate.digest) && r.asked.insert(candidate.owner).second;
  if (!good) --r.report.candidates;
  return good;
}

void Finder::verify(SearchId id) {
  Running& r = searches_.at(id);
  std::size_t wanted = r.search.limit + r.search.limit / 16;  // some may be refuted
  while (r.verifying < options_.verify_window && !r.unverified.empty() &&
         r.found + r.in_doubt < wanted) {
    auto people = r.unverified.take(std::min(max_verify, wanted - r.found - r.in_doubt));
    std::erase_if(people, [&](const Candidate& one) { return !worth_asking(r, one); });
    if (people.empty()) continue;
    ++r.verifying;
    r.in_doubt += people.size();
    confirm(id, std::move(people));
  }
  if (r.in_doubt > 0 && r.patient_until == Time::max())
    r.patient_until = context_.now().mono + options_.patience;
}

void Finder::confirm(SearchId id, std::vector<Candidate> people) {
  Running& r = searches_.at(id);
  VerifyRequest request{.query = r.report.query};
  for (const Candidate& one : people) request.owners.push_back(one.owner);
  Bytes body = encode(request);
  r.report.messages += 2;
  r.report.bytes += body.size();
  PeerRef host = people.front().host();
  context_.ask(
      host, raw(FrameType::verify_req), std::move(body), options_.request_timeout,
      [this, id, wave = r.wave, people = std::move(people)](const Result<Frame>& frame) mutable {
        confirmed(id, std::move(people), wave, frame);
      });
}

void Finder::confirmed(SearchId id, std::vector<Candidate> people, std::uint64_t wave,
                       const Result<Frame>& frame) {
  auto found = searches_.find(id);
  if (found == searches_.end()) return;
  Running& r = found->second;
  --r.verifying;
  if (wave == r.wave) r.in_doubt -= people.size();
  if (r.in_doubt == 0) r.patient_until = Time::max();
  auto reply = frame ? decode<VerifyReply>(frame->body) : Result<VerifyReply>(frame.error());
  bool answered = reply && reply->entries.size() == people.size();
  if (frame) r.report.bytes += frame->body.size();
  bool slow = !frame && frame.error().code == ErrorCode::unavailable &&
              context_.linked(people.front().host().id);
  std::vector<Person> hits;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (r.found >= r.search.limit || r.paused) {  // kept for whoever asks for more
      r.asked.erase(people[i].owner);
      r.unverified.add(std::move(people[i]));
    } else if (answered && !reply->entries[i].yes) {
      ++r.report.false_positives;
    } else {
      r.report.slow += slow ? 1 : 0;
      hits.push_back(hit(r, people[i].record, answered ? &reply->entries[i] : nullptr));
    }
  }
  // The listener may cancel the search, and then `r` is gone, the listener itself with it.
  auto tell = r.listener.hit;
  for (Person& person : hits) {
    if (open(id)) tell(std::move(person));
  }
  pump(id);
}

/// Counts one more, found or only met.
Person Finder::hit(Running& r, const profile::Record& record, const VerifyReply::Entry* entry) {
  Person person{.callee = {.key = record.owner_key,
                           .message_key = record.message_key,
                           .host = first_host(record)}};
  if (entry != nullptr) {
    person.card = entry->card;
    person.verified = true;
    person.online = true;
  } else {
    ++r.report.offline;
  }
  bool counts = person.verified || r.search.unverified;
  r.found += counts ? 1 : 0;
  r.report.found += counts ? 1 : 0;
  return person;
}

}  // namespace beckon::service
