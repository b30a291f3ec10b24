#include "tests/sim/node_process.h"

#include <algorithm>

#include "tests/sim/liar.h"
#include "tests/world/authors.h"

namespace beckon::sim {

using service::Item;

namespace {

service::ServiceOptions service_options(const Birth& birth, const NodeFactory& factory) {
  service::ServiceOptions options;
  options.kernel.ring = birth.options;
  options.replicas = factory.replicas();
  return options;
}

service::Seeds seeds_of(Rng rng) {
  service::Seeds out{.chance = rng.next()};
  rng.fill(out.secrets);
  return out;
}

Error broken() { return {ErrorCode::unavailable, "the link is gone"}; }

}  // namespace

void NodeDisk::hurt(Rng& rng) {
  if (rng.chance(0.5)) return store.fail_commit(1 + rng.below(5));
  store.limit_bytes(rng.chance(0.5) ? store.bytes() : SIZE_MAX);
}

NodeProcess::NodeProcess(const Birth& birth, NodeDisk& disk, NodeFactory& factory)
    : factory_(factory),
      birth_(birth),
      disk_(disk),
      rng_(Rng(birth.rng).split("disk")),
      service_(service_options(birth, factory), birth.self, disk.epoch,
               service::Surroundings{disk.store, factory.signer(), test::test_overlay,
                                     seeds_of(birth.rng)}) {
  service_.replicas().listen(service::ItemKind::author_record, *this);
}

Actions NodeProcess::start(Now now) {
  now_ = now.wall;
  return done(service_.start(service::Up{birth_.seeds, birth_.create}, now), now);
}

Actions NodeProcess::receive(const Frame& frame, Now now) {
  return done(service_.receive(frame, now), now);
}

Actions NodeProcess::link_up(const chord::LinkUp& link, Now now) {
  return done(service_.link_up(link, now), now);
}

Actions NodeProcess::link_down(const Id& peer, Now now) {
  return done(service_.link_down(peer, broken(), now), now);
}

Actions NodeProcess::unreachable(const PeerRef& peer, Now now) {
  return done(service_.unreachable(peer, broken(), now), now);
}

Actions NodeProcess::unreachable(const std::string& address, Now now) {
  return done(service_.unreachable(PeerRef{.address = address}, broken(), now), now);
}

Actions NodeProcess::refused_as_older(const PeerRef& by, const std::string& later_at, Now now) {
  return done(service_.refused_as_older(by, later_at, now), now);
}

Actions NodeProcess::tick(Now now) {
  Actions actions;
  while (!writes_.empty() && writes_.front().due <= now.mono) {
    service::Write write = std::move(writes_.front().write);
    writes_.pop_front();
    Result<void> result = disk_.store.commit(write.mutations);
    now_ = now.wall;
    take(service_.written(write.token, std::move(result), now), now, actions);
  }
  now_ = now.wall;
  take(service_.tick(now), now, actions);
  return actions;
}

Actions NodeProcess::leave(Now now) { return done(service_.start(service::Down{}, now), now); }

Actions NodeProcess::find(std::uint64_t tag, const Id& key, chord::Freshness how, Now now) {
  return act(
      [&](service::Service& service) {
        service.kernel().trace(key, how, [this, tag](const chord::LookupDone& answer) {
          lookups_.push_back(answer);
          lookups_.back().tag = tag;
        });
      },
      now);
}

Actions NodeProcess::act(const std::function<void(service::Service&)>& action, Now now) {
  now_ = now.wall;
  service_.kernel().begin(now);
  service_.kernel().after(Duration{0}, [this, action] { action(service_); });
  return done(service_.tick(now), now);
}

Actions NodeProcess::done(service::Output output, Now now) {
  now_ = now.wall;
  Actions actions;
  take(std::move(output), now, actions);
  return actions;
}

void NodeProcess::take(service::Output output, Now now, Actions& actions) {
  std::move(output.send.begin(), output.send.end(), std::back_inserter(actions.send));
  std::move(output.dial.begin(), output.dial.end(), std::back_inserter(actions.dial));
  actions.close.insert(actions.close.end(), output.close.begin(), output.close.end());
  for (service::Write& write : output.writes) {
    Time free = writes_.empty() ? now.mono : writes_.back().due;
    writes_.push_back({free + Duration(rng_.between(100, 8'000)), std::move(write)});
  }
  std::move(lookups_.begin(), lookups_.end(), std::back_inserter(actions.lookups));
  lookups_.clear();
  actions.wake_at = output.wake_at;
  if (!writes_.empty()) actions.wake_at = std::min(actions.wake_at, writes_.front().due);
  actions.exit = actions.exit || output.finished;
}

void NodeProcess::item_changed(const Item* before, const Item* after) {
  const service::ItemKey& key = (before != nullptr ? before : after)->key;
  if (after == nullptr) return void(disk_.last.erase(key));
  auto [last, fresh] = disk_.last.try_emplace(key, *after);
  if (version(*after) < version(last->second) && last->second.live(now_)) {
    factory_.went_back = "D2: " + birth_.self.id.brief() + " went back at " + key.ring.brief();
  }
  last->second = *after;
}

NodeFactory::NodeFactory(const Plan& plan)
    : author_rules_(test::test_overlay, signer_), with_liars_(plan.profile == Profile::hostile) {
  rules_.add(author_rules_);
  replicas_.sync_period = plan.sync_period;
}

std::unique_ptr<Process> NodeFactory::make(const Birth& birth, Disk& disk) {
  auto node = std::make_unique<NodeProcess>(birth, static_cast<NodeDisk&>(disk), *this);
  bool liar = with_liars_ && birth.self.address.back() == '9';  // addresses are numbers
  if (!liar) return node;
  liars_.push_back(birth.self);
  return std::make_unique<Liar>(std::move(node), Rng(birth.rng).split("lies"), *this);
}

}  // namespace beckon::sim
