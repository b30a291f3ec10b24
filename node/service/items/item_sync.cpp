#include "node/service/items/item_sync.h"

#include <algorithm>

namespace beckon::service {

namespace {

bool older(const Item& held, const SyncEntry& entry) {
  SyncEntry mine = sync_entry(held);
  return std::tie(mine.seq, mine.check) < std::tie(entry.seq, entry.check);
}

bool newer(const Item& held, const SyncEntry& entry) {
  SyncEntry mine = sync_entry(held);
  return std::tie(mine.seq, mine.check) > std::tie(entry.seq, entry.check);
}

/// Sums of stretches within one ring id would tell whoever asks often enough which sub ids are
/// there. They are for those whom the id concerns.
bool may_know(const std::optional<Arc>& concern, const Span& span) {
  auto concerns = [&](const Id& ring) { return concern && concern->contains(ring); };
  return (span.first == lowest_at(span.first.ring) || concerns(span.first.ring)) &&
         (span.last == highest_at(span.last.ring) || concerns(span.last.ring));
}

}  // namespace

ItemSync::ItemSync(Context& context, ItemHolder& holder, const ReplicaOptions& options)
    : context_(context),
      holder_(holder),
      options_(options),
      digests_(context, "comparisons of records",
               {options.digest_rate, options.digest_burst, options.rate_peers}),
      lists_(context, "lists of records",
             {options.list_rate, options.list_burst, options.rate_peers}),
      strangers_(context) {}

// --- the side that asks

void ItemSync::compare(const PeerRef& peer, const Arc& arc, Direction direction, Done done) {
  bool known = std::ranges::any_of(waiting_, [&](const Session& s) {
    return s.peer.id == peer.id && s.arc.after == arc.after && s.arc.upto == arc.upto &&
           s.direction == direction;
  });
  if (known || waiting_.size() >= options_.max_queued_sessions) {
    context_.after(Duration{0}, [done = std::move(done)] { done({Outcome::failed}); });
    return;
  }
  Narrowing search(arc, {.first_parts = options_.first_parts,
                         .next_parts = options_.next_parts,
                         .list_at_once = options_.list_at_once,
                         .whole_ids = direction == Direction::push});
  waiting_.push_back({.peer = peer,
                      .arc = arc,
                      .direction = direction,
                      .done = std::move(done),
                      .search = std::move(search)});
  start_waiting();
}

void ItemSync::start_waiting() {
  for (auto i = waiting_.begin(); i != waiting_.end() && running_.size() < options_.max_sessions;) {
    bool busy = std::ranges::any_of(running_,
                                    [&](const auto& r) { return r.second.peer.id == i->peer.id; });
    if (busy || i->not_before > context_.now().mono) {
      ++i;
      continue;
    }
    SessionId id = ++last_id_;
    running_.emplace(id, std::move(*i));
    i = waiting_.erase(i);
    next(id);
  }
}

/// Asks the session's peer; a reply that fails or comes after the session's end goes no further.
void ItemSync::ask(SessionId id, FrameType type, Bytes body,
                   std::function<void(Session&, ByteView)> then) {
  Session& session = running_.at(id);
  session.bytes += body.size();
  bytes_moved_ += body.size();
  context_.ask(session.peer, raw(type), std::move(body), options_.request_timeout,
               [this, id, type, then = std::move(then)](Result<Frame> reply) {
                 auto found = running_.find(id);
                 if (found == running_.end()) return;
                 if (!reply || reply->type != raw(reply_to(type)))
                   return finish(id, Outcome::failed);
                 found->second.bytes += reply->body.size();
                 bytes_moved_ += reply->body.size();
                 then(found->second, reply->body);
               });
}

void ItemSync::send_digests(SessionId id, Session& session) {
  const ItemSums& sums = holder_.table().sums(context_.now().wall);
  DigestRequest request = session.search.ask(sums, context_.rng().next());
  auto found = [this, id](Session& s) {
    for (const Span& span : s.search.take_found()) s.spans.push_back(span);
    next(id);
  };
  if (request.parts.empty()) return found(session);
  ask(id, FrameType::sync_digest_req, encode(request),
      [this, id, found](Session& s, ByteView body) {
        auto reply = decode_digest_reply(body);
        if (!reply || !s.search.answered(*reply)) return finish(id, Outcome::failed);
        found(s);
      });
}

void ItemSync::next(SessionId id) {
  Session& session = running_.at(id);
  if (!session.push.empty()) return send_push(id, session);
  if (!session.pull.empty()) return send_pull(id, session);
  if (session.spans.empty() && session.search.done()) return finish(id, Outcome::agreed);
  if (session.bytes > options_.session_share) return pause(id);
  session.spans.empty() ? send_digests(id, session) : send_list(id, session);
}

/// Others have their turn, and the link a moment, before the session goes on where it was: from the
/// start again it would never come to the end of an arc in which much is written.
void ItemSync::pause(SessionId id) {
  auto node = running_.extract(id);
  node.mapped().bytes = 0;
  node.mapped().not_before = context_.now().mono + options_.session_pause;
  waiting_.push_back(std::move(node.mapped()));
  context_.after(options_.session_pause, [this] { start_waiting(); });
  start_waiting();
}

void ItemSync::send_list(SessionId id, Session& session) {
  session.span = session.spans.front();
  session.spans.pop_front();
  session.listed.clear();
  WallTime now = context_.now().wall;
  bool cut = false;
  holder_.table().each(session.span, [&](const Item& item) {
    if (!item.live(now)) return true;
    cut = session.listed.size() == max_sync_entries;
    if (!cut) session.listed.push_back(sync_entry(item));
    return !cut;
  });
  if (cut) {
    ItemKey end = session.listed.back().key;
    session.spans.push_front({after(end), session.span.last});
    session.span.last = end;
  }
  ListRequest request{.span = session.span,
                      .offer = session.direction == Direction::both,
                      .entries = session.listed};
  ask(id, FrameType::sync_list_req, encode(request), [this, id](Session& s, ByteView body) {
    auto reply = decode_list_reply(body);
    if (!reply) return finish(id, Outcome::failed);
    got_list(id, s, *reply);
  });
}

void ItemSync::got_list(SessionId id, Session& session, const ListReply& reply) {
  if (!reply.wanted.empty() && reply.wanted.back() >= session.listed.size()) {
    return finish(id, Outcome::failed);
  }
  for (std::uint16_t place : reply.wanted) session.push.push_back(session.listed[place].key);
  if (session.direction == Direction::both) {
    for (const SyncEntry& entry : reply.offered) {
      if (!session.span.contains(entry.key)) return finish(id, Outcome::failed);
      session.pull.push_back(entry.key);
    }
    if (!session.span.contains(reply.covered)) return finish(id, Outcome::failed);
    if (reply.covered < session.span.last) {
      session.spans.push_front({after(reply.covered), session.span.last});
    }
  }
  next(id);
}

void ItemSync::send_push(SessionId id, Session& session) {
  ReplicateRequest request;
  std::size_t bytes = 0;
  while (!session.push.empty() && request.parcels.size() < max_parcels) {
    const Item* item = holder_.live(session.push.front());
    if (item && bytes > 0 && bytes + item->bytes.size() > max_parcel_bytes) break;
    if (item) {
      bytes += item->bytes.size();
      request.parcels.push_back(parcel(*item));
    }
    session.push.pop_front();
  }
  if (request.parcels.empty()) return next(id);
  std::size_t count = request.parcels.size();
  ask(id, FrameType::replicate_req, encode(request), [this, id, count](Session& s, ByteView body) {
    auto reply = decode_replicate_reply(body);
    if (!reply || reply->statuses.size() != count) return finish(id, Outcome::failed);
    for (Status status : reply->statuses) s.settled = s.settled && status == Status::ok;
    next(id);
  });
}

void ItemSync::send_pull(SessionId id, Session& session) {
  WantRequest request;
  std::size_t count = std::min(session.pull.size(), max_parcels);
  request.keys.assign(session.pull.begin(),
                      session.pull.begin() + static_cast<std::ptrdiff_t>(count));
  ask(id, FrameType::sync_want_req, encode(request), [this, id, count](Session& s, ByteView body) {
    auto reply = decode_want_reply(body);
    if (!reply) return finish(id, Outcome::failed);
    got_pulled(id, s, count, *reply);
  });
}

void ItemSync::got_pulled(SessionId id, Session& session, std::size_t asked,
                          const WantReply& reply) {
  if (reply.done == 0 || reply.done > asked) return finish(id, Outcome::failed);
  session.pull.erase(session.pull.begin(), session.pull.begin() + reply.done);
  std::vector<ItemHolder::Offer> offers;
  Source source{.copied = true, .peer = session.peer.id};
  for (const Parcel& p : reply.parcels) offers.push_back({.parcel = p, .source = source});
  holder_.take(std::move(offers), ItemHolder::Intake::copy,
               [this, id](const std::vector<ItemHolder::Taken>& taken) {
                 auto found = running_.find(id);
                 if (found == running_.end()) return;
                 bool all = std::ranges::all_of(
                     taken, [](const auto& one) { return one.status == Status::ok; });
                 found->second.all_taken = found->second.all_taken && all;
                 next(id);
               });
}

void ItemSync::finish(SessionId id, Outcome outcome) {
  auto node = running_.extract(id);
  bool agreed = outcome == Outcome::agreed;
  Report report{.outcome = outcome,
                .settled = agreed && node.mapped().settled,
                .all_taken = agreed && node.mapped().all_taken};
  node.mapped().done(report);
  start_waiting();
}

// --- the side that answers

void ItemSync::on_digest(const Request& request) {
  auto asked = decode_digest_request(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!digests_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  const ItemSums& sums = holder_.table().sums(context_.now().wall);
  std::optional<Arc> concern;
  if (holder_.near(request.from.id)) concern = holder_.concern_of(request.from.id);
  std::size_t steps = asked->parts.size();
  DigestReply reply;
  for (std::size_t i = 0; i < asked->parts.size(); ++i) {
    const auto& [span, sum] = asked->parts[i];
    auto mine = sums.over(span);
    steps += mine.steps;
    bool same = mine.sum == sum && may_know(concern, span);
    if (!same) reply.differing.push_back(static_cast<std::uint16_t>(i));
  }
  digests_.charge(request.from.id, static_cast<double>(steps) / options_.digest_steps);
  context_.reply(request, raw(FrameType::sync_digest_rep), encode(reply));
}

void ItemSync::refuse_stranger(const Request& request) {
  strangers_.add(request.from.id, "asks for records that do not concern it");
  context_.refuse(request, to_error(Status::forbidden));
}

void ItemSync::on_list(const Request& request) {
  auto asked = decode_list_request(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!lists_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  if (asked->offer && !holder_.near(request.from.id)) return refuse_stranger(request);
  ListReply reply{.covered = asked->span.last};
  for (std::size_t i = 0; i < asked->entries.size(); ++i) {
    const Item* held = holder_.live(asked->entries[i].key);
    if (!held || older(*held, asked->entries[i])) {
      reply.wanted.push_back(static_cast<std::uint16_t>(i));
    }
  }
  if (asked->offer) offer(holder_.concern_of(request.from.id), *asked, reply);
  context_.reply(request, raw(FrameType::sync_list_rep), encode(reply));
}

/// What we have in the span and the asker lacks, as far as it concerns the asker.
void ItemSync::offer(const Arc& concern, const ListRequest& asked, ListReply& reply) const {
  auto listed = asked.entries.begin();
  WallTime now = context_.now().wall;
  std::size_t visits = 0;
  ItemKey last = asked.span.first;
  holder_.table().each(asked.span, [&](const Item& item) {
    if (reply.offered.size() == max_sync_entries || visits++ == options_.list_visits) {
      reply.covered = last;
      return false;
    }
    last = item.key;
    while (listed != asked.entries.end() && listed->key < item.key) ++listed;
    bool known = listed != asked.entries.end() && listed->key == item.key;
    if (!item.live(now) || (known && !newer(item, *listed))) return true;
    if (concern.contains(item.key.ring)) reply.offered.push_back(sync_entry(item));
    return true;
  });
}

void ItemSync::on_want(const Request& request) {
  auto asked = decode_want_request(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!lists_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  if (!holder_.near(request.from.id)) return refuse_stranger(request);
  Arc concern = holder_.concern_of(request.from.id);
  WantReply reply;
  std::size_t bytes = 0;
  for (const ItemKey& key : asked->keys) {
    const Item* item = concern.contains(key.ring) ? holder_.live(key) : nullptr;
    if (reply.parcels.size() == max_parcels) break;
    if (item && bytes > 0 && bytes + item->bytes.size() > max_parcel_bytes) break;
    ++reply.done;
    if (!item) continue;
    bytes += item->bytes.size();
    reply.parcels.push_back(parcel(*item));
  }
  context_.reply(request, raw(FrameType::sync_want_rep), encode(reply));
}

}  // namespace beckon::service
