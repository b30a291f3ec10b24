#include "node/service/find/finder.h"

#include <algorithm>
#include <memory>

#include "node/service/frames.h"

namespace beckon::service {

Finder::Finder(Context& context, const profile::Schema& schema, const profile::Salt& salt,
               const Signer& signer, Options options)
    : context_(context), schema_(schema), salt_(salt), signer_(signer), options_(options) {}

Finder::Running* Finder::running(SearchId id) {
  auto found = searches_.find(id);
  return found == searches_.end() || found->second.paused ? nullptr : &found->second;
}

Result<Finder::SearchId> Finder::start(Search search, Listener listener) {
  forget_old();
  if (searches_.size() >= options_.max_searches) {
    return Error{ErrorCode::unavailable, "too many searches at once; try again in a moment"};
  }
  SearchId id = ++last_;
  Running& r = searches_[id];
  r.search = std::move(search);
  r.listener = std::move(listener);
  r.question = profile::canonical(schema_, r.search.query);
  context_.rng().fill(r.start.bytes);
  r.began = context_.now().mono;
  r.deadline = r.began + r.search.timeout;
  r.planning = r.search.query.branches.size();
  for (const profile::Branch& branch : r.search.query.branches) {
    r.blind.push_back(profile::blind(schema_, salt_, branch));
    r.accesses.push_back(profile::accesses(schema_, salt_, branch));
  }
  watch_deadlines();
  // Not inside this call: the caller is owed the id before the first hit.
  context_.after(Duration(0), [this, id] {
    Running* started = running(id);
    std::size_t branches = started == nullptr ? 0 : started->accesses.size();
    for (std::size_t branch = 0; branch < branches && running(id) != nullptr; ++branch)
      plan(id, branch);
  });
  return id;
}

Result<void> Finder::more(SearchId id, std::size_t limit, Duration timeout, Listener listener) {
  auto found = searches_.find(id);
  if (found == searches_.end() || !found->second.paused) {
    return Error{ErrorCode::not_found, "this search is over; ask again from the start"};
  }
  Running& r = found->second;
  r.search.limit = limit;
  r.search.timeout = timeout;
  r.listener = std::move(listener);
  r.found = 0;
  r.paused = false;
  r.report.limited = false;
  r.began = context_.now().mono;
  r.deadline = r.began + timeout;
  watch_deadlines();
  context_.after(Duration(0), [this, id] { pump(id); });
  return {};
}

const FindReport* Finder::progress(SearchId id) const {
  auto found = searches_.find(id);
  return found == searches_.end() ? nullptr : &found->second.report;
}

/// One timer for all searches: most end long before their time, and a timer each would stay behind.
void Finder::watch_deadlines() {
  auto busy = [](const auto& entry) { return !entry.second.paused; };
  if (watching_ || std::ranges::none_of(searches_, busy)) return;
  Time now = context_.now().mono;
  Time next = now + options_.timeout_grain;
  for (const auto& [id, r] : searches_) {
    if (!r.paused) next = std::min(next, std::max(now, r.deadline));
  }
  watching_ = true;
  context_.after(next - now, [this] {
    watching_ = false;
    std::vector<SearchId> late;
    for (const auto& [id, r] : searches_) {
      if (!r.paused && r.deadline <= context_.now().mono) late.push_back(id);
    }
    for (SearchId id : late) {
      if (running(id) != nullptr) finish(id, true);
    }
    watch_deadlines();
  });
}

void Finder::forget_old() {
  Time now = context_.now().mono;
  std::erase_if(searches_, [&](const auto& entry) {
    return entry.second.paused && now - entry.second.ended >= options_.keep;
  });
  if (searches_.size() >= options_.max_searches) {  // who asks now goes before who may ask for more
    auto oldest = searches_.end();
    for (auto it = searches_.begin(); it != searches_.end(); ++it) {
      bool older = oldest == searches_.end() || it->second.ended < oldest->second.ended;
      if (it->second.paused && older) oldest = it;
    }
    if (oldest != searches_.end()) searches_.erase(oldest);
  }
  std::erase_if(counts_,
                [&](const auto& entry) { return now - entry.second.at >= options_.count_age; });
}

// ---- planning

void Finder::plan(SearchId id, std::size_t branch) {
  Running& r = searches_.at(id);
  const auto& ways = r.accesses[branch];
  std::size_t fewest = ways.front().probes.size();
  for (const profile::Access& way : ways) fewest = std::min(fewest, way.probes.size());
  std::vector<std::size_t> rivals;  // equally few index nodes: the shorter list decides
  for (std::size_t i = 0; i < ways.size(); ++i) {
    r.report.ways.push_back(
        {.branch = branch, .label = ways[i].label, .probes = ways[i].probes.size()});
    if (ways[i].probes.size() == fewest) rivals.push_back(i);
  }
  if (rivals.size() < 2 || !r.search.access.empty()) return choose(id, branch);
  count(id, branch, rivals);
}

std::optional<std::uint32_t> Finder::remembered(const Id& key) const {
  auto found = counts_.find(key);
  bool fresh =
      found != counts_.end() && context_.now().mono - found->second.at < options_.count_age;
  return fresh ? std::optional(found->second.listed) : std::nullopt;
}

void Finder::remember(const Id& key, std::uint32_t listed) {
  if (counts_.size() >= options_.max_counts && !counts_.contains(key)) counts_.clear();
  counts_[key] = {.listed = listed, .at = context_.now().mono};
}

void Finder::count(SearchId id, std::size_t branch, const std::vector<std::size_t>& ways) {
  std::vector<Id> keys;
  for (std::size_t way : ways) {
    for (const profile::Probe& probe : searches_.at(id).accesses[branch][way].probes) {
      if (!remembered(Id{probe.key})) keys.push_back(Id{probe.key});
    }
  }
  if (keys.empty()) return choose(id, branch);
  auto waiting = std::make_shared<std::size_t>(keys.size());  // shared by the answers still to come
  for (const Id& key : keys) {
    auto done = [this, id, branch, waiting] {
      if (--*waiting == 0 && open(id)) choose(id, branch);
    };
    count_key(key, done, id);
  }
}

void Finder::count_key(const Id& key, std::function<void()> done, SearchId id) {
  context_.lookup(key, [this, key, done, id](const Result<Owner>& owner) {
    Running* r = running(id);
    if (!owner || r == nullptr) return done();
    ++r->report.lookups;
    r->report.hops += owner->contacts;
    r->report.messages += 2 + 2 * owner->contacts;
    Bytes body = encode(CountRequest{.keys = {key}});
    r->report.bytes += body.size();
    context_.ask(owner->owner, raw(FrameType::count_req), std::move(body), options_.request_timeout,
                 [this, key, done, id](const Result<Frame>& frame) {
                   auto reply =
                       frame ? decode_count_reply(frame->body) : Result<CountReply>(frame.error());
                   if (reply && reply->listed.size() == 1) remember(key, reply->listed.front());
                   if (Running* search = running(id); search != nullptr && frame)
                     search->report.bytes += frame->body.size();
                   done();
                 });
  });
}

/// Fewest index nodes first, then the shorter lists; a list that nobody counted is taken for a long
/// one.
void Finder::choose(SearchId id, std::size_t branch) {
  Running& r = searches_.at(id);
  const auto& ways = r.accesses[branch];
  std::size_t best = ways.size() - 1;  // `everybody` always does
  std::pair<std::size_t, std::uint64_t> least{ways[best].probes.size(), ~std::uint64_t{0}};
  std::size_t first_line = 0;
  while (r.report.ways[first_line].branch != branch) ++first_line;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    std::uint64_t listed = 0;
    bool known = true;
    for (const profile::Probe& probe : ways[i].probes) {
      auto count = remembered(Id{probe.key});
      known = known && count.has_value();
      listed += count.value_or(0);
    }
    if (known) r.report.ways[first_line + i].listed = listed;
    std::pair cost{ways[i].probes.size(), known ? listed : ~std::uint64_t{0} - 1};
    bool forced = !r.search.access.empty();
    if (forced ? ways[i].label == r.search.access : cost < least) {
      best = i;
      least = cost;
    }
  }
  r.report.ways[first_line + best].chosen = true;
  for (const profile::Probe& probe : ways[best].probes) {
    r.jobs.push_back({.branch = branch, .probe = probe, .way = first_line + best});
  }
  --r.planning;
  pump(id);
}

