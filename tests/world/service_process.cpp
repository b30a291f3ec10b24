// SPDX-License-Identifier: MIT
#include "tests/world/service_process.h"

#include <algorithm>

namespace beckon::sim {

namespace {

service::ServiceOptions with_ring(service::ServiceOptions options, const chord::Options& ring) {
  options.kernel.ring = ring;
  return options;
}

service::Seeds seeds_of(Rng rng) {
  service::Seeds out{.chance = rng.next()};
  rng.fill(out.secrets);
  return out;
}

Error refused() { return {ErrorCode::unavailable, "connection refused"}; }

}  // namespace

void ServiceDisk::hurt(Rng& rng) {
  if (rng.chance(0.5)) return store.fail_commit(1 + rng.below(5));
  store.limit_bytes(rng.chance(0.5) ? store.bytes() : SIZE_MAX);
}

ServiceProcess::ServiceProcess(const Birth& birth, ServiceDisk& disk,
                               service::ServiceOptions options, const Signer& signer,
                               const service::OverlayId& overlay)
    : birth_(birth),
      disk_(disk),
      rng_(Rng(birth.rng).split("disk")),
      service_(with_ring(std::move(options), birth.options), birth.self, disk.epoch,
               service::Surroundings{disk.store, signer, overlay, seeds_of(birth.rng)}) {}

Actions ServiceProcess::start(Now now) {
  return done(service_.start(service::Up{birth_.seeds, birth_.create}, now), now);
}

Actions ServiceProcess::receive(const Frame& frame, Now now) {
  return done(service_.receive(frame, now), now);
}

Actions ServiceProcess::link_up(const chord::LinkUp& link, Now now) {
  return done(service_.link_up(link, now), now);
}

Actions ServiceProcess::link_down(const Id& peer, Now now) {
  return done(service_.link_down(peer, {ErrorCode::unavailable, "the link is gone"}, now), now);
}

Actions ServiceProcess::unreachable(const PeerRef& peer, Now now) {
  return done(service_.unreachable(peer, refused(), now), now);
}

Actions ServiceProcess::unreachable(const std::string& address, Now now) {
  return done(service_.unreachable(PeerRef{.address = address}, refused(), now), now);
}

Actions ServiceProcess::refused_as_older(const PeerRef& by, const std::string& later_at, Now now) {
  return done(service_.refused_as_older(by, later_at, now), now);
}

Actions ServiceProcess::tick(Now now) {
  Actions actions;
  while (!writes_.empty() && writes_.front().due <= now.mono) {
    service::Write write = std::move(writes_.front().write);
    writes_.pop_front();
    Result<void> result = disk_.store.commit(write.mutations);
    take(service_.written(write.token, std::move(result), now), now, actions);
  }
  take(service_.tick(now), now, actions);
  return actions;
}

Actions ServiceProcess::leave(Now now) { return done(service_.start(service::Down{}, now), now); }

Actions ServiceProcess::find(std::uint64_t tag, const Id& key, chord::Freshness how, Now now) {
  return act(
      [&](service::Service& service) {
        service.kernel().trace(key, how, [this, tag](const chord::LookupDone& answer) {
          lookups_.push_back(answer);
          lookups_.back().tag = tag;
        });
      },
      now);
}

Actions ServiceProcess::act(const std::function<void(service::Service&)>& action, Now now) {
  service_.kernel().begin(now);
  service_.kernel().after(Duration{0}, [this, action] { action(service_); });
  return done(service_.tick(now), now);
}

Actions ServiceProcess::done(service::Output output, Now now) {
  Actions actions;
  take(std::move(output), now, actions);
  return actions;
}

void ServiceProcess::take(service::Output output, Now now, Actions& actions) {
  look_at(output);
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

}  // namespace beckon::sim
