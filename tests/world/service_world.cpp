#include "tests/world/service_world.h"

#include <fmt/core.h>

#include <algorithm>

#include "node/service/routes/routes.h"

namespace beckon::service {

using namespace std::chrono_literals;

ServiceWorld::Node& ServiceWorld::boot(const std::string& address) {
  Node& node = nodes_[address];
  auto epoch = raise_epoch(node.disk, WallTime{});
  ENSURE(epoch.has_value());
  ServiceOptions options;
  options.kernel.ring.stabilize_every = 500ms;
  options.kernel.ring.probe_every = 2s;
  options.kernel.ring.finger_every = 1s;
  options.kernel.ring.found_again_after = 2s;
  Seeds seeds{.chance = seed_ * 1000003 + *epoch * 97 + xxh3_64(as_bytes(address))};
  ByteWriter secret;
  secret.u64(seeds.chance);
  seeds.secrets = sha256(secret.bytes());
  node.participant.reset();
  node.service =
      std::make_unique<Service>(options, PeerRef{id_of(address), address}, *epoch,
                                Surroundings{node.disk, signer_, builtin_overlay().id(), seeds});
  add_routes(*node.service);
  if (with_ == With::people) {
    auto opened = Participant::open(*node.service, builtin_overlay(), signer_, {});
    ENSURE(opened.has_value());
    node.participant = *std::move(opened);
    add_routes(*node.participant);
  }
  node.finished = false;
  node.wake = Time::max();
  ++node.life;
  return node;
}

void ServiceWorld::up(const std::string& address, std::vector<std::string> join, bool create) {
  feed(address, node(address).service->start(Up{std::move(join), create}, now()));
}

void ServiceWorld::kill(const std::string& address) {
  Node& gone = node(address);
  gone.participant.reset();
  gone.service.reset();
  std::vector<std::string> others;
  for (const auto& [a, b] : links_) {
    if (a == address) others.push_back(b);
  }
  for (const std::string& other : others) {
    links_.erase({address, other});
    links_.erase({other, address});
    at(1ms, [this, other, life = nodes_.at(other).life, id = id_of(address)] {
      Node& node = nodes_.at(other);
      if (node.service && node.life == life)
        feed(other, node.service->link_down(id, {ErrorCode::unavailable, "reset"}, now()));
    });
  }
}

ExchangeId ServiceWorld::http(const std::string& address, const HttpRequest& request) {
  ExchangeId exchange = ++last_exchange_;
  feed(address, node(address).service->http_request(exchange, request, now()));
  return exchange;
}

bool ServiceWorld::connect(const std::string& from, const std::string& to,
                           const std::string& dialled) {
  Node& here = nodes_.at(from);
  auto there = nodes_.find(to);
  bool possible = there != nodes_.end() && there->second.service && from != to;
  if (!possible) return false;
  bool fresh = links_.insert({from, to}).second;
  links_.insert({to, from});
  if (fresh || !dialled.empty()) {
    feed(from,
         here.service->link_up({{id_of(to), to}, there->second.service->epoch(), dialled}, now()));
  }
  if (fresh && there->second.service && here.service) {
    feed(to,
         there->second.service->link_up({{id_of(from), from}, here.service->epoch(), ""}, now()));
  }
  return true;
}

void ServiceWorld::deliver(const std::string& from, const Frame& frame) {
  at(1ms, [this, from, life = nodes_.at(from).life, frame] {
    if (!nodes_.at(from).service || nodes_.at(from).life != life) return;
    std::string to = frame.peer.address;
    if (!links_.contains({from, to}) && !connect(from, to, "")) {
      return feed(from, nodes_.at(from).service->unreachable(
                            frame.peer, {ErrorCode::unavailable, "refused"}, now()));
    }
    if (tap) tap(from, frame);
    Node& node = nodes_.at(to);
    Frame arrived = frame;
    arrived.peer = {id_of(from), from};
    trace += fmt::format("{} {}>{} {} {}\n", clock_.time_since_epoch().count(), from, to,
                         frame.type, frame.request);
    if (node.service) feed(to, node.service->receive(arrived, now()));
  });
}

void ServiceWorld::feed(const std::string& address, Output output) {
  Node& node = nodes_.at(address);
  for (const LogLine& line : output.log) node.log.push_back(line.text);
  for (const Frame& frame : output.send) deliver(address, frame);
  for (const std::string& to : output.dial) {
    at(1ms, [this, address, to] {
      Node& dialler = nodes_.at(address);
      if (!dialler.service || connect(address, to, to)) return;
      feed(address, dialler.service->unreachable(
                        {{}, to}, {ErrorCode::unavailable, "connection refused"}, now()));
    });
  }
  for (Write& write : output.writes) {
    at(2ms, [this, address, life = node.life, write] {
      Node& writer = nodes_.at(address);
      if (!writer.service || writer.life != life) return;
      auto result = writer.disk.commit(write.mutations);
      feed(address, writer.service->written(write.token, result, now()));
    });
  }
  for (const HttpPart& part : output.http) {
    if (const auto* reply = std::get_if<HttpReply>(&part.part)) {
      node.http[part.exchange] = reply->body;
      node.status[part.exchange] = reply->status;
    } else if (const auto* data = std::get_if<StreamData>(&part.part)) {
      node.http[part.exchange] += data->text;
    }
  }
  node.wake = output.wake_at;
  node.finished = node.finished || output.finished;
}

bool ServiceWorld::step() {
  Time next = queue_.empty() ? Time::max() : queue_.begin()->first.first;
  std::string sleeper;
  for (const auto& [address, node] : nodes_) {
    if (node.service && std::max(node.wake, clock_) < next) {
      next = std::max(node.wake, clock_);
      sleeper = address;
    }
  }
  if (next == Time::max()) return false;
  clock_ = std::max(clock_, next);
  if (!sleeper.empty()) {
    feed(sleeper, nodes_.at(sleeper).service->tick(now()));
  } else {
    auto action = std::move(queue_.extract(queue_.begin()).mapped());
    action();
  }
  return true;
}

void ServiceWorld::run(Duration time) {
  Time end = clock_ + time;
  run_until([&] { return clock_ >= end; }, time + 1s);
}

bool ServiceWorld::run_until(const std::function<bool()>& done, Duration limit) {
  Time end = clock_ + limit;
  while (!done()) {
    if (clock_ > end || !step()) return false;
  }
  return true;
}

bool ServiceWorld::ideal() const {
  std::vector<const chord::Peer*> ring;
  for (const auto& [address, node] : nodes_) {
    if (node.service && !node.finished) ring.push_back(&node.service->ring());
  }
  std::sort(ring.begin(), ring.end(),
            [](const auto* a, const auto* b) { return a->self().id < b->self().id; });
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const chord::Peer& next = *ring[(i + 1) % ring.size()];
    const chord::Peer& before = *ring[(i + ring.size() - 1) % ring.size()];
    if (ring[i]->mode() != chord::Mode::member) return false;
    if (ring.size() == 1) return ring[i]->successors().empty();
    bool successor =
        !ring[i]->successors().empty() && ring[i]->successors().front().id == next.self().id;
    bool predecessor = ring[i]->predecessor() && ring[i]->predecessor()->id == before.self().id;
    if (!successor || !predecessor ||
        ring[i]->successors().size() != std::min<std::size_t>(16, ring.size() - 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace beckon::service
