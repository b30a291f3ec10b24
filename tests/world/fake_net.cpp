// SPDX-License-Identifier: MIT
#include "tests/world/fake_net.h"

#include <algorithm>

#include "node/service/kernel/frames.h"
#include "tests/world/frame_log.h"

namespace beckon::test {

using service::Id;
using service::Owner;
using service::PeerRef;
using service::Request;

namespace {

constexpr std::int64_t wall_at_start = 1'800'000'000'000;

}  // namespace

// --- the node

FakeNode::FakeNode(FakeNet& net, Id id, Rng rng)
    : net_(net),
      self_{.id = id, .address = "fake:" + id.brief()},
      rng_(rng),
      secrets_(sha256(id.bytes)) {}

Now FakeNode::now() const {
  auto passed = net_.time_.time_since_epoch() + clock_skew;
  return {net_.time_,
          wall_from_ms(wall_at_start +
                       std::chrono::duration_cast<std::chrono::milliseconds>(passed).count())};
}

std::size_t FakeNode::place() const {
  auto i = std::ranges::find(view_, self_.id, &PeerRef::id);
  ENSURE(i != view_.end());
  return static_cast<std::size_t>(i - view_.begin());
}

std::optional<PeerRef> FakeNode::predecessor() const {
  if (view_.size() < 2) return {};
  return view_[(place() + view_.size() - 1) % view_.size()];
}

std::vector<PeerRef> FakeNode::successors() const {
  std::vector<PeerRef> out;
  std::size_t count = std::min(net_.options_.successors, view_.size() - 1);
  for (std::size_t i = 1; i <= count; ++i) out.push_back(view_[(place() + i) % view_.size()]);
  return out;
}

void FakeNode::lookup(const Id& key, OwnerDone done) {
  auto delay = net_.some(net_.options_.min_delay, net_.options_.max_delay) * 2;
  net_.at(net_.time_ + delay, *this, [this, key, done = std::move(done)] {
    auto first = std::ranges::lower_bound(view_, key, {}, &PeerRef::id);
    auto owner = static_cast<std::size_t>(first - view_.begin()) % view_.size();
    Owner out{.owner = view_[owner]};
    std::size_t count = std::min(net_.options_.successors, view_.size() - 1);
    for (std::size_t i = 1; i <= count; ++i) {
      out.successors.push_back(view_[(owner + i) % view_.size()]);
    }
    done(out);
  });
}

void FakeNode::recall(const Id& key, OwnerDone done) {
  auto known = recalled_.find(key);
  if (known == recalled_.end() || net_.time_ - known->second.second >= net_.options_.recall) {
    return lookup(key, [this, key, done = std::move(done)](Result<Owner> owner) {
      recalled_[key] = {*owner, net_.time_};
      done(std::move(owner));
    });
  }
  Owner owner = known->second.first;
  owner.remembered = true;
  net_.at(net_.time_, *this, [owner, done = std::move(done)] { done(owner); });
}

bool FakeNode::linked(const Id& peer) const {
  auto found = net_.nodes_.find(peer);
  return found != net_.nodes_.end() && found->second->up() && found->second->group_ == group_;
}

void FakeNode::ask(const PeerRef& to, std::uint8_t type, Bytes body, Duration timeout,
                   ReplyDone done) {
  std::uint64_t number = ++net_.request_;
  asked_[number] = std::move(done);
  net_.at(net_.time_ + timeout, *this, [this, number] {
    auto node = asked_.extract(number);
    if (!node.empty()) node.mapped()(Error{ErrorCode::unavailable, "no answer in time"});
  });
  Request request{.from = self_, .type = type, .number = number, .body = std::move(body)};
  net_.carry(*this, to.id, type, request.body,
             [this, request](FakeNode& there) { net_.deliver(there, request); });
}

void FakeNode::reply(const Request& request, std::uint8_t type, Bytes body) {
  chord::Frame frame{.peer = self_, .type = type, .request = request.number, .body = body};
  net_.carry(*this, request.from.id, type, body, [frame](FakeNode& there) {
    auto node = there.asked_.extract(frame.request);
    if (node.empty()) return;
    if (frame.type != service::raw(service::FrameType::error)) return node.mapped()(frame);
    auto error = service::decode<service::ErrorBody>(frame.body);
    ENSURE(error);
    node.mapped()(to_error(error->status));
  });
}

void FakeNode::refuse(const Request& request, const Error& error) {
  service::ErrorBody body{.status = kind_of(error.code).status, .text = error.text};
  reply(request, service::raw(service::FrameType::error), service::encode(body));
}

void FakeNode::write(std::vector<service::Mutation> mutations, WriteDone done) {
  auto takes = net_.some(net_.options_.min_write, net_.options_.max_write);
  disk_free_ = std::max(disk_free_, net_.time_) + takes;
  net_.at(disk_free_, *this, [this, mutations = std::move(mutations), done = std::move(done)] {
    done(disk_.commit(mutations));
  });
}

service::TimerId FakeNode::set_timer(Duration delay, std::function<void()> action) {
  service::TimerId id = timers_.hold(std::move(action));
  net_.at(net_.time_ + delay, *this, [this, id] {
    if (auto due = timers_.take(id)) due();
  });
  return id;
}

void FakeNode::log(LogLevel level, std::string text, LogFields fields) {
  logged.push_back({level, std::move(text), std::move(fields)});
}

// --- the world

FakeNet::FakeNet(std::uint64_t seed, Options options, Boot boot)
    : options_(options), boot_(std::move(boot)), rng_(seed) {}

FakeNode& FakeNet::add(const Id& id) {
  auto [place, fresh] =
      nodes_.emplace(id, std::make_unique<FakeNode>(*this, id, rng_.split(id.hex())));
  ENSURE(fresh);
  return *place->second;
}

FakeNode& FakeNet::add() {
  Id id;
  rng_.fill(id.bytes);
  return add(id);
}

void FakeNet::start(const Id& id) {
  FakeNode& node = *nodes_.at(id);
  ENSURE(!node.up());
  ++node.life_;
  node.component_ = std::make_shared<int>(0);  // up, so that it is part of its own first view
  see(node);
  node.component_ = boot_(node);
  members_changed();
}

void FakeNet::crash(const Id& id) {
  FakeNode& node = *nodes_.at(id);
  ENSURE(node.up());
  ++node.life_;
  node.handlers_.clear();
  node.on_ring_change_ = {};
  node.asked_.clear();
  node.recalled_.clear();
  node.view_.clear();
  node.disk_free_ = {};
  node.component_.reset();
  node.timers_ = service::Timers(65536);
  members_changed();
}

void FakeNet::partition(const std::vector<std::set<Id>>& groups) {
  for (auto& [id, node] : nodes_) {
    node->group_ = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].contains(id)) node->group_ = static_cast<int>(i) + 1;
    }
  }
  members_changed();
}

