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
  while (r->reading < options_.probe_window && !r->jobs.empty() &&
         r->found + r->in_doubt + r->unverified.size() < 2 * r->search.limit) {
    Job job = std::move(r->jobs.front());
    r->jobs.pop_front();
    ++r->reading;
    job.replicas.empty() ? locate(id, std::move(job)) : read(id, std::move(job));
  }
  bool idle = r->planning == 0 && r->jobs.empty() && r->reading == 0 && r->unverified.empty() &&
              r->verifying == 0;
  if (idle) finish(id, false);
}

void Finder::locate(SearchId id, Job job) {
  Id key{job.probe.key};
  bool sure = job.sure;
  auto done = [this, id, job = std::move(job)](const Result<Owner>& owner) mutable {
    located(id, std::move(job), owner);
  };
  sure ? context_.lookup(key, std::move(done)) : context_.recall(key, std::move(done));
}

void Finder::located(SearchId id, Job job, const Result<Owner>& owner) {
  auto found = searches_.find(id);
  if (found == searches_.end()) return;
  Running& r = found->second;
  if (r.paused) {  // looked up again when more is asked for
    --r.reading;
    return r.jobs.push_back(std::move(job));
  }
  if (!owner) return end_job(id, false);
  ++r.report.lookups;
  r.report.hops += owner->contacts;
  r.report.messages += 2 * owner->contacts;
  job.sure = !owner->remembered;
  std::vector<PeerRef> copies{owner->owner};
  for (const PeerRef& peer : owner->successors) {
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
  job.replicas.empty() ? end_job(id, job.answered) : read(id, std::move(job));
}

void Finder::end_job(SearchId id, bool complete) {
  Running& r = searches_.at(id);
  r.report.complete = r.report.complete && complete;
  --r.reading;
  pump(id);
}

void Finder::read(SearchId id, Job job) {
  Running& r = searches_.at(id);
  std::size_t wanted = std::clamp<std::size_t>(2 * r.search.limit, 16, max_credit);
  job.credit = wanted;
  QueryRequest request{.key = Id{job.probe.key},
                       .wanted = job.probe.wanted,
                       .predicates = r.blind[job.branch],
                       .start = r.start,
                       .after = job.after,
                       .credit = static_cast<std::uint8_t>(wanted)};
  Bytes body = encode(request);
  r.report.messages += 2;
  r.report.bytes += body.size();
  PeerRef replica = job.replicas[job.replica];
  r.nodes_asked.insert(replica.id);
  r.report.asked = r.nodes_asked.size();
  Duration timeout = job.sure ? options_.request_timeout : options_.hint_timeout;
  context_.ask(replica, raw(FrameType::query_req), std::move(body), timeout,
               [this, id, job = std::move(job)](const Result<Frame>& frame) mutable {
                 page(id, std::move(job), frame);
               });
}

void Finder::page(SearchId id, Job job, const Result<Frame>& frame) {
  auto found = searches_.find(id);
  if (found == searches_.end()) return;
  Running& r = found->second;
  auto reply = frame ? decode_query_reply(frame->body) : Result<QueryReply>(frame.error());
  if (!reply) return next_replica(id, std::move(job));
  r.report.bytes += frame->body.size();
  note(r, job, *reply);
  take(r, *reply);
  if (reply->more) {
    if (r.seen.size() >= options_.max_candidates) return end_job(id, false);
    auto last = next_page(r, job, *reply);
    if (!last) return next_replica(id, std::move(job));
    job.after = last;
    r.jobs.push_back(std::move(job));
    --r.reading;
    return pump(id);
  }
  job.answered = true;
  if (reply->settling) return next_replica(id, std::move(job));  // copies may know more just now
  end_job(id, true);
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
  auto last = profile::decode_record(schema_, reply.records.back());
  if (!last || reply.records.size() < job.credit) return std::nullopt;
  Id owner{profile::owner_id(last->owner_key)};
  if (job.after && owner - r.start <= *job.after - r.start) return std::nullopt;
  return owner;
}

/// Goes on with the next copy of the key, from the start; what was seen already is dropped. If the
/// owner was only remembered it is looked up first; what it told counts if it holds a copy indeed.
void Finder::next_replica(SearchId id, Job job) {
  auto found = searches_.find(id);
  if (found == searches_.end()) return;
  Running& r = found->second;
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
  if ((next || again) && r.paused) {
    r.jobs.push_back(std::move(job));
    --r.reading;
    return;
  }
  if (next) return read(id, std::move(job));
  if (again) return locate(id, std::move(job));
  end_job(id, job.answered);
}

void Finder::take(Running& r, const QueryReply& reply) {
  for (const Bytes& bytes : reply.records) {
    auto record = profile::decode_record(schema_, bytes);
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
