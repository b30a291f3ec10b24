#include "tests/sim/world.h"

#include <algorithm>

#include "base/hash.h"

namespace beckon::sim {

namespace {

constexpr Duration connect_timeout = std::chrono::seconds(3);
constexpr Duration system_gives_up = std::chrono::seconds(10);  // unacknowledged data on a link
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

bool World::told_up(const Event& event) const {
  auto told = told_up_.find({event.host, hosts_[event.other].self.id});
  return told != told_up_.end() && told->second.link == event.link;
}

/// A link is found broken by one end: the other end's system gives it up as well. Whether the
/// process at `event.host` is to hear of it: only if this is the link it was last told of.
bool World::give_up(const Event& event) {
  auto found = links_.find(key(event.host, event.other));
  if (found != links_.end() && found->second.number == event.link) {
    std::uint64_t far_life = found->second.life[event.other > event.host ? 1 : 0];
    links_.erase(found);
    if (hosts_[event.other].running() && hosts_[event.other].life == far_life) {
      schedule(now_, {.kind = Event::Kind::down,
                      .host = event.other,
                      .other = event.host,
                      .link = event.link,
                      .life = far_life});
    }
  }
  if (!told_up(event)) return false;
  told_up_.erase({event.host, hosts_[event.other].self.id});
  return true;
}

/// Whether a link that comes up stays, if there is one to another process with the same id: the
/// later process takes the place of the older one, which is reported down first. So does an older
/// one when the later is gone and only its link is left.
bool World::passes_twins(const Event& event) {
  auto told = told_up_.find({event.host, hosts_[event.other].self.id});
  if (told == told_up_.end() || told->second.other == event.other) return true;
  Told old = told->second;
  bool answers = hosts_[old.other].running();  // the transport asks it before it refuses
  if (event.frame.request < old.epoch && answers) {
    refuse_older(event, hosts_[old.other].self.address);
    return false;
  }
  break_link(event.host, old.other);
  handle({.kind = Event::Kind::down,
          .host = event.host,
          .other = old.other,
          .link = old.link,
          .life = event.life});
  return due(event);
}

void World::refuse_older(const Event& event, const std::string& later_at) {
  const Link& link = links_.at(key(event.host, event.other));
  HostNumber dialler = link.dialler, other = dialler == event.host ? event.other : event.host;
  std::string dialled = link.dialled[end(dialler, other)];
  break_link(event.host, event.other);
  Duration wait = network_.delay(other, dialler);
  fail_dial(dialler, other, dialled, wait);
  if (dialler == event.host) return;
  schedule(now_ + wait, {.kind = Event::Kind::refused,
                         .host = dialler,
                         .other = other,
                         .life = hosts_[dialler].life,
                         .dialled = later_at});
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
  bool member = host.process->peer().mode() == chord::Mode::member;
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

void World::send(HostNumber from, const Frame& frame) {
  bytes_ += frame.body.size() + 13;
  ++frames_;
  auto to = linked_host(from, frame.peer.id);
  if (!to) to = host_at(frame.peer.address);
  if (!to || *to == from) return;
  auto link = links_.find(key(from, *to));
  if (link == links_.end()) {
    dial(from, *to, "");
    link = links_.find(key(from, *to));
  }
  if (!link->second.up) {
    link->second.waiting[from > *to ? 1 : 0].push_back(frame);
    return;
  }
  transmit(from, *to, link->second, frame);
}

void World::dial(HostNumber from, HostNumber to, const std::string& dialled) {
  auto existing = links_.find(key(from, to));
  if (existing != links_.end()) {
    // One link per pair: a dial by address that meets a link is told of it again.
    Link& link = existing->second;
    if (!dialled.empty()) link.dialled[end(from, to)] = dialled;
    if (link.up && !dialled.empty()) {
      schedule(now_ + network_.delay(from, to), link_up(from, to, link));
    }
    return;
  }
  Link link;
  link.number = next_link_++;
  link.dialler = from;
  link.dialled[end(from, to)] = dialled;
  link.life[end(from, to)] = hosts_[from].life;
  std::uint64_t number = link.number;
  links_.emplace(key(from, to), std::move(link));
  schedule(now_ + network_.delay(from, to) * 3,
           {.kind = Event::Kind::handshake, .host = from, .other = to, .link = number});
}

Event World::link_up(HostNumber here, HostNumber there, const Link& link) const {
  Event event;
  event.kind = Event::Kind::up;
  event.host = here;
  event.other = there;
  event.link = link.number;
  event.life = hosts_[here].life;
  event.frame.request = hosts_[there].disk->epoch;
  event.dialled = link.dialled[end(here, there)];
  return event;
}

/// The dial has reached the other host (or not): the link comes up there at once, here a little
/// later.
void World::handshake(const Event& event) {
  HostNumber from = event.host, to = event.other;
  auto found = links_.find(key(from, to));
  if (found == links_.end() || found->second.number != event.link) return;
  Link& link = found->second;
  const Host& target = hosts_[to];
  bool reached = network_.passes(from, to) && network_.passes(to, from) && !network_.lost();
  bool answers = reached && target.running() && target.paused_until <= now_;
  if (!hosts_[from].running() || hosts_[from].life != link.life[from > to ? 1 : 0]) {
    links_.erase(found);
    return;
  }
  if (!answers) {
    bool refused = reached && !target.running() && !target.silent;
    Duration wait = refused ? network_.delay(to, from) : connect_timeout;
    fail_dial(from, to, link.dialled[end(from, to)], wait);
    const std::string& back = link.dialled[end(to, from)];
    if (!back.empty()) fail_dial(to, from, back, connect_timeout);
    links_.erase(found);
    return;
  }
  link.up = true;
  link.life[to > from ? 1 : 0] = target.life;
  for (auto [here, there] : {std::pair{to, from}, std::pair{from, to}}) {
    arrive(there, here, link, link_up(here, there, link));
  }
  std::array<std::vector<Frame>, 2> waiting = std::exchange(link.waiting, {});
  for (HostNumber end : {from, to}) {
    HostNumber far = end == from ? to : from;
    for (const Frame& frame : waiting[end > far ? 1 : 0]) {
      auto still = links_.find(key(from, to));  // a frame may break the link under our feet
      if (still == links_.end() || still->second.number != event.link) return;
      transmit(end, far, still->second, frame);
    }
  }
}

void World::transmit(HostNumber from, HostNumber to, Link& link, const Frame& frame) {
  std::size_t far_end = to > from ? 1 : 0;
  bool alive = hosts_[to].running() && hosts_[to].life == link.life[far_end];
  bool passes = network_.passes(from, to);
  if (!alive || !passes) {
    if (link.doomed) return;
    link.doomed = true;
    bool told = passes && !hosts_[to].silent;  // somebody is there to say that nobody listens
    schedule(now_ + (told ? 2 * network_.delay(from, to) : system_gives_up),
             {.kind = Event::Kind::down,
              .host = from,
              .other = to,
              .link = link.number,
              .life = hosts_[from].life});
    return;
  }
  if (network_.reset()) return break_link(from, to);
  if (network_.lost()) return;
  int copies = network_.duplicated() ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    Frame arriving = frame;
    arriving.peer = hosts_[from].self;
    arrive(from, to, link,
           {.kind = Event::Kind::deliver,
            .host = to,
            .other = from,
            .link = link.number,
            .life = hosts_[to].life,
            .frame = std::move(arriving)});
  }
}

void World::arrive(HostNumber from, HostNumber to, Link& link, Event event) {
  Time at = now_ + network_.delay(from, to);
  Time& last = link.last_arrival[to > from ? 1 : 0];
  bool may_overtake = network_.weather().reorder && event.kind == Event::Kind::deliver;
  if (!may_overtake) at = std::max(at, last);
  last = std::max(last, at);
  schedule(at, std::move(event));
}

/// Both ends learn of it a moment later; what was under way is lost.
void World::break_link(HostNumber a, HostNumber b) {
  auto found = links_.find(key(a, b));
  if (found == links_.end()) return;
  Link link = std::move(found->second);
  links_.erase(found);
  for (auto [host, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!hosts_[host].running()) continue;
    const std::string& dialled = link.dialled[end(host, other)];
    Duration wait = network_.delay(a, b);
    if (link.up) {
      schedule(now_ + wait, {.kind = Event::Kind::down,
                             .host = host,
                             .other = other,
                             .link = link.number,
                             .life = hosts_[host].life});
    } else if (host == link.dialler || !dialled.empty()) {
      fail_dial(host, other, dialled, wait);
    }
  }
}

void World::break_links(HostNumber host) {
  for (HostNumber other = 0; other < hosts_.size(); ++other) {
    if (other != host) break_link(host, other);
  }
}

void World::fail_dial(HostNumber from, HostNumber to, const std::string& dialled, Duration wait) {
  auto kind = dialled.empty() ? Event::Kind::unreachable : Event::Kind::no_address;
  Event event;
  event.kind = kind;
  event.host = from;
  event.other = to;
  event.life = hosts_[from].life;
  event.dialled = dialled;
  schedule(now_ + wait, std::move(event));
}

void World::close(HostNumber number, const Id& peer) {
  for (HostNumber other = 0; other < hosts_.size(); ++other) {
    if (hosts_[other].self.id != peer || other == number) continue;
    auto found = links_.find(key(number, other));
    if (found == links_.end()) continue;
    // What was sent before still arrives; the link ends when the other side has read it all.
    auto told = told_up_.find({number, peer});
    if (told != told_up_.end() && told->second.other == other) told_up_.erase(told);
    arrive(number, other, found->second,
           {.kind = Event::Kind::down,
            .host = other,
            .other = number,
            .link = found->second.number,
            .life = hosts_[other].life});
    if (!hosts_[other].running()) links_.erase(found);
  }
}

/// The transport finds a link by the id it proved, whatever address a frame names.
std::optional<HostNumber> World::linked_host(HostNumber from, const Id& id) const {
  auto told = told_up_.find({from, id});
  if (told == told_up_.end() || !links_.contains(key(from, told->second.other))) {
    return std::nullopt;
  }
  return told->second.other;
}

std::optional<HostNumber> World::host_at(const std::string& address) const {
  auto found = addresses_.find(address);
  if (found == addresses_.end()) return std::nullopt;
  return found->second;
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
