// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "chord/ring_node.h"
#include "chord/wire.h"
#include "tests/chord/peers.h"

namespace beckon::chord::test {

/// One peer and its clock; a test plays all the others. What the peer does is kept until the test
/// takes it. With `others` set, those answer what they are asked at once.
class Stage {
 public:
  explicit Stage(unsigned place = 10, const Options& options = {})
      : self(options, peer(place), 5, Rng(1)) {}

  RingNode self;
  Time t = at(1000);
  std::function<std::optional<Message>(const Frame&)> others{};

  void start(const Command& command) { take(self.start(command, now())); }
  void link(unsigned place, const std::string& dialled = "", std::uint64_t epoch = 1) {
    take(self.link_up({.peer = peer(place), .epoch = epoch, .dialled = dialled}, now()));
  }
  void unlink(unsigned place) { take(self.link_down(id(place), now())); }
  void no_way_to(unsigned place) { take(self.unreachable(peer(place), now())); }
  void no_way_to(const std::string& address) { take(self.unreachable(address, now())); }
  void hear(unsigned place, const Message& message, std::uint64_t request = 0) {
    take(self.receive({.peer = peer(place),
                       .type = static_cast<std::uint8_t>(type_of(message)),
                       .request = request,
                       .body = encode(message)},
                      now()));
  }
  void answer(const Frame& question, const Message& message) {
    hear(place_of(question), message, question.request);
  }

  /// Lets time pass; the peer is called whenever it wants to be.
  void pass(Duration time = {}) {
    Time end = t + time;
    int calls = 0;
    while (wake_ <= end) {
      REQUIRE(++calls < 100'000);
      t = std::max(t, wake_);
      take(self.tick(now()));
    }
    t = end;
  }

  static unsigned place_of(const Frame& frame) { return frame.peer.id.bytes[0]; }

  /// The frames of one type sent since they were last taken.
  std::vector<Frame> sent(MessageType type) {
    std::vector<Frame> out;
    std::erase_if(sent_, [&](const auto& one) {
      bool wanted = one.second.type == static_cast<std::uint8_t>(type);
      if (wanted) out.push_back(one.second);
      return wanted;
    });
    return out;
  }
  /// To whom frames of one type went since they were last taken.
  std::vector<unsigned> asked(MessageType type) {
    std::vector<unsigned> out;
    for (const Frame& frame : sent(type)) out.push_back(place_of(frame));
    return out;
  }
  /// When frames of one type were sent to a place.
  std::vector<Time> times(MessageType type, unsigned place) const {
    std::vector<Time> out;
    for (const auto& [when, frame] : sent_) {
      bool wanted = frame.type == static_cast<std::uint8_t>(type) && place_of(frame) == place;
      if (wanted) out.push_back(when);
    }
    return out;
  }

  template <typename Wanted>
  std::vector<Wanted> told() {
    std::vector<Wanted> out;
    for (const auto& [when, event] : events_) {
      if (auto* found = std::get_if<Wanted>(&event)) out.push_back(*found);
    }
    events_.clear();
    return out;
  }
  template <typename Wanted>
  std::vector<Time> times_told() const {
    std::vector<Time> out;
    for (const auto& [when, event] : events_) {
      if (std::holds_alternative<Wanted>(event)) out.push_back(when);
    }
    return out;
  }

  std::vector<std::string> dialled() { return std::exchange(dialled_, {}); }
  std::vector<Id> closed() { return std::exchange(closed_, {}); }
  std::vector<std::string> logged() { return std::exchange(logged_, {}); }
  Now now() const { return {.mono = t}; }

 private:
  void take(const Output& out) {
    keep(out);
    for (std::size_t i = 0; others && i < fresh_.size(); ++i) {
      Frame question = fresh_[i];
      auto reply = others(question);
      if (!reply) continue;
      keep(self.receive({.peer = question.peer,
                         .type = static_cast<std::uint8_t>(type_of(*reply)),
                         .request = question.request,
                         .body = encode(*reply)},
                        now()));
    }
    fresh_.clear();
  }

  void keep(const Output& out) {
    for (const Frame& frame : out.send) {
      sent_.emplace_back(t, frame);
      fresh_.push_back(frame);
    }
    for (const Event& event : out.events) events_.emplace_back(t, event);
    for (const LogLine& line : out.log) {
      if (line.level > LogLevel::debug) logged_.push_back(to_text(line));
    }
    dialled_.insert(dialled_.end(), out.dial.begin(), out.dial.end());
    closed_.insert(closed_.end(), out.close.begin(), out.close.end());
    wake_ = out.wake_at;
  }

  Time wake_ = Time::max();
  std::vector<Frame> fresh_{};
  std::vector<std::pair<Time, Frame>> sent_{};
  std::vector<std::pair<Time, Event>> events_{};
  std::vector<std::string> dialled_{}, logged_{};
  std::vector<Id> closed_{};
};

/// The members of an ideal ring, to answer on a stage.
struct Cast {
  std::vector<unsigned> places{10, 40, 90, 160, 220};
  std::size_t length = 16;

  std::size_t index(unsigned place) const {
    auto found = std::find(places.begin(), places.end(), place);
    return static_cast<std::size_t>(found - places.begin());
  }
  PeerRef before(unsigned place) const {
    return peer(places[(index(place) + places.size() - 1) % places.size()]);
  }
  std::vector<PeerRef> list(unsigned place) const {
    std::vector<PeerRef> out;
    for (std::size_t i = 1; i <= std::min(length, places.size() - 1); ++i) {
      out.push_back(peer(places[(index(place) + i) % places.size()]));
    }
    return out;
  }

  std::optional<Message> operator()(const Frame& frame) const {
    unsigned place = Stage::place_of(frame);
    if (index(place) == places.size()) return std::nullopt;
    Message question = *decode(frame.type, frame.body);
    if (std::holds_alternative<StateRequest>(question)) {
      return StateReply{Mode::member, 1, before(place), list(place)};
    }
    if (std::holds_alternative<NextRequest>(question)) {
      return NextReply{Mode::member, before(place), list(place), {}};
    }
    if (auto* ping = std::get_if<Ping>(&question)) return Pong{ping->nonce, Mode::member};
    if (std::holds_alternative<Leave>(question)) return LeaveAck{};
    return std::nullopt;
  }

  /// A member among them with links to all; nobody answers yet.
  Stage member(unsigned place = 10, Options options = {}) const {
    options.list_length = length;
    Stage out(place, options);
    for (unsigned other : places) {
      if (other != place) out.link(other);
    }
    out.start(Assume{before(place), list(place), {}});
    return out;
  }
};

inline NextRequest next_request(const Frame& frame) {
  return std::get<NextRequest>(*decode(frame.type, frame.body));
}

}  // namespace beckon::chord::test
