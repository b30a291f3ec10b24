#include "node/service/items/item_client.h"

#include <algorithm>
#include <numeric>

namespace beckon::service {

ItemClient::ItemClient(Context& context, const RuleBook& rules, const ReplicaOptions& options)
    : context_(context), rules_(rules), options_(options) {}

// --- put

void ItemClient::put(std::vector<PutEntry> entries, PutDone done) {
  JobId id = ++last_id_;
  std::vector<Stored> results(entries.size(), {.status = Status::unavailable});
  bool full = jobs() >= options_.max_client_jobs;
  if (full || entries.empty()) {
    context_.after(Duration{0}, [done = std::move(done), results] { done(results); });
    return;
  }
  PutJob& job = puts_[id];
  job = {.entries = std::move(entries), .results = std::move(results), .done = std::move(done)};
  job.again.resize(job.entries.size());
  std::iota(job.again.begin(), job.again.end(), 0);
  put_round(id);
}

void ItemClient::put_round(JobId id) {
  PutJob& job = puts_.at(id);
  ++job.attempt;
  job.todo = std::exchange(job.again, {});
  std::ranges::sort(job.todo, {}, [&](std::size_t i) { return job.entries[i].parcel.ring; });
  put_more(id);
}

void ItemClient::put_more(JobId id) {
  PutJob& job = puts_.at(id);
  if (job.todo.empty()) {
    if (job.in_flight == 0 && !job.looking_up) put_round_over(id, job);
    return;
  }
  if (job.looking_up || job.in_flight >= options_.max_owner_requests) return;
  job.looking_up = true;
  context_.lookup(job.entries[job.todo.front()].parcel.ring,
                  [this, id](Result<Owner> owner) { put_to(id, owner); });
}

void ItemClient::put_to(JobId id, const Result<Owner>& owner) {
  PutJob& job = puts_.at(id);
  job.looking_up = false;
  // No node lies between the key looked up and its owner, so keys up to the owner are its, too.
  Id first = job.entries[job.todo.front()].parcel.ring;
  PutRequest request;
  std::vector<std::size_t> sent;
  std::vector<std::size_t> rest;
  std::size_t bytes = 0;
  for (std::size_t i : job.todo) {
    const PutEntry& entry = job.entries[i];
    const Id& ring = entry.parcel.ring;
    bool same =
        ring == first || (owner && Arc{.after = first, .upto = owner->owner.id}.contains(ring) &&
                          first != owner->owner.id);
    bool fits = sent.empty() || (sent.size() < max_parcels &&
                                 bytes + entry.parcel.bytes.size() <= max_parcel_bytes);
    if (!same || !fits) {
      rest.push_back(i);
      continue;
    }
    bytes += entry.parcel.bytes.size();
    request.entries.push_back(entry);
    sent.push_back(i);
  }
  job.todo = std::move(rest);
  if (!owner) {
    job.again.insert(job.again.end(), sent.begin(), sent.end());
    return put_more(id);
  }
  ++job.in_flight;
  context_.ask(owner->owner, raw(FrameType::put_req), encode(request), options_.put_timeout,
               [this, id, sent = std::move(sent)](Result<Frame> f) { put_sent(id, sent, f); });
  put_more(id);
}

void ItemClient::put_sent(JobId id, const std::vector<std::size_t>& entries,
                          const Result<Frame>& frame) {
  PutJob& job = puts_.at(id);
  --job.in_flight;
  Result<PutReply> reply = Error{ErrorCode::unavailable, "no answer"};
  if (frame && frame->type == raw(FrameType::put_rep)) reply = decode_put_reply(frame->body);
  bool fits = reply && reply->entries.size() == entries.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Stored& result = job.results[entries[i]];
    if (fits) {
      const PutReply::Entry& e = reply->entries[i];
      result = {e.status, e.copies, e.status == Status::ok && e.copies >= reply->wanted, e.seq};
    } else if (result.status != Status::ok) {
      result.status = Status::unavailable;
    }
    if (worth_retrying(result)) job.again.push_back(entries[i]);
  }
  put_more(id);
}

bool ItemClient::worth_retrying(const Stored& stored) {
  switch (stored.status) {
    case Status::ok:
      return !stored.safe;
    case Status::not_member:
    case Status::leaving:
    case Status::rate:
    case Status::not_responsible:
    case Status::storage:
    case Status::unavailable:
      return true;
    default:
      return false;
  }
}