// ---- reading the index

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
         r->unverified.size() < 2 * r->search.limit) {
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
  context_.lookup(Id{job.probe.key},
                  [this, id, job = std::move(job)](const Result<Owner>& owner) mutable {
                    auto found = searches_.find(id);
                    if (found == searches_.end()) return;
                    Running* r = &found->second;
                    if (r->paused) {  // looked up again when more is asked for
                      --r->reading;
                      return r->jobs.push_back(std::move(job));
                    }
                    if (!owner) {
                      --r->reading;
                      r->report.complete = false;
                      return pump(id);
                    }
                    ++r->report.lookups;
                    r->report.hops += owner->contacts;
                    r->report.messages += 2 * owner->contacts;
                    job.replicas.push_back(owner->owner);
                    for (const PeerRef& peer : owner->successors) {
                      if (job.replicas.size() < options_.replicas) job.replicas.push_back(peer);
                    }
                    read(id, std::move(job));
                  });
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
  context_.ask(replica, raw(FrameType::query_req), std::move(body), options_.request_timeout,
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
  r.nodes_answered.insert(job.replicas[job.replica].id);
  r.report.answered = r.nodes_answered.size();
  r.report.bytes += frame->body.size();
  r.report.scanned += reply->scanned;
  if (r.report.reads.size() < FindReport::max_reads) {
    r.report.reads.push_back({.key = Id{job.probe.key},
                              .node = job.replicas[job.replica],
                              .listed = reply->listed,
                              .scanned = reply->scanned,
                              .passed = reply->records.size()});
  }
  if (!job.after && job.replica == 0) {
    remember(Id{job.probe.key}, reply->listed);
    auto& listed = r.report.ways[job.way].listed;
    listed = std::max<std::uint64_t>(listed.value_or(0), reply->listed);
  }
  take(r, *reply);
  if (reply->more) {
    auto last = next_page(r, job, *reply);
    if (!last) return next_replica(id, std::move(job));
    job.answered = true;
    job.after = last;
    r.jobs.push_back(std::move(job));
    --r.reading;
    return pump(id);
  }
  job.answered = true;
  if (reply->settling) return next_replica(id, std::move(job));  // copies may know more just now
  --r.reading;
  pump(id);
}

/// Behind which owner the next page begins. None if the node breaks the rules that make pages end:
/// a page before the last is full, and each goes further round from the start than the one before.
std::optional<Id> Finder::next_page(const Running& r, const Job& job,
                                    const QueryReply& reply) const {
  auto last = profile::decode_record(schema_, reply.records.back());
  if (!last || reply.records.size() < job.credit || r.seen.size() >= options_.max_candidates)
    return std::nullopt;
  Id owner{profile::owner_id(last->owner_key)};
  if (job.after && owner - r.start <= *job.after - r.start) return std::nullopt;
  return owner;
}

/// Goes on with the next copy of the key, from the start; what was seen already is dropped.
void Finder::next_replica(SearchId id, Job job) {
  auto found = searches_.find(id);
  if (found == searches_.end()) return;
  Running& r = found->second;
  job.after.reset();
  if (++job.replica < job.replicas.size()) {
    if (!r.paused) return read(id, std::move(job));
    r.jobs.push_back(std::move(job));
    --r.reading;
    return;
  }
  bool lost = !job.answered && ++job.attempts < options_.attempts && !r.paused;
  if (lost) {  // perhaps the ring has changed: find the owner again
    job.replicas.clear();
    job.replica = 0;
    return locate(id, std::move(job));
  }
  r.report.complete = r.report.complete && job.answered;
  --r.reading;
  pump(id);
}

void Finder::take(Running& r, const QueryReply& reply) {
  for (const Bytes& bytes : reply.records) {
    auto record = profile::decode_record(schema_, bytes);
    if (!record || record->withdrawn || record->expiry <= context_.now().wall) continue;
    if (r.seen.size() >= options_.max_candidates || !r.seen.insert(sha256(bytes)).second) continue;
    ++r.report.candidates;
    r.unverified.push_back(*std::move(record));
  }
}

// ---- asking the owners' hosts

/// Whom a record leads to must have signed it; else a stranger could pose as the host, and learn
/// the question. A second record of somebody who was asked about adds nothing.
bool Finder::worth_asking(Running& r, const profile::Record& record) {
  bool good = genuine(record) && r.asked.insert(Id{profile::owner_id(record.owner_key)}).second;
  if (!good) --r.report.candidates;
  return good;
}

void Finder::verify(SearchId id) {
  Running& r = searches_.at(id);
  while (r.verifying < options_.verify_window && !r.unverified.empty()) {
    profile::Record first = std::move(r.unverified.front());
    r.unverified.pop_front();
    if (!worth_asking(r, first)) continue;
    PeerRef host{.id = Id{first.host}, .address = first.address};
    std::vector<profile::Record> batch{std::move(first)};
    for (auto it = r.unverified.begin(); it != r.unverified.end() && batch.size() < max_verify;) {
      bool same = it->host == host.id.bytes && it->address == host.address;
      if (same && worth_asking(r, *it)) batch.push_back(std::move(*it));
      it = same ? r.unverified.erase(it) : it + 1;
    }
    ++r.verifying;
    confirm(id, std::move(host), std::move(batch));
  }
}

void Finder::confirm(SearchId id, PeerRef host, std::vector<profile::Record> records) {
  Running& r = searches_.at(id);
  VerifyRequest request{.query = r.question};
  for (const profile::Record& record : records)
    request.owners.push_back(Id{profile::owner_id(record.owner_key)});
  Bytes body = encode(request);
  r.report.messages += 2;
  r.report.bytes += body.size();
  context_.ask(host, raw(FrameType::verify_req), std::move(body), options_.request_timeout,
               [this, id, records = std::move(records)](const Result<Frame>& frame) {
                 confirmed(id, records, frame);
               });
}

void Finder::confirmed(SearchId id, const std::vector<profile::Record>& records,
                       const Result<Frame>& frame) {
  auto found = searches_.find(id);
  if (found == searches_.end()) return;
  Running& r = found->second;
  --r.verifying;
  auto reply = frame ? decode_verify_reply(frame->body) : Result<VerifyReply>(frame.error());
  bool answered = reply && reply->entries.size() == records.size();
  if (frame) r.report.bytes += frame->body.size();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (r.found >= r.search.limit || r.paused) {  // kept for whoever asks for more
      r.asked.erase(Id{profile::owner_id(records[i].owner_key)});
      r.unverified.push_back(records[i]);
      continue;
    }
    if (answered && !reply->entries[i].yes) {
      ++r.report.false_positives;
      continue;
    }
    hit(r, records[i], answered ? &reply->entries[i] : nullptr);
  }
  pump(id);
}

