// SPDX-License-Identifier: MIT
#include "node/service/items/replicas.h"

#include <algorithm>

namespace beckon::service {

namespace {

/// Never all nodes at once, even when they started together.
Duration jittered(Duration period, Rng& rng) { return period * rng.between(75, 125) / 100; }

}  // namespace

Replicas::Replicas(Context& context, const RuleBook& rules, ReplicaOptions options)
    : context_(context),
      rules_(rules),
      options_(options),
      neighbourhood_(context.self().id, options.replicas + 1),
      holder_(context, rules, neighbourhood_, options_),
      sync_(context, holder_, options_),
      puts_(context, holder_, neighbourhood_, options_),
      strays_(context, holder_, sync_, neighbourhood_, options_),
      client_(context, rules, options_),
      gets_(context, "reads of records", {options.get_rate, options.get_burst, options.rate_peers}),
      chains_(context, "news of predecessors",
              {options.chain_rate, options.chain_burst, options.rate_peers}) {
  ENSURE(options.replicas >= 1 && options.replicas < max_chain);
}

bool Replicas::handles(std::uint8_t type) {
  return type >= raw(FrameType::put_req) && type <= raw(FrameType::chain_rep) && !is_reply(type);
}

void Replicas::start() {
  holder_.load();
  ring_changed();
  sync_own_range();
  context_.after(options_.catch_up_limit, [this] { caught_up_ = true; });
  context_.after(jittered(options_.sync_period, context_.rng()), [this] { sync_period(); });
  context_.after(options_.expiry_period, [this] { expire_period(); });
}

void Replicas::handle(const Request& request) {
  switch (static_cast<FrameType>(request.type)) {
    case FrameType::put_req:
      return puts_.on_put(request);
    case FrameType::get_req:
      return on_get(request);
    case FrameType::replicate_req:
      return puts_.on_replicate(request);
    case FrameType::sync_digest_req:
      return sync_.on_digest(request);
    case FrameType::sync_list_req:
      return sync_.on_list(request);
    case FrameType::sync_want_req:
      return sync_.on_want(request);
    case FrameType::chain_req:
      return on_chain(request);
    default:
      return context_.refuse(request, to_error(Status::unsupported));
  }
}

void Replicas::put(std::vector<ItemClient::PutEntry> entries, ItemClient::PutDone done) {
  Time began = context_.now().mono;
  client_.put(std::move(entries),
              [this, began, done = std::move(done)](std::vector<ItemClient::Stored> stored) {
                put_times_.observe(context_.now().mono - began);
                done(std::move(stored));
              });
}

void Replicas::on_get(const Request& request) {
  auto asked = decode<GetRequest>(request.body);
  if (!asked) return context_.refuse(request, asked.error());
  if (!gets_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  const ItemRules* rules = rules_.find(asked->kind);
  if (rules != nullptr && !rules->open_to_all()) {
    return context_.refuse(request, to_error(Status::forbidden));
  }
  if (behind()) return context_.refuse(request, to_error(Status::unavailable));
  GetReply reply;
  std::size_t bytes = 0;
  WallTime now = context_.now().wall;
  holder_.table().each_at(asked->ring, asked->kind, [&](const Item& item) {
    if (!item.live(now) || (asked->after && item.key.sub <= *asked->after)) return true;
    if (asked->newer_than > 0 && item.info.seq <= asked->newer_than) return true;
    reply.more = reply.items.size() == max_parcels ||
                 (bytes > 0 && bytes + item.bytes.size() > max_parcel_bytes);
    if (reply.more) return false;
    bytes += item.bytes.size();
    reply.items.push_back(item.bytes);
    return true;
  });
  if (reply.items.empty() && !neighbourhood_.among_first(options_.replicas + 1, asked->ring)) {
    return context_.refuse(request, to_error(Status::not_responsible));
  }
  context_.reply(request, raw(FrameType::get_rep), encode(reply));
}

void Replicas::on_chain(const Request& request) {
  auto told = decode<ChainRequest>(request.body);
  if (!told) return context_.refuse(request, told.error());
  if (!chains_.admit(request.from.id)) return context_.refuse(request, to_error(Status::rate));
  if (neighbourhood_.learn(request.from.id, told->predecessors)) sync_soon();
  context_.reply(request, raw(FrameType::chain_rep), {});
}

void Replicas::ring_changed() {
  std::optional<Id> before;
  if (!neighbourhood_.chain().empty()) before = neighbourhood_.chain().front();
  std::optional<Id> now;
  if (auto predecessor = context_.predecessor()) now = predecessor->id;
  bool moved = neighbourhood_.set_predecessor(now);
  if (moved) {
    compared_.clear();
    hand_off(before);
  }
  auto wanted = targets(std::max<std::size_t>(1, options_.replicas - 1));
  if (moved || wanted != last_targets_) {
    last_targets_ = std::move(wanted);
    std::erase_if(compared_, [this](const Id& id) {
      return std::ranges::find(last_targets_, id, &PeerRef::id) == last_targets_.end();
    });
    retry_ = options_.sync_soon;
    tell_repair();
    sync_soon();
  }
}

/// What the new predecessor owns now and we held: it may be new, or empty-handed.
void Replicas::hand_off(const std::optional<Id>& old_predecessor) {
  auto predecessor = context_.predecessor();
  if (!predecessor || predecessor->id == context_.self().id) return;
  Arc arc{.after = context_.self().id, .upto = predecessor->id};
  if (old_predecessor && arc.contains_inside(*old_predecessor)) arc.after = *old_predecessor;
  sync_.compare(*predecessor, arc, ItemSync::Direction::both, [](const auto&) {});
}

void Replicas::sync_soon() { sync_in(options_.sync_soon); }

void Replicas::sync_in(Duration delay) {
  if (soon_) return;
  soon_ = context_.timer(delay, [this] {
    tell_chain();
    sync_own_range();
  });
}

void Replicas::sync_period() {
  tell_chain();
  sync_own_range();
  auto predecessor = context_.predecessor();
  if (auto arc = neighbourhood_.of_predecessor(); arc && predecessor) {
    sync_.compare(*predecessor, *arc, ItemSync::Direction::both, [](const auto&) {});
  }
  strays_.run();
  context_.after(jittered(options_.sync_period, context_.rng()), [this] { sync_period(); });
}

void Replicas::tell_chain() {
  auto next = targets(1);
  if (next.empty()) return;
  ChainRequest chain{.predecessors = neighbourhood_.chain()};
  context_.ask(next.front(), raw(FrameType::chain_req), encode(chain), options_.request_timeout,
               [](const Result<Frame>&) {});
}

void Replicas::sync_own_range() {
  auto arc = own_range();
  if (!arc) return;
  for (const PeerRef& peer : targets(options_.replicas - 1)) {
    auto done = [this, peer = peer.id, arc = *arc](const ItemSync::Report& report) {
      own_range_compared(peer, arc, report);
    };
    sync_.compare(peer, *arc, ItemSync::Direction::both, std::move(done));
  }
}

void Replicas::own_range_compared(const Id& peer, const Arc& arc, const ItemSync::Report& report) {
  if (report.outcome == ItemSync::Outcome::agreed) {
    caught_up_ = true;
    if (report.all_taken && own_range() == arc) compared_.insert(peer);
    tell_repair();
  } else if (!compared_.contains(peer)) {  // until it succeeds our answers are in doubt
    sync_in(retry_);
    retry_ = std::min(2 * retry_, options_.sync_period);
  }
}

bool Replicas::settled(const Id& key) const {
  auto arc = own_range();
  // Who has lost its predecessor from sight cannot know which keys are its own, unless it is alone.
  if (!arc) return targets(options_.replicas - 1).empty();
  return arc->contains(key) && compared_with_all();
}

bool Replicas::compared_with_all() const {
  return std::ranges::all_of(targets(options_.replicas - 1),
                             [this](const PeerRef& other) { return compared_.contains(other.id); });
}

void Replicas::tell_repair() {
  bool repairing = !compared_with_all();
  if (std::exchange(repairing_, repairing) == repairing) return;
  context_.log(LogLevel::info, repairing ? "repair of records begun" : "repair of records ended",
               {{"records", std::to_string(holder_.table().total().items)},
                {"holders", std::to_string(targets(options_.replicas - 1).size() + 1)}});
}

std::optional<Arc> Replicas::own_range() const { return neighbourhood_.own(); }

std::vector<PeerRef> Replicas::targets(std::size_t count) const {
  std::vector<PeerRef> peers = context_.successors();
  if (peers.size() > count) peers.resize(count);
  return peers;
}

void Replicas::expire_period() {
  holder_.drop_expired();
  context_.after(options_.expiry_period, [this] { expire_period(); });
}

void Replicas::leave(std::function<void(bool)> done) {
  puts_.refuse_puts();
  leaving_ = {.done = std::move(done)};
  auto arc = own_range();
  auto heirs = targets(options_.replicas);
  if (!arc || heirs.empty()) {
    bool nothing_lost = holder_.table().total().items == 0;
    context_.after(Duration{0}, [this, nothing_lost] { left(nothing_lost); });
    return;
  }
  leaving_.waiting = heirs.size();
  for (const PeerRef& heir : heirs) {
    sync_.compare(heir, *arc, ItemSync::Direction::push, [this](const auto& report) {
      leaving_.settled = leaving_.settled && report.settled;
      if (--leaving_.waiting == 0) left(leaving_.settled);
    });
  }
  context_.after(options_.leave_deadline, [this] { left(false); });
}

void Replicas::left(bool settled) {
  if (leaving_.done) std::exchange(leaving_.done, {})(settled);
}

}  // namespace beckon::service
