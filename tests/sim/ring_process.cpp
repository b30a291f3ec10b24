// SPDX-License-Identifier: MIT
#include "tests/sim/ring_process.h"

namespace beckon::sim {

namespace {

struct RingDisk final : Disk {
  std::vector<PeerRef> known{};
  std::vector<PeerRef> passive{};
};

class RingProcess final : public Process {
 public:
  RingProcess(const Birth& birth, RingDisk& disk)
      : birth_(birth), disk_(disk), ring_(birth.options, birth.self, disk.epoch, birth.rng) {}

  Actions start(Now now) override { return perform(ring_.start(first_command(), now)); }
  Actions receive(const Frame& frame, Now now) override {
    return perform(ring_.receive(frame, now));
  }
  Actions link_up(const chord::LinkUp& link, Now now) override {
    return perform(ring_.link_up(link, now));
  }
  Actions link_down(const Id& peer, Now now) override {
    return perform(ring_.link_down(peer, now));
  }
  Actions unreachable(const PeerRef& peer, Now now) override {
    return perform(ring_.unreachable(peer, now));
  }
  Actions unreachable(const std::string& address, Now now) override {
    return perform(ring_.unreachable(address, now));
  }
  Actions refused_as_older(const PeerRef& by, const std::string& later_at, Now now) override {
    return perform(ring_.refused_as_older(by, later_at, now));
  }
  Actions tick(Now now) override { return perform(ring_.tick(now)); }
  Actions leave(Now now) override { return perform(ring_.start(chord::LeaveNow{}, now)); }
  Actions find(std::uint64_t tag, const Id& key, chord::Freshness how, Now now) override {
    return perform(ring_.start(chord::FindOwner{.tag = tag, .key = key, .freshness = how}, now));
  }
  const chord::RingNode& ring() const override { return ring_; }

 private:
  chord::Command first_command() const {
    if (birth_.assume) return *birth_.assume;
    if (birth_.create) return chord::Create{};
    return chord::Join{.seeds = birth_.seeds, .remembered = disk_.known, .passive = disk_.passive};
  }

  Actions perform(chord::Output output) {
    Actions actions{.send = std::move(output.send),
                    .dial = std::move(output.dial),
                    .close = std::move(output.close),
                    .wake_at = output.wake_at,
                    .exit = ring_.mode() == chord::Mode::left};
    for (chord::Event& event : output.events) {
      if (auto* peers = std::get_if<chord::PeersToRemember>(&event)) {
        disk_.known = peers->known;
        disk_.passive = peers->passive;
      }
      if (auto* done = std::get_if<chord::LookupDone>(&event)) actions.lookups.push_back(*done);
    }
    return actions;
  }

  Birth birth_;
  RingDisk& disk_;
  chord::RingNode ring_;
};

}  // namespace

std::unique_ptr<Disk> RingFactory::empty_disk() { return std::make_unique<RingDisk>(); }

std::unique_ptr<Process> RingFactory::make(const Birth& birth, Disk& disk) {
  return std::make_unique<RingProcess>(birth, static_cast<RingDisk&>(disk));
}

}  // namespace beckon::sim
