// SPDX-License-Identifier: MIT
#include "node/service/find/finder.h"

#include <algorithm>

#include "node/service/kernel/frames.h"

namespace beckon::service {

void Finder::pump(SearchId id) {
  Running* r = running(id);
  if (r == nullptr) return;
  bool enough = r->found >= r->search.limit;
  if (enough) return finish(id, false);
  verify(id);
  r = running(id);
  if (r == nullptr) return;
  // While enough candidates wait for their hosts, no more are fetched.
  while (!r->reads.full() && !r->jobs.empty() &&
         r->found + r->in_doubt + r->unverified.size() < 2 * r->search.limit) {
    Job job = std::move(r->jobs.front());
    r->jobs.pop_front();
    r->reads.start(read(r, std::move(job)), [this, id](std::optional<Job> rest) {
      if (rest) searches_.at(id).jobs.push_back(*std::move(rest));
      pump(id);
    });
  }
  bool idle = r->planning == 0 && r->jobs.empty() && r->reads.size() == 0 &&
              r->unverified.empty() && r->verifying == 0;
  if (idle) finish(id, false);
}

/// Reads a page under the job's key, from one copy after another until one tells it. Returns what
/// is left to read, if anything: another page, or all if the search has stopped meanwhile.
Flow<std::optional<Finder::Job>> Finder::read(Running* r, Job job) {
  auto nothing_left = [r](bool complete) {
    r->report.complete = r->report.complete && complete;
    return std::optional<Job>();
  };
  do {
    if (job.replicas.empty()) {
      auto owner_found = find_owner(job);
      auto owner = co_await owner_found;
      if (r->paused) co_return job;  // looked up again when more is asked for
      if (!owner) co_return nothing_left(false);
      use_copies(*r, job, *owner);
      if (job.replicas.empty()) co_return nothing_left(job.answered);
    }
    auto answer =
        ask(context_, job.replicas[job.replica], FrameType::query_req, next_request(*r, job),
            job.sure ? options_.request_timeout : options_.hint_timeout);
    auto frame = co_await answer;
    auto reply = frame ? decode<QueryReply>(frame->body) : Result<QueryReply>(frame.error());
    if (reply) {
      r->report.bytes += frame->body.size();
      note(*r, job, *reply);
      take(*r, *reply);
    }
    if (reply && reply->more) {
      if (r->seen.size() >= options_.max_candidates) co_return nothing_left(false);
      if (auto last = next_page(*r, job, *reply)) {
        job.after = last;
        co_return job;
      }
    } else if (reply) {
      job.answered = true;
      if (!reply->settling) co_return nothing_left(true);  // else copies may know more just now
    }
    if (!next_copy(job)) co_return nothing_left(job.answered);
  } while (!r->paused);
  co_return job;
}

Pending<Result<Owner>> Finder::find_owner(const Job& job) {
  Id key{job.probe.key};
  return job.sure ? lookup(context_, key) : recall(context_, key);
}

/// Those of the key's copies that are still to be asked.
void Finder::use_copies(Running& r, Job& job, const Owner& owner) const {
  ++r.report.lookups;
  r.report.hops += owner.contacts;
  r.report.messages += 2 * owner.contacts;
  job.sure = !owner.remembered;
  std::vector<PeerRef> copies{owner.owner};
  for (const PeerRef& peer : owner.successors) {
    bool known = std::ranges::find(copies, peer.id, &PeerRef::id) != copies.end();
    if (copies.size() < options_.replicas && !known) copies.push_back(peer);
  }
  for (const PeerRef& peer : copies) {
    if (job.heard == peer.id) {
      job.answered = true;
    } else {
      job.replicas.push_back(peer);
    }
  }
}

Bytes Finder::next_request(Running& r, Job& job) const {
  job.credit = std::clamp<std::size_t>(2 * r.search.limit, 16, max_credit);
  Bytes body = encode(QueryRequest{.key = Id{job.probe.key},
                                   .wanted = job.probe.wanted,
                                   .predicates = r.blind[job.branch],
                                   .start = r.start,
                                   .after = job.after,
                                   .credit = static_cast<std::uint8_t>(job.credit)});
  r.report.messages += 2;
  r.report.bytes += body.size();
  r.nodes_asked.insert(job.replicas[job.replica].id);
  r.report.asked = r.nodes_asked.size();
  return body;
}

/// For the report, and for planning the next search.
void Finder::note(Running& r, Job& job, const QueryReply& reply) {
  const PeerRef& node = job.replicas[job.replica];
  r.nodes_answered.insert(node.id);
  r.report.answered = r.nodes_answered.size();
  r.report.scanned += reply.scanned;
  if (r.report.reads.size() < FindReport::max_reads) {
    r.report.reads.push_back({.key = Id{job.probe.key},
                              .node = node,
                              .listed = reply.listed,
                              .scanned = reply.scanned,
                              .passed = reply.records.size()});
  }
  if (job.after) return;
  job.listed = std::max(job.listed, reply.listed);
  remember(Id{job.probe.key}, job.listed);
  if (auto sum = listed(r.accesses[job.branch][job.access])) r.report.ways[job.way].listed = sum;
}

/// Behind which owner the next page begins. None if the node breaks the rules that make pages end:
/// a page before the last is full, and each goes further round from the start than the one before.
std::optional<Id> Finder::next_page(const Running& r, const Job& job,
                                    const QueryReply& reply) const {
  auto last = profile::decode_record(reply.records.back());
  if (!last || reply.records.size() < job.credit) return std::nullopt;
  Id owner{profile::owner_id(last->owner_key)};
  if (job.after && owner - r.start <= *job.after - r.start) return std::nullopt;
  return owner;
}

/// Goes on with the next copy of the key, from the start; what was seen already is dropped. If the
/// owner was only remembered it is looked up first; what it told counts if it holds a copy indeed.
/// False if nobody is left to ask.
bool Finder::next_copy(Job& job) const {
  job.after.reset();
  bool next = job.sure && ++job.replica < job.replicas.size();
  bool again = !job.sure || (!next && !job.answered && ++job.attempts < options_.attempts);
  if (again) {  // perhaps the ring has changed
    if (job.answered) job.heard = job.replicas[job.replica].id;
    job.answered = false;
    job.sure = true;
    job.replicas.clear();
    job.replica = 0;
  }
  return next || again;
}

void Finder::take(Running& r, const QueryReply& reply) {
  for (const Bytes& bytes : reply.records) {
    auto record = profile::decode_record(bytes);
    if (!record || record->withdrawn || record->expiry <= context_.now().wall) continue;
    Id owner{profile::owner_id(record->owner_key)};
    Candidate candidate{.record = *std::move(record), .digest = sha256(bytes), .owner = owner};
    if (r.seen.contains(candidate.digest)) continue;
    if (r.seen.size() >= options_.max_candidates) {
      r.report.complete = false;
      continue;
    }
    r.seen.insert(candidate.digest);
    ++r.report.candidates;
    r.unverified.add(std::move(candidate));
  }
}

}  // namespace beckon::service
