// SPDX-License-Identifier: MIT
#include "tests/sim/transcript.h"

#include <fmt/core.h>

#include "chord/wire.h"

namespace beckon::sim {

namespace {

const char* mode_text(chord::Mode mode) {
  constexpr const char* names[] = {"idle", "joining", "member", "leaving", "left"};
  return names[static_cast<std::size_t>(mode)];
}

std::string list_text(const std::vector<PeerRef>& list) {
  std::string out = "[";
  for (const PeerRef& peer : list) out += (out.size() > 1 ? " " : "") + peer.address;
  return out + "]";
}

struct Describe {
  std::string operator()(const chord::StateRequest&) const { return "STATE_REQ"; }
  std::string operator()(const chord::StateReply& m) const {
    return fmt::format("STATE_REP {} pred {} succ {}", mode_text(m.mode),
                       m.predecessor ? m.predecessor->address : "-", list_text(m.successors));
  }
  std::string operator()(const chord::Notify&) const { return "NOTIFY"; }
  std::string operator()(const chord::NextRequest& m) const { return "NEXT_REQ " + m.key.brief(); }
  std::string operator()(const chord::NextReply& m) const {
    return fmt::format("NEXT_REP {} succ {} closer {}", mode_text(m.mode), list_text(m.successors),
                       list_text(m.closer));
  }
  std::string operator()(const chord::Ping&) const { return "PING"; }
  std::string operator()(const chord::Pong& m) const {
    return fmt::format("PONG {}", mode_text(m.mode));
  }
  std::string operator()(const chord::Leave&) const { return "LEAVE"; }
  std::string operator()(const chord::LeaveAck&) const { return "LEAVE_ACK"; }
  std::string operator()(const chord::ErrorReply& m) const {
    return fmt::format("ERROR {}", static_cast<int>(m.code));
  }
};

std::string event_text(const Event& event, const World& world) {
  std::string other = world.hosts()[event.other].self.address;
  switch (event.kind) {
    case Event::Kind::wake:
      return "wakes";
    case Event::Kind::deliver:
      return "gets " + frame_text(event.frame) + " from " + other;
    case Event::Kind::up:
      return fmt::format("link up to {} (epoch {})", other, event.frame.request);
    case Event::Kind::down:
      return "link down to " + other;
    case Event::Kind::unreachable:
      return "cannot reach " + other;
    case Event::Kind::no_address:
      return "cannot reach address " + event.dialled;
    case Event::Kind::refused:
      return "is refused as an earlier life by " + other;
    case Event::Kind::handshake:
      return "handshake with " + other;
    case Event::Kind::command:
      return "is told something by its user";
  }
  return "?";
}

}  // namespace

std::string frame_text(const Frame& frame) {
  auto message = chord::decode(frame.type, frame.body);
  if (!message) return fmt::format("frame of type {:#x}", frame.type);
  return std::visit(Describe{}, *message);
}

std::string ring_text(const World& world) {
  std::string out;
  for (const Host& host : world.hosts()) {
    if (!host.running()) continue;
    const chord::RingNode& node = host.process->ring();
    out +=
        fmt::format("  {} {} {}: pred {} succ {}\n", host.self.id.brief(), host.self.address,
                    mode_text(node.mode()), node.predecessor() ? node.predecessor()->address : "-",
                    list_text(node.successors()));
  }
  return out;
}

void Transcript::stamp() {
  auto us = world_.now().time_since_epoch().count();
  out_ << fmt::format("{:>9}.{:03} ", us / 1000, us % 1000);
}

void Transcript::before(const Event& event) {
  const chord::RingNode& node = world_.hosts()[event.host].process->ring();
  list_before_ = node.successors();
  predecessor_before_ = node.predecessor();
  stamp();
  out_ << world_.hosts()[event.host].self.address << " " << event_text(event, world_) << "\n";
}

void Transcript::after(const Event& event, const Actions& actions) {
  const chord::RingNode& node = world_.hosts()[event.host].process->ring();
  if (node.successors() != list_before_) {
    out_ << "              list now " << list_text(node.successors()) << "\n";
  }
  if (node.predecessor() != predecessor_before_) {
    out_ << "              predecessor now "
         << (node.predecessor() ? node.predecessor()->address : "-") << "\n";
  }
  for (const Frame& frame : actions.send) {
    out_ << "              sends " << frame_text(frame) << " to " << frame.peer.address << "\n";
  }
}

void Transcript::note(const std::string& text) {
  stamp();
  out_ << "**** " << text << "\n";
}

}  // namespace beckon::sim