/// Checking a signature costs more than all the rest of a hit, and the same people come up again.
bool Finder::genuine(const profile::Record& record) {
  Digest digest = sha256(profile::encode(record));
  if (genuine_.contains(digest) || older_.contains(digest)) return true;
  if (!profile::verify_record(schema_, salt_, signer_, record)) return false;
  if (genuine_.size() >= options_.remembered_records) older_ = std::exchange(genuine_, {});
  genuine_.insert(digest);
  return true;
}

void Finder::hit(Running& r, const profile::Record& record, const VerifyReply::Entry* entry) {
  Person person{.callee = {.key = record.owner_key,
                           .message_key = record.message_key,
                           .host = {.id = Id{record.host}, .address = record.address}}};
  if (entry != nullptr) {
    person.card = entry->card;
    person.verified = true;
    person.online = true;
    ++r.found;
    ++r.report.found;
  } else {
    ++r.report.offline;
  }
  r.listener.hit(person);
}

void Finder::finish(SearchId id, bool timed_out) {
  Running& r = searches_.at(id);
  bool rest = r.planning > 0 || !r.jobs.empty() || r.reading > 0 || !r.unverified.empty() ||
              r.verifying > 0;
  bool enough = r.found >= r.search.limit;
  if (timed_out && !enough) r.report.complete = false;
  r.report.limited = enough && rest;
  r.report.elapsed = context_.now().mono - r.began;
  auto done = r.listener.done;
  FindReport report = r.report;
  r.paused = true;
  r.ended = context_.now().mono;
  if (!report.limited) searches_.erase(id);
  done(report);
}

}  // namespace beckon::service
