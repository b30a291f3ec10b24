// SPDX-License-Identifier: MIT
#include "tests/world/service_world.h"

#include <algorithm>

#include "node/service/routes/routes.h"
#include "tests/world/invariants.h"

namespace beckon::service {

using namespace std::chrono_literals;

namespace {

chord::Options quick() {
  chord::Options options;
  options.stabilize_every = 500ms;
  options.probe_every = 2s;
  options.finger_every = 1s;
  options.found_again_after = 2s;
  return options;
}

/// A node that writes down what it says, and need not end when it has finished.
class ShownProcess final : public sim::ServiceProcess {
 public:
  ShownProcess(const sim::Birth& birth, sim::ServiceDisk& disk, const Signer& signer,
               ServiceWorld::Node& node, ServiceWorld::With with)
      : ServiceProcess(birth, disk, {}, signer, builtin_overlay().id()), node_(node) {
    add_routes(service());
    if (with == ServiceWorld::With::people) {
      auto opened = Hosting::open(service(), builtin_overlay(), signer, {});
      ENSURE(opened.has_value());
      hosting_ = *std::move(opened);
      add_routes(*hosting_);
    }
    node_.service = &service();
    node_.hosting = hosting_.get();
    node_.finished = false;
  }
  ~ShownProcess() override {
    node_.hosting = nullptr;
    node_.service = nullptr;
  }

 private:
  void look_at(Output& output) override {
    for (const LogLine& line : output.log) node_.log.push_back(to_text(line));
    for (const HttpPart& part : output.http) {
      if (const auto* reply = std::get_if<HttpReply>(&part.part)) {
        node_.http[part.exchange] = reply->body;
        node_.status[part.exchange] = reply->status;
      } else if (const auto* data = std::get_if<StreamData>(&part.part)) {
        node_.http[part.exchange] += data->text;
      }
    }
    node_.finished = node_.finished || std::exchange(output.finished, false);
  }

  ServiceWorld::Node& node_;
  std::unique_ptr<Hosting> hosting_{};
};

}  // namespace

ServiceWorld::ServiceWorld(std::uint64_t seed, With with)
    : with_(with),
      world_(*this, sim::Network({.delay_min = 1ms, .delay_max = 1ms}, Rng(seed).split("network")),
             Rng(seed).split("world")) {
  world_.observe(this);
}

void ServiceWorld::up(const std::string& address, std::vector<std::string> join, bool create) {
  if (!nodes_.contains(address)) {
    PeerRef self{Id::of_digest(sha256(as_bytes(address))), address};
    nodes_[address].host = world_.add_host(self, quick());
  }
  world_.boot(node(address).host, create, std::move(join));
}

void ServiceWorld::kill(const std::string& address) {
  world_.crash(node(address).host, sim::CrashKind::refuses);
}

std::unique_ptr<sim::Disk> ServiceWorld::empty_disk() {
  return std::make_unique<sim::ServiceDisk>();
}

std::unique_ptr<sim::Process> ServiceWorld::make(const sim::Birth& birth, sim::Disk& disk) {
  auto& own = static_cast<sim::ServiceDisk&>(disk);
  auto epoch = raise_epoch(own.store, WallTime{});
  ENSURE(epoch.has_value());
  own.epoch = *epoch;
  return std::make_unique<ShownProcess>(birth, own, signer_, node(birth.self.address), with_);
}

MemoryStore& ServiceWorld::disk(const std::string& address) {
  return static_cast<sim::ServiceDisk&>(*world_.hosts()[node(address).host].disk).store;
}

void ServiceWorld::tell(const std::string& address, const Input& input) {
  sim::HostNumber host = node(address).host;
  world_.tell(host, [&](sim::Process& process) {
    auto& shown = static_cast<ShownProcess&>(process);
    return shown.done(input(shown.service()), world_.clock(host));
  });
}

ExchangeId ServiceWorld::http(const std::string& address, const HttpRequest& request) {
  ExchangeId exchange = ++last_exchange_;
  tell(address, [&](Service& service) { return service.http_request(exchange, request, now()); });
  return exchange;
}

void ServiceWorld::hang_up(const std::string& address, ExchangeId exchange) {
  tell(address, [&](Service& service) { return service.http_closed(exchange, now()); });
}

void ServiceWorld::inject(const std::string& from, const Frame& frame) {
  world_.tell(node(from).host, [&](sim::Process&) { return sim::Actions{.send = {frame}}; });
}

void ServiceWorld::before(const sim::Event& event) {
  if (!tap || event.kind != sim::Event::Kind::deliver) return;
  Frame frame = event.frame;
  frame.peer = world_.hosts()[event.host].self;
  tap(event.frame.peer.address, frame);
}

bool ServiceWorld::run_until(const std::function<bool()>& done, Duration limit) {
  if (done()) return true;
  world_.run_until(world_.now() + limit, [&] { return !done(); });
  return done();
}

bool ServiceWorld::ideal() const {
  sim::RingView view(world_.hosts());
  auto expected = std::ranges::count_if(
      nodes_, [](const auto& entry) { return entry.second.service && !entry.second.finished; });
  return static_cast<std::ptrdiff_t>(view.members().size()) == expected && !check_ideal(view);
}

}  // namespace beckon::service
