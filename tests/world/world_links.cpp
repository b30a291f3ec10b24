// SPDX-License-Identifier: MIT
// Links as the transport makes, reports, orders and breaks them.
#include <algorithm>

#include "tests/world/frame_log.h"
#include "tests/world/world.h"

namespace beckon::sim {

namespace {

constexpr Duration system_gives_up = std::chrono::seconds(10);  // unacknowledged data on a link

}  // namespace

void World::send(HostNumber from, const Frame& frame) {
  bytes_ += frame.body.size() + 13;
  ++frames_;
  test::log_frame(now_, frame, std::to_string(from));
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

}  // namespace beckon::sim
