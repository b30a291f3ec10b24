// SPDX-License-Identifier: MIT
#include "node/service/items/item_client.h"

#include <algorithm>
#include <numeric>

namespace beckon::service {

namespace {

using PutEntry = ItemClient::PutEntry;

/// Takes out of `todo`, which is sorted by place on the ring, what one request to the owner of the
/// first brings: no node lies between the key looked up and its owner, so keys up to the owner are
/// its, too.
std::vector<std::size_t> take_batch(const std::vector<PutEntry>& entries,
                                    std::vector<std::size_t>& todo, const Result<Owner>& owner) {
  Id first = entries[todo.front()].raw_item.ring;
  std::vector<std::size_t> batch;
  std::vector<std::size_t> rest;
  std::size_t bytes = 0;
  for (std::size_t i : todo) {
    const RawItem& raw_item = entries[i].raw_item;
    bool same = raw_item.ring == first ||
                (owner && Arc{.after = first, .upto = owner->owner.id}.contains(raw_item.ring) &&
                 first != owner->owner.id);
    bool fits = batch.empty() ||
                (batch.size() < max_parcels && bytes + raw_item.bytes.size() <= max_parcel_bytes);
    if (same && fits) bytes += raw_item.bytes.size();
    (same && fits ? batch : rest).push_back(i);
  }
  todo = std::move(rest);
  return batch;
}

Bytes put_request(const std::vector<PutEntry>& entries, const std::vector<std::size_t>& batch) {
  PutRequest request;
  for (std::size_t i : batch) request.entries.push_back(entries[i]);
  return encode(request);
}

}  // namespace

ItemClient::ItemClient(Context& context, const RuleBook& rules, const ReplicaOptions& options)
    : context_(context), rules_(rules), options_(options), jobs_(options.max_client_jobs) {}

// --- put

void ItemClient::put(std::vector<PutEntry> entries, PutDone done) {
  if (jobs_.full() || entries.empty()) {
    std::vector<Stored> none(entries.size(), {.status = Status::unavailable});
    context_.after(Duration{0}, [done = std::move(done), none] { done(none); });
    return;
  }
  jobs_.start(write_all(std::move(entries)), std::move(done));
}

Flow<std::vector<ItemClient::Stored>> ItemClient::write_all(std::vector<PutEntry> entries) {
  Writing writing{.entries = std::move(entries)};
  writing.results.assign(writing.entries.size(), {.status = Status::unavailable});
  writing.again.resize(writing.entries.size());
  std::iota(writing.again.begin(), writing.again.end(), 0);
  for (std::size_t attempt = 1;; ++attempt) {
    auto todo = std::exchange(writing.again, {});
    std::ranges::sort(todo, {}, [&](std::size_t i) { return writing.entries[i].raw_item.ring; });
    Scope requests(options_.max_owner_requests);
    while (!todo.empty()) {
      auto room = requests.room();
      co_await room;
      auto owner_found = lookup(context_, writing.entries[todo.front()].raw_item.ring);
      auto owner = co_await owner_found;
      auto batch = take_batch(writing.entries, todo, owner);
      if (owner)
        requests.start(write_to(owner->owner, std::move(batch), &writing));
      else
        writing.again.insert(writing.again.end(), batch.begin(), batch.end());
    }
    auto idle = requests.idle();
    co_await idle;
    if (writing.again.empty() || attempt >= options_.put_attempts)
      co_return std::move(writing.results);
    auto factor = std::int64_t{1} << std::min<std::size_t>(attempt - 1, 6);
    auto moment = pause(context_, options_.retry_delay * factor);
    co_await moment;
  }
}

Flow<void> ItemClient::write_to(PeerRef owner, std::vector<std::size_t> batch, Writing* writing) {
  auto answer = ask(context_, owner, FrameType::put_req, put_request(writing->entries, batch),
                    options_.put_timeout);
  auto frame = co_await answer;
  take_reply(*writing, batch, frame);
}

void ItemClient::take_reply(Writing& writing, const std::vector<std::size_t>& batch,
                            const Result<Frame>& frame) {
  Result<PutReply> reply = Error{ErrorCode::unavailable, "no answer"};
  if (frame && frame->type == raw(FrameType::put_rep)) reply = decode<PutReply>(frame->body);
  bool fits = reply && reply->entries.size() == batch.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Stored& result = writing.results[batch[i]];
    if (fits) {
      const PutReply::Entry& e = reply->entries[i];
      result = {e.status, e.copies, e.status == Status::ok && e.copies >= reply->wanted, e.seq};
    } else if (result.status != Status::ok) {
      result.status = Status::unavailable;
    }
    if (worth_retrying(result)) writing.again.push_back(batch[i]);
  }
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

// --- get

void ItemClient::get(const Id& ring, ItemKind kind, Reach reach, GetDone done) {
  if (jobs_.full()) {
    context_.after(Duration{0}, [done = std::move(done)] { done(to_error(Status::rate)); });
    return;
  }
  jobs_.start(read(ring, kind, reach), std::move(done));
}

Flow<Result<std::vector<Item>>> ItemClient::read(Id ring, ItemKind kind, Reach reach) {
  Reading reading{.ring = ring, .kind = kind};
  std::vector<PeerRef> replicas;
  Time began = context_.now().mono;
  for (;;) {
    auto owner_found = lookup(context_, ring);
    auto owner = co_await owner_found;
    if (owner) replicas = owner->holders(options_.replicas);
    for (const PeerRef& replica : replicas) {
      auto pages = read_from(replica, &reading);
      co_await pages;
      if (!reading.found.empty() && reach == Reach::first) break;
    }
    // Nodes that have just joined refuse reads until they have compared; in a new ring all have.
    if (reading.answered || context_.now().mono - began >= options_.get_patience) break;
    auto moment = pause(context_, options_.get_pause);
    co_await moment;
  }
  co_return outcome(std::move(reading));
}

Flow<void> ItemClient::read_from(PeerRef replica, Reading* reading) {
  reading->after.reset();
  for (std::size_t pages = 1;; ++pages) {
    GetRequest request{.ring = reading->ring, .kind = reading->kind, .after = reading->after};
    auto answer =
        ask(context_, replica, FrameType::get_req, encode(request), options_.request_timeout);
    auto frame = co_await answer;
    if (!frame || frame->type != raw(FrameType::get_rep)) co_return;
    auto reply = decode<GetReply>(frame->body);
    if (!reply) co_return;
    bool moved = take_page(*reading, *reply);
    if (!reply->more || !moved || pages >= options_.get_pages) co_return;
  }
}

bool ItemClient::take_page(Reading& reading, const GetReply& reply) {
  reading.answered = true;
  bool moved = false;
  for (const Bytes& bytes : reply.items) {
    auto judged = rules_.judge_fully({reading.ring, reading.kind, bytes}, context_.now().wall);
    if (judged.status != Status::ok) continue;
    Item& item = judged.item;
    if (!reading.after || *reading.after < item.key.sub) {
      reading.after = item.key.sub;
      moved = true;
    }
    if (!seen(item)) {
      reading.stale = true;
      continue;
    }
    auto known = reading.found.find(item.key);
    if (known == reading.found.end() || version(known->second) < version(item)) {
      reading.found.insert_or_assign(item.key, std::move(item));
    }
  }
  return moved;
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

Result<std::vector<Item>> ItemClient::outcome(Reading reading) const {
  // Asking several replicas takes time, and an item's may have run out meanwhile.
  std::vector<Item> items;
  for (auto& [key, item] : reading.found) {
    if (item.live(context_.now().wall)) items.push_back(std::move(item));
  }
  if (!items.empty()) return items;
  if (reading.stale) {
    return Error{ErrorCode::conflict, "only versions older than one seen before"};
  }
  return to_error(reading.answered ? Status::not_found : Status::unavailable);
}

}  // namespace beckon::service