void ItemClient::put_round_over(JobId id, PutJob& job) {
  if (!job.again.empty() && job.attempt < options_.put_attempts) {
    auto factor = std::int64_t{1} << std::min<std::size_t>(job.attempt - 1, 6);
    context_.after(options_.retry_delay * factor, [this, id] { put_round(id); });
    return;
  }
  auto node = puts_.extract(id);
  node.mapped().done(std::move(node.mapped().results));
}

// --- get

void ItemClient::get(const Id& ring, ItemKind kind, Reach reach, GetDone done) {
  if (jobs() >= options_.max_client_jobs) {
    context_.after(Duration{0}, [done = std::move(done)] { done(to_error(Status::rate)); });
    return;
  }
  JobId id = ++last_id_;
  gets_[id] = {.ring = ring,
               .kind = kind,
               .reach = reach,
               .began = context_.now().mono,
               .done = std::move(done)};
  get_owner(id);
}

void ItemClient::get_owner(JobId id) {
  context_.lookup(gets_.at(id).ring, [this, id](Result<Owner> owner) {
    GetJob& job = gets_.at(id);
    job.next = 0;
    if (owner) {
      job.replicas = {owner->owner};
      for (const PeerRef& peer : owner->successors) {
        if (job.replicas.size() < options_.replicas) job.replicas.push_back(peer);
      }
    }
    get_next(id);
  });
}

void ItemClient::get_next(JobId id) {
  GetJob& job = gets_.at(id);
  bool enough = !job.found.empty() && job.reach == Reach::first;
  if (enough || job.next == job.replicas.size()) return get_over(id);
  ++job.next;
  job.after.reset();
  job.pages = 0;
  get_page(id, job);
}

void ItemClient::get_page(JobId id, GetJob& job) {
  ++job.pages;
  GetRequest request{.ring = job.ring, .kind = job.kind, .after = job.after};
  context_.ask(job.replicas[job.next - 1], raw(FrameType::get_req), encode(request),
               options_.request_timeout, [this, id](Result<Frame> frame) {
                 if (!frame || frame->type != raw(FrameType::get_rep)) return get_next(id);
                 auto reply = decode_get_reply(frame->body);
                 if (!reply) return get_next(id);
                 got_page(id, gets_.at(id), *reply);
               });
}

void ItemClient::got_page(JobId id, GetJob& job, const GetReply& reply) {
  job.answered = true;
  bool moved = false;
  for (const Bytes& bytes : reply.items) {
    auto judged = rules_.judge_fully({job.ring, job.kind, bytes}, context_.now().wall);
    if (judged.status != Status::ok) continue;
    Item& item = judged.item;
    if (!job.after || *job.after < item.key.sub) {
      job.after = item.key.sub;
      moved = true;
    }
    if (!seen(item)) {
      job.stale = true;
      continue;
    }
    auto known = job.found.find(item.key);
    if (known == job.found.end() || version(known->second) < version(item)) {
      job.found.insert_or_assign(item.key, std::move(item));
    }
  }
  if (reply.more && moved && job.pages < options_.get_pages) return get_page(id, job);
  get_next(id);
}

bool ItemClient::seen(const Item& item) {
  auto mark = marks_.find(item.key);
  if (mark != marks_.end()) {
    if (version(item) < mark->second.first) return false;
    marks_by_use_.erase(mark->second.second);
  }
  marks_[item.key] = {version(item), ++uses_};
  marks_by_use_[uses_] = item.key;
  if (marks_.size() > options_.high_water_marks) {
    auto oldest = marks_by_use_.begin();
    marks_.erase(oldest->second);
    marks_by_use_.erase(oldest);
  }
  return true;
}

void ItemClient::get_over(JobId id) {
  // Nodes that have just joined refuse reads until they have compared; in a new ring all have.
  const GetJob& asked = gets_.at(id);
  if (!asked.answered && context_.now().mono - asked.began < options_.get_patience)
    return context_.after(options_.get_pause, [this, id] { get_owner(id); });
  auto node = gets_.extract(id);
  GetJob& job = node.mapped();
  // Asking several replicas takes time, and an item's may have run out meanwhile.
  WallTime now = context_.now().wall;
  std::erase_if(job.found, [now](const auto& entry) { return !entry.second.live(now); });
  if (!job.found.empty()) {
    std::vector<Item> items;
    for (auto& [key, item] : job.found) items.push_back(std::move(item));
    return job.done(std::move(items));
  }
  if (job.stale) {
    return job.done(Error{ErrorCode::conflict, "only versions older than one seen before"});
  }
  job.done(to_error(job.answered ? Status::not_found : Status::unavailable));
}

}  // namespace beckon::service
