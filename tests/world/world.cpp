// SPDX-License-Identifier: MIT
#include "tests/world/world.h"

#include <algorithm>

#include "base/hash.h"

namespace beckon::sim {

namespace {

constexpr std::int64_t wall_start_ms = 1'800'000'000'000;

}  // namespace

World::World(Factory& factory, Network network, Rng rng)
    : factory_(factory), network_(std::move(network)), rng_(rng) {}

HostNumber World::add_host(PeerRef self, const chord::Options& options) {
  HostNumber number = hosts_.size();
  addresses_[self.address] = number;
  Host host;
  host.self = std::move(self);
  host.options = options;
  host.disk = factory_.empty_disk();
  hosts_.push_back(std::move(host));
  return number;
}

void World::boot(HostNumber number, bool create, std::vector<std::string> seeds,
                 std::optional<chord::Assume> assume) {
  Host& host = hosts_[number];
  ENSURE(!host.running());
  break_links(number);  // of an earlier life
  ++host.life;
  // As the daemon does: a counter that also survives the loss of its disk.
  auto ms = static_cast<std::uint64_t>(now_.time_since_epoch().count() / 1000);
  host.disk->epoch = std::max(host.disk->epoch + 1, ms);
  host.silent = false;
  host.paused_until = Time::min();
  host.wake_at = Time::max();
  host.crash_after_sends.reset();
  host.seeds = seeds;
  Birth birth{
      .options = host.options,
      .self = host.self,
      .rng = rng_.split("process" + std::to_string(number) + "/" + std::to_string(host.life)),
      .create = create,
      .seeds = std::move(seeds),
      .assume = std::move(assume)};
  host.process = factory_.make(birth, *host.disk);
  note("host " + std::to_string(number) + " starts, epoch " + std::to_string(host.disk->epoch));
  perform(number, host.process->start(clock(number)));
}

void World::crash(HostNumber number, CrashKind kind) {
  Host& host = hosts_[number];
  if (!host.running()) return;
  host.process.reset();
  for (const Host& other : hosts_) told_up_.erase({number, other.self.id});
  host.silent = kind == CrashKind::silent;
  host.member_since = Time::max();
  note("host " + std::to_string(number) + " crashes" + (host.silent ? " and is gone" : ""));
  if (kind == CrashKind::silent) return;
  break_links(number);
}

void World::wipe_disk(HostNumber number) { hosts_[number].disk = factory_.empty_disk(); }

void World::leave(HostNumber number) {
  if (!hosts_[number].running()) return;
  note("host " + std::to_string(number) + " leaves");
  tell(number, [&](Process& process) { return process.leave(clock(number)); });
}

void World::pause(HostNumber number, Duration time) {
  note("host " + std::to_string(number) + " pauses");
  hosts_[number].paused_until = std::max(hosts_[number].paused_until, now_ + time);
}

void World::arm_crash(HostNumber host, std::optional<std::size_t> after_sends) {
  hosts_[host].crash_after_sends = after_sends;
}

void World::find(HostNumber host, std::uint64_t tag, const Id& wanted, chord::Freshness how) {
  if (!hosts_[host].running()) return;
  tell(host, [&](Process& process) { return process.find(tag, wanted, how, clock(host)); });
}

void World::tell(HostNumber host, const std::function<Actions(Process&)>& command) {
  Event event;
  event.kind = Event::Kind::command;
  event.host = event.other = host;
  for (Observer* observer : observers_) observer->before(event);
  Actions actions = command(*hosts_[host].process);
  for (Observer* observer : observers_) observer->after(event, actions);
  perform(host, actions);
}

void World::run_until(Time end, const std::function<bool()>& goes_on) {
  while (!queue_.empty() && queue_.begin()->first.first <= end) {
    auto first = queue_.extract(queue_.begin());
    now_ = first.key().first;
    handle(first.mapped());
    if (!goes_on()) return;
  }
  now_ = std::max(now_, end);
}

void World::schedule(Time at, Event event) {
  queue_.emplace(std::pair{std::max(at, now_), next_event_++}, std::move(event));
}

bool World::due(const Event& event) {
  const Host& host = hosts_[event.host];
  if (!host.running() || event.life != host.life) return false;
  if (event.kind == Event::Kind::wake) return host.wake_at <= now_;
  if (event.kind != Event::Kind::deliver && event.kind != Event::Kind::up) return true;
  auto link = links_.find(key(event.host, event.other));
  bool same = link != links_.end() && link->second.number == event.link;
  return same && (event.kind == Event::Kind::up || told_up(event));
}

/// What was never told has no sequel, but for a dial by address: that always has an end.
void World::forget(const Event& event) {
  const Host& host = hosts_[event.host];
  if (event.kind != Event::Kind::up || event.dialled.empty()) return;
  if (host.running() && host.life == event.life) {
    fail_dial(event.host, event.other, event.dialled, {});
  }
}

void World::handle(const Event& event) {
  if (event.kind == Event::Kind::handshake) return handshake(event);
  if (!due(event)) return forget(event);
  Host& host = hosts_[event.host];
  if (host.paused_until > now_) return schedule(host.paused_until, event);
  if (event.kind == Event::Kind::down && !give_up(event)) return;
  if (event.kind == Event::Kind::up && hosts_[event.other].self.id != host.self.id) {
    if (!passes_twins(event)) return;
    told_up_[{event.host, hosts_[event.other].self.id}] = {
        .link = event.link, .other = event.other, .epoch = event.frame.request};
  }
  trace(event);
  ++steps_;
  for (Observer* observer : observers_) observer->before(event);
  Actions actions = call(event, *host.process);
  for (Observer* observer : observers_) observer->after(event, actions);
  perform(event.host, actions);
}

Actions World::call(const Event& event, Process& process) {
  Now now = clock(event.host);
  const Host& other = hosts_[event.other];
  switch (event.kind) {
    case Event::Kind::deliver:
      return process.receive(event.frame, now);
    case Event::Kind::up:
      return process.link_up(
          {.peer = other.self, .epoch = event.frame.request, .dialled = event.dialled}, now);
    case Event::Kind::down:
      return process.link_down(other.self.id, now);
    case Event::Kind::unreachable:
      return process.unreachable(other.self, now);
    case Event::Kind::no_address:
      return process.unreachable(event.dialled, now);
    case Event::Kind::refused:
      return process.refused_as_older(other.self, event.dialled, now);
    case Event::Kind::wake:
      hosts_[event.host].wake_at = Time::max();
      return process.tick(now);
    case Event::Kind::handshake:
    case Event::Kind::command:
      break;
  }
  return {};
}

void World::perform(HostNumber number, const Actions& actions) {
  Host& host = hosts_[number];
  std::uint64_t life = host.life;
  std::size_t sent = 0;
  for (const Frame& frame : actions.send) {
    if (host.crash_after_sends && sent++ == *host.crash_after_sends) {
      return crash(number, rng_.chance(0.5) ? CrashKind::silent : CrashKind::refuses);
    }
    send(number, frame);
  }
  for (const std::string& address : actions.dial) {
    auto to = host_at(address);
    if (to && *to != number) {
      dial(number, *to, address);
    } else {
      fail_dial(number, number, address, connect_timeout);
    }
  }
  for (const Id& peer : actions.close) close(number, peer);
  for (const chord::LookupDone& done : actions.lookups) lookups_.emplace_back(number, done);
  bool member = host.process->ring().mode() == chord::Mode::member;
  if (!member) host.member_since = Time::max();
  if (member && host.member_since == Time::max()) host.member_since = now_;
  if (actions.exit) {
    note("host " + std::to_string(number) + " exits");
    return crash(number, CrashKind::refuses);
  }
  if (actions.wake_at < host.wake_at) {
    host.wake_at = actions.wake_at;
    schedule(actions.wake_at, {.kind = Event::Kind::wake, .host = number, .life = life});
  }
}

Now World::clock(HostNumber host) const {
  auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch() +
                                                                     hosts_[host].wall_offset);
  return {.mono = now_, .wall = wall_from_ms(wall_start_ms + since.count())};
}

WallTime World::true_time() const {
  return wall_from_ms(wall_start_ms + now_.time_since_epoch().count() / 1000);
}

void World::note(const std::string& text) {
  trace_ = xxh3_64(beckon::as_bytes(text), trace_);
  for (Observer* observer : observers_) observer->note(text);
}

void World::trace(const Event& event) {
  ByteWriter out;
  out.i64(now_.time_since_epoch().count());
  out.u8(static_cast<std::uint8_t>(event.kind));
  out.u32(static_cast<std::uint32_t>(event.host));
  out.u32(static_cast<std::uint32_t>(event.other));
  out.u8(event.frame.type);
  out.u64(event.frame.request);
  out.raw(event.frame.body);
  trace_ = xxh3_64(out.bytes(), trace_);
}

}  // namespace beckon::sim
