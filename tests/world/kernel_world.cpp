#include "tests/world/kernel_world.h"

#include <algorithm>

namespace beckon::test {

using namespace beckon::service;
using namespace std::chrono_literals;

KernelWorld::Node::Node(const PeerRef& self, std::uint64_t epoch, const Store& store,
                        std::uint64_t seed, const RuleBook& rules, const ReplicaOptions& options)
    : kernel({}, self, epoch, store, {.chance = seed, .secrets = sha256(self.id.bytes)}),
      replicas(kernel, rules, options) {
  for (int type = 0x21; type < 0x30; type += 2) {
    auto byte = static_cast<std::uint8_t>(type);
    if (!Replicas::handles(byte)) continue;
    kernel.serve(byte, [this](const Request& request) { replicas.handle(request); });
  }
}

KernelWorld::KernelWorld(std::uint64_t seed, ReplicaOptions options)
    : options_(options), rng_(seed) {
  rules_.add(author_rules_);
}

Now KernelWorld::clock() const {
  auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(time_.time_since_epoch());
  return {time_, wall_from_ms(1'800'000'000'000 + passed.count())};
}

std::size_t KernelWorld::add() {
  auto host = std::make_unique<Host>();
  rng_.fill(host->self.id.bytes);
  host->self.address = "host:" + std::to_string(hosts_.size() + 1);
  hosts_.push_back(std::move(host));
  return hosts_.size() - 1;
}

void KernelWorld::start(std::size_t host, bool create) {
  Host& h = *hosts_[host];
  ENSURE(!h.node);
  ++h.life;  // serves as the epoch, too
  h.node = std::make_unique<Node>(h.self, h.life, h.disk, rng_.next(), rules_, options_);
  chord::Join join;
  for (std::size_t other : by_place()) {
    if (other != host) join.seeds.push_back(hosts_[other]->self.address);
  }
  if (join.seeds.size() > 3) join.seeds.resize(3);
  input(host, [&](Kernel& kernel) {
    h.node->replicas.start();
    create ? kernel.tell_ring(chord::Create{}) : kernel.tell_ring(join);
  });
}

void KernelWorld::crash(std::size_t host) {
  Host& h = *hosts_[host];
  h.node.reset();
  ++h.life;
  h.disk_free = {};
  h.wake_at = Time::max();
  for (std::size_t other : std::exchange(h.links, {})) {
    hosts_[other]->links.erase(host);
    at(time_ + delay(), other, [this, other, gone = h.self.id] {
      input(other, [&](Kernel& kernel) { kernel.link_down(gone); });
    });
  }
}

void KernelWorld::act(std::size_t host, const std::function<void(Replicas&)>& action) {
  input(host, [&](Kernel&) { action(hosts_[host]->node->replicas); });
}

void KernelWorld::at(Time when, std::size_t host, std::function<void()> action) {
  queue_[{when, ++happened_}] = {host, hosts_[host]->life, std::move(action)};
}

void KernelWorld::input(std::size_t host, const std::function<void(Kernel&)>& what) {
  Host& h = *hosts_[host];
  Kernel& kernel = h.node->kernel;
  kernel.begin(clock());
  what(kernel);
  for (int i = 0; i < 2; ++i) {
    bool changed = false;
    for (const chord::Event& event : kernel.take_ring_events()) {
      changed = changed || std::holds_alternative<chord::PredecessorChanged>(event) ||
                std::holds_alternative<chord::SuccessorsChanged>(event);
    }
    if (changed) h.node->replicas.ring_changed();
    if (i == 0) kernel.settle();
  }
  Kernel::Sent sent = kernel.take();
  for (Write& write : sent.writes) {
    h.disk_free = std::max(h.disk_free, time_) + Duration(rng_.between(100, 5'000));
    at(h.disk_free, host, [this, host, write = std::move(write)] {
      Result<void> done = hosts_[host]->disk.commit(write.mutations);
      input(host, [&](Kernel& k) { k.written(write.token, done); });
    });
  }
  for (const Frame& frame : sent.send) send(host, frame);
  for (const std::string& address : sent.dial) {
    for (std::size_t to = 0; to < hosts_.size(); ++to) {
      if (hosts_[to]->self.address == address) dial(host, to, address);
    }
  }
  Time wake = std::max(kernel.wake_at(), time_);
  if (wake == h.wake_at) return;
  h.wake_at = wake;  // one earlier set for another moment is void
  if (wake == Time::max()) return;
  at(wake, host, [this, host, wake] {
    if (hosts_[host]->wake_at != wake) return;
    hosts_[host]->wake_at = Time::max();
    input(host, [](Kernel& k) { k.tick(); });
  });
}

void KernelWorld::send(std::size_t from, const Frame& frame) {
  std::size_t to = find(frame.peer.id);
  if (!hosts_[from]->links.contains(to)) dial(from, to, {});
  deliver(from, to, frame);
}

/// The frame waits for the link: it comes after whatever was sent before, and not if a side died.
void KernelWorld::deliver(std::size_t from, std::size_t to, Frame frame) {
  if (!up(to)) return;
  Time& last = hosts_[from]->last_arrival[to];
  last = std::max(last + Duration(1), time_ + delay());
  frame.peer = hosts_[from]->self;
  at(last, to, [this, from, to, frame = std::move(frame)] {
    if (hosts_[to]->links.contains(from)) {
      input(to, [&](Kernel& kernel) { kernel.receive(frame); });
    }
  });
}

void KernelWorld::dial(std::size_t from, std::size_t to, const std::string& address) {
  Host& a = *hosts_[from];
  Host& b = *hosts_[to];
  if (!b.node) {
    PeerRef peer = address.empty() ? b.self : PeerRef{.address = address};
    at(time_ + delay(), from,
       [this, from, peer] { input(from, [&](Kernel& kernel) { kernel.unreachable(peer); }); });
    return;
  }
  bool fresh = a.links.insert(to).second;
  b.links.insert(from);
  chord::LinkUp here{.peer = b.self, .epoch = b.life, .dialled = address};
  at(time_, from,
     [this, from, here] { input(from, [&](Kernel& kernel) { kernel.link_up(here); }); });
  if (!fresh) return;
  chord::LinkUp there{.peer = a.self, .epoch = a.life};
  at(time_, to, [this, to, there] { input(to, [&](Kernel& kernel) { kernel.link_up(there); }); });
}

std::size_t KernelWorld::find(const Id& id) const {
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i]->self.id == id) return i;
  }
  ENSURE(!"frames go to hosts that exist");
  return 0;
}

void KernelWorld::run_for(Duration time) {
  Time until = time_ + time;
  while (!queue_.empty() && queue_.begin()->first.first <= until) {
    auto next = queue_.extract(queue_.begin());
    time_ = next.key().first;
    const Host& host = *hosts_[next.mapped().host];
    if (host.node && host.life == next.mapped().life) next.mapped().action();
  }
  time_ = until;
}

std::vector<std::size_t> KernelWorld::by_place() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (up(i)) out.push_back(i);
  }
  std::ranges::sort(out, {}, [&](std::size_t i) { return id(i); });
  return out;
}

std::vector<std::size_t> KernelWorld::true_replicas(const Id& key, std::size_t count) const {
  auto ring = by_place();
  auto first = static_cast<std::size_t>(
      std::ranges::lower_bound(ring, key, {}, [&](std::size_t i) { return id(i); }) - ring.begin());
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < std::min(count, ring.size()); ++i) {
    out.push_back(ring[(first + i) % ring.size()]);
  }
  return out;
}

}  // namespace beckon::test
