// SPDX-License-Identifier: MIT
#include "node/service/items/item_sync.h"

#include <algorithm>

namespace beckon::service {

namespace {

bool older(const Item& held, const ItemStamp& entry) {
  ItemStamp mine = item_stamp(held);
  return std::tie(mine.seq, mine.check) < std::tie(entry.seq, entry.check);
}

bool newer(const Item& held, const ItemStamp& entry) {
  ItemStamp mine = item_stamp(held);
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
      strangers_(context),
      running_(options.max_sessions) {}

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
  while (!running_.full()) {
    auto ready = std::ranges::find_if(waiting_, [&](const Session& s) {
      return !talking_to_.contains(s.peer.id) && s.not_before <= context_.now().mono;
    });
    if (ready == waiting_.end()) return;
    Session session = std::move(*ready);
    waiting_.erase(ready);
    talking_to_.insert(session.peer.id);
    if (session.not_before == Time::min()) {  // else it only goes on
      context_.log(LogLevel::debug, "comparison of records begun",
                   {{"peer", session.peer.id.brief()}});
    }
    running_.start(converse(std::move(session)), [this](Session s) { stopped(std::move(s)); });
  }
}

void ItemSync::stopped(Session session) {
  talking_to_.erase(session.peer.id);
  if (session.outcome) {
    tell_end(session);
    bool agreed = session.outcome == Outcome::agreed;
    session.done({.outcome = *session.outcome,
                  .settled = agreed && session.settled,
                  .all_taken = agreed && session.all_taken});
  } else {
    session.bytes = 0;
    session.not_before = context_.now().mono + options_.session_pause;
    waiting_.push_back(std::move(session));
    context_.after(options_.session_pause, [this] { start_waiting(); });
  }
  start_waiting();
}

void ItemSync::tell_end(const Session& session) const {
  context_.log(LogLevel::debug, "comparison of records ended",
               {{"peer", session.peer.id.brief()},
                {"outcome", session.outcome == Outcome::agreed ? "agreed" : "failed"},
                {"sent", std::to_string(session.pushed)},
                {"received", std::to_string(session.pulled)}});
}

/// Ends without an outcome when its share is used up. Others have their turn then, and the link a
/// moment, before the session goes on where it was: from the start again it would never come to the
/// end of an arc in which much is written.
Flow<ItemSync::Session> ItemSync::converse(Session session) {
  for (;;) {
    bool moved = session.push.empty() && session.pull.empty();
    if (moved && session.spans.empty() && session.search.done()) {
      session.outcome = Outcome::agreed;
      co_return session;
    }
    if (moved && session.bytes > options_.session_share) co_return session;
    auto step = next_step(&session);
    auto good = co_await step;
    if (!good) {
      session.outcome = Outcome::failed;
      co_return session;
    }
  }
}

Flow<bool> ItemSync::next_step(Session* session) {
  if (!session->push.empty()) return push(session);
  if (!session->pull.empty()) return pull(session);
  return session->spans.empty() ? narrow(session) : list(session);
}

Pending<Result<Frame>> ItemSync::ask_peer(Session& session, FrameType type, Bytes body) {
  session.bytes += body.size();
  bytes_moved_ += body.size();
  return ask(context_, session.peer, type, std::move(body), options_.request_timeout);
}

template <typename Reply>
Result<Reply> ItemSync::read(Session& session, FrameType asked, const Result<Frame>& frame,
                             Result<Reply> (*decode)(ByteView)) {
  if (!frame) return frame.error();
  if (frame->type != raw(reply_to(asked))) return invalid("an answer of another kind");
  session.bytes += frame->body.size();
  bytes_moved_ += frame->body.size();
  return decode(frame->body);
}

Flow<bool> ItemSync::narrow(Session* session) {
  DigestRequest request =
      session->search.ask(holder_.table().sums(context_.now().wall), context_.rng().next());
  if (!request.parts.empty()) {
    auto answer = ask_peer(*session, FrameType::sync_digest_req, encode(request));
    auto frame = co_await answer;
    auto reply = read(*session, FrameType::sync_digest_req, frame, decode<DigestReply>);
    if (!reply || !session->search.answered(*reply)) co_return false;
  }
  for (const Span& span : session->search.take_found()) session->spans.push_back(span);
  co_return true;
}

Flow<bool> ItemSync::list(Session* session) {
  ListRequest request{.span = session->spans.front(),
                      .offer = session->direction == Direction::both};
  session->spans.pop_front();
  WallTime now = context_.now().wall;
  bool cut = false;
  holder_.table().each(request.span, [&](const Item& item) {
    if (!item.live(now)) return true;
    cut = request.entries.size() == max_sync_entries;
    if (!cut) request.entries.push_back(item_stamp(item));
    return !cut;
  });
  if (cut) {
    ItemKey end = request.entries.back().key;
    session->spans.push_front({after(end), request.span.last});
    request.span.last = end;
  }
  auto answer = ask_peer(*session, FrameType::sync_list_req, encode(request));
  auto frame = co_await answer;
  auto reply = read(*session, FrameType::sync_list_req, frame, decode<ListReply>);
  if (!reply) co_return false;
  if (!reply->wanted.empty() && reply->wanted.back() >= request.entries.size()) co_return false;
  for (std::uint16_t place : reply->wanted) session->push.push_back(request.entries[place].key);
  if (session->direction == Direction::push) co_return true;
  for (const ItemStamp& entry : reply->offered) {
    if (!request.span.contains(entry.key)) co_return false;
    session->pull.push_back(entry.key);
  }
  if (!request.span.contains(reply->covered)) co_return false;
  if (reply->covered < request.span.last)
    session->spans.push_front({after(reply->covered), request.span.last});
  co_return true;
}

Flow<bool> ItemSync::push(Session* session) {
  ReplicateRequest request;
  std::size_t bytes = 0;
  while (!session->push.empty() && request.raw_items.size() < max_parcels) {
    const Item* item = holder_.live(session->push.front());
    if (item && bytes > 0 && bytes + item->bytes.size() > max_parcel_bytes) break;
    if (item) {
      bytes += item->bytes.size();
      request.raw_items.push_back(raw_item(*item));
    }
    session->push.pop_front();
  }
  if (request.raw_items.empty()) co_return true;
  std::size_t count = request.raw_items.size();
  auto answer = ask_peer(*session, FrameType::replicate_req, encode(std::exchange(request, {})));
  auto frame = co_await answer;
  auto reply = read(*session, FrameType::replicate_req, frame, decode<ReplicateReply>);
  if (!reply || reply->statuses.size() != count) co_return false;
  session->pushed += count;
  for (Status status : reply->statuses) session->settled = session->settled && status == Status::ok;
  co_return true;
}

Flow<bool> ItemSync::pull(Session* session) {
  auto& keys = session->pull;
  std::size_t count = std::min(keys.size(), max_parcels);
  WantRequest request{.keys = {keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count)}};
  auto answer = ask_peer(*session, FrameType::sync_want_req, encode(request));
  auto frame = co_await answer;
  auto reply = read(*session, FrameType::sync_want_req, frame, decode<WantReply>);
  if (!reply || reply->done == 0 || reply->done > count) co_return false;
  keys.erase(keys.begin(), keys.begin() + reply->done);
  std::vector<ItemHolder::Offer> offers;
  Source source{.copied = true, .peer = session->peer.id};
  for (const RawItem& p : reply->raw_items) offers.push_back({.raw_item = p, .source = source});
  Pending<std::vector<ItemHolder::Taken>> durable(context_, [&](auto done) {
    holder_.take(std::move(offers), ItemHolder::Intake::copy, done);
  });
  auto taken = co_await durable;
  bool all = std::ranges::all_of(taken, [](const auto& one) { return one.status == Status::ok; });
  session->pulled += taken.size();
  session->all_taken = session->all_taken && all;
  co_return true;
}

// --- the side that answers

void ItemSync::on_digest(const Request& request) {
  auto asked = decode<DigestRequest>(request.body);
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
  auto asked = decode<ListRequest>(request.body);
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
    if (concern.contains(item.key.ring)) reply.offered.push_back(item_stamp(item));
    return true;
  });
}

void ItemSync::on_want(const Request& request) {
  auto asked = decode<WantRequest>(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!lists_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  if (!holder_.near(request.from.id)) return refuse_stranger(request);
  Arc concern = holder_.concern_of(request.from.id);
  WantReply reply;
  std::size_t bytes = 0;
  for (const ItemKey& key : asked->keys) {
    const Item* item = concern.contains(key.ring) ? holder_.live(key) : nullptr;
    if (reply.raw_items.size() == max_parcels) break;
    if (item && bytes > 0 && bytes + item->bytes.size() > max_parcel_bytes) break;
    ++reply.done;
    if (!item) continue;
    bytes += item->bytes.size();
    reply.raw_items.push_back(raw_item(*item));
  }
  context_.reply(request, raw(FrameType::sync_want_rep), encode(reply));
}

}  // namespace beckon::service