std::vector<Id> FakeNet::ids() const {
  std::vector<Id> out;
  for (const auto& [id, node] : nodes_) out.push_back(id);
  return out;
}

std::vector<Id> FakeNet::live() const {
  std::vector<Id> out;
  for (const auto& [id, node] : nodes_) {
    if (node->up()) out.push_back(id);
  }
  return out;
}

std::vector<Id> FakeNet::true_replicas(const Id& key, std::size_t count) const {
  std::vector<Id> ring = live();
  auto first = static_cast<std::size_t>(std::ranges::lower_bound(ring, key) - ring.begin());
  std::vector<Id> out;
  for (std::size_t i = 0; i < std::min(count, ring.size()); ++i) {
    out.push_back(ring[(first + i) % ring.size()]);
  }
  return out;
}

void FakeNet::members_changed() {
  for (auto& [id, node] : nodes_) {
    if (!node->up()) continue;
    FakeNode* who = node.get();
    at(time_ + some(options_.detect / 4, options_.detect), *who, [this, who] { see(*who); });
  }
}

void FakeNet::see(FakeNode& node) {
  std::vector<PeerRef> view;
  for (const auto& [id, other] : nodes_) {
    if (other->up() && other->group_ == node.group_) view.push_back(other->self_);
  }
  if (view == node.view_) return;
  node.view_ = std::move(view);
  if (node.on_ring_change_) node.on_ring_change_();
}

void FakeNet::at(Time when, FakeNode& node, std::function<void()> action) {
  queue_[{when, ++happened_}] = {node.self_.id, node.life_, std::move(action)};
}

void FakeNet::carry(FakeNode& from, const Id& to, std::uint8_t type, const Bytes& body,
                    std::function<void(FakeNode&)> arrive) {
  auto found = nodes_.find(to);
  if (found == nodes_.end()) return;
  FakeNode& there = *found->second;
  if (&there == &from) {
    at(time_, there, [&there, arrive = std::move(arrive)] { arrive(there); });
    return;
  }
  ++frames_;
  bytes_ += body.size() + 13;  // length, type, request number
  if (tap) tap(from.self_.id, to, type, body);
  log_frame(time_, {.peer = {.id = to}, .type = type, .body = body}, from.self_.id.brief());
  auto delay = some(options_.min_delay, options_.max_delay);
  if (!there.up() || rng_.chance(options_.loss)) return;
  auto arrival = [&from, &there, arrive = std::move(arrive)] {
    if (from.group_ == there.group_) arrive(there);
  };
  if (options_.twice > 0 && rng_.chance(options_.twice))
    at(time_ + some(options_.min_delay, 50 * options_.max_delay), there, arrival);
  at(time_ + delay, there, arrival);
}

void FakeNet::deliver(FakeNode& to, Request request) {
  auto handler = to.handlers_.find(request.type);
  if (handler == to.handlers_.end()) {
    return to.refuse(request, to_error(Status::unsupported));
  }
  handler->second(request);
}

void FakeNet::inject(const Id& from, const Id& to, std::uint8_t type, Bytes body) {
  FakeNode& liar = *nodes_.at(from);
  Request request{.from = liar.self_, .type = type, .number = ++request_, .body = std::move(body)};
  carry(liar, to, type, request.body,
        [this, request](FakeNode& there) { deliver(there, request); });
}

bool FakeNet::step(Time until) {
  if (queue_.empty() || queue_.begin()->first.first > until) return false;
  auto next = queue_.extract(queue_.begin());
  time_ = next.key().first;
  FakeNode& node = *nodes_.at(next.mapped().node);
  if (node.up() && node.life_ == next.mapped().life) next.mapped().action();
  return true;
}

void FakeNet::run_for(Duration time) {
  Time until = time_ + time;
  while (step(until)) {
  }
  time_ = until;
}

bool FakeNet::run_until(const std::function<bool()>& condition, Duration limit) {
  Time until = time_ + limit;
  while (!condition()) {
    if (!step(until)) return condition();
  }
  return true;
}

Duration FakeNet::some(Duration low, Duration high) {
  return Duration(rng_.between(low.count(), high.count()));
}

}  // namespace beckon::test
