// SPDX-License-Identifier: MIT
#include "node/service/ring/membership.h"

#include <fmt/core.h>

#include <algorithm>

namespace beckon::service {

namespace {

constexpr Duration patience = std::chrono::seconds(4);

Error too_many_wait() {
  return {ErrorCode::unavailable, "too many wait for this already; ask without waiting"};
}

}  // namespace

const char* to_text(Membership::State state) {
  switch (state) {
    case Membership::State::idle:
      return "idle";
    case Membership::State::joining:
      return "joining";
    case Membership::State::joined:
      return "joined";
    case Membership::State::expelled:
      return "expelled";
    case Membership::State::leaving:
      return "leaving";
    case Membership::State::left:
      return "left";
  }
  return "idle";
}

Membership::Membership(Kernel& kernel, Options options) : kernel_(kernel), options_(options) {}

void Membership::set_state(State state) {
  if (state_ == state) return;
  state_ = state;
  kernel_.log(LogLevel::info, fmt::format("this node is {}", to_text(state)));
  kernel_.emit({"state", fmt::format("{{\"state\":\"{}\"}}", to_text(state))});
  if (state != State::joining) settle_waiters();
  if (state != State::left) return;
  for (auto& [number, done] : std::exchange(left_waiters_, {})) done();
}

// ---- getting on

Result<void> Membership::check_way_in(const Store& store, const Up& up) {
  auto peers = recall_peers(store);
  if (peers || up.create || !up.join.empty()) return {};
  return Error{
      ErrorCode::internal,
      fmt::format("the peers this node remembers cannot be read ({}), and without them it would "
                  "begin a second ring. To come back to its ring: beckon up --join HOST:PORT of a "
                  "node that is up. To begin a new one: beckon up --create",
                  peers.error().text)};
}

void Membership::stay_out(const Error& why) {
  kernel_.log(LogLevel::error, why.text);
  set_state(State::left);
}

void Membership::expel() {
  if (state_ == State::joining || state_ == State::joined) set_state(State::expelled);
}

void Membership::enter(const Up& up, RememberedPeers remembered) {
  up_ = up;
  remembered_ = std::move(remembered);
  had_peers_ = !remembered_.known.empty() || !remembered_.passive.empty();
  durable_peers_ = remembered_.known.size() + remembered_.passive.size();
  patience_ = kernel_.timer(patience, [this] {
    if (nobody_answers()) settle_waiters();
  });
  set_state(State::joining);
  kernel_.log(LogLevel::debug, "entering a ring",
              {{"join", std::to_string(up.join.size())},
               {"remembered", std::to_string(durable_peers_)},
               {"create", up.create ? "yes" : "no"}});
  if (up.create || (up.join.empty() && !had_peers_)) {
    founded_ = true;
    return kernel_.tell_ring(chord::Create{});
  }
  kernel_.tell_ring(chord::Join{up.join, remembered_.known, remembered_.passive});
}

void Membership::joined() {
  remember({kernel_.ring().known(), kernel_.ring().passive()}, [this] {
    if (state_ == State::joining) set_state(State::joined);
  });
}

void Membership::on_ring(const chord::Event& event) {
  if (const auto* mode = std::get_if<chord::ModeChanged>(&event)) {
    if (mode->to == chord::Mode::member && state_ == State::joining) joined();
    if (mode->to == chord::Mode::left) set_state(State::left);
  } else if (const auto* peers = std::get_if<chord::PeersToRemember>(&event)) {
    remember({peers->known, peers->passive}, [] {});
  } else if (std::holds_alternative<chord::SuccessorsChanged>(event)) {
    remember_soon();
  } else if (std::holds_alternative<chord::Superseded>(event)) {
    kernel_.log(LogLevel::error,
                "another process with this node's key is on the ring and started later: leaving it "
                "the place");
    set_state(State::left);
  }
}

/// An overlay whose every peer is gone from our tables is still one to come back to: an empty
/// list never replaces a list.
void Membership::remember(const RememberedPeers& peers, std::function<void()> then) {
  bool anybody = !peers.known.empty() || !peers.passive.empty();
  if (anybody) remembered_ = peers;
  had_peers_ = had_peers_ || anybody;
  if (!anybody) {
    kernel_.after(Duration::zero(), std::move(then));
    return;
  }
  std::size_t count = peers.known.size() + peers.passive.size();
  kernel_.write(to_mutations(peers), [this, count, then = std::move(then)](Result<void> result) {
    if (result) durable_peers_ = count;
    if (!result)
      kernel_.log(LogLevel::error, "cannot remember peers", {{"reason", result.error().text}});
    then();
  });
}

void Membership::remember_soon() {
  if (remember_ || state_ != State::joined) return;
  remember_ = kernel_.timer(options_.remember_gap, [this] {
    remember({kernel_.ring().known(), kernel_.ring().passive()}, [] {});
  });
}

void Membership::on_trouble(const std::string& address, const Error& why) {
  if (state_ != State::joining) return;
  if (troubles_.size() >= options_.troubles && !troubles_.contains(address)) return;
  troubles_[address] = why;
  if (nobody_answers()) settle_waiters();
}

// ---- waiting

bool Membership::nobody_answers() const {
  return !had_peers_ && !up_.join.empty() && !patience_ &&
         std::all_of(up_.join.begin(), up_.join.end(),
                     [this](const std::string& address) { return troubles_.contains(address); });
}

Result<std::uint64_t> Membership::when_settled(Duration timeout, Settled done) {
  std::uint64_t number = ++last_waiter_;
  if (state_ != State::joining || nobody_answers()) {
    done(state_);
    return number;
  }
  if (waiters_.size() >= options_.waiters) return too_many_wait();
  Timer until = kernel_.timer(std::min(timeout, options_.longest_wait),
                              [this, number] { give_up_waiting(number); });
  if (!until) return too_many_wait();
  waiters_[number] = {.done = std::move(done), .until = std::move(until)};
  return number;
}

void Membership::give_up_waiting(std::uint64_t waiter) {
  auto late = waiters_.extract(waiter);
  if (!late.empty()) late.mapped().done(state_);
}

void Membership::settle_waiters() {
  for (auto& [number, waiter] : std::exchange(waiters_, {})) waiter.done(state_);
}

void Membership::stop_waiting(std::uint64_t waiter) {
  waiters_.erase(waiter);
  left_waiters_.erase(waiter);
}

// ---- getting off

Result<std::uint64_t> Membership::when_left(std::function<void()> done) {
  std::uint64_t number = ++last_waiter_;
  if (state_ == State::left) {
    done();
    return number;
  }
  if (left_waiters_.size() >= options_.waiters) return too_many_wait();
  left_waiters_[number] = std::move(done);
  return number;
}

void Membership::leave() {
  if (state_ == State::leaving || state_ == State::left) return;
  const chord::RingNode& ring = kernel_.ring();
  bool member = ring.mode() == chord::Mode::member;
  bool expelled = state_ == State::expelled;
  set_state(State::leaving);
  if (!member) return set_state(State::left);
  kernel_.tell_ring(chord::BeginLeave{});
  if (expelled) return say_goodbye();
  kernel_.log(LogLevel::info, "handing over records before leaving");
  handed_over_ = !ring.successors().empty() || ring.predecessor().has_value();
  handing_over_ = hand_overs_.size() + 1;
  auto one_done = [this](bool complete) {
    if (handing_over_ == 0) return;
    handed_over_ = handed_over_ && complete;
    if (--handing_over_ > 0) return;
    if (handed_over_) kernel_.log(LogLevel::info, "records were handed over");
    say_goodbye();
  };
  for (const HandOver& hand_over : hand_overs_) hand_over(one_done);
  kernel_.after(options_.hand_over, [this] {
    if (handing_over_ == 0) return;
    handing_over_ = 0;
    handed_over_ = false;
    kernel_.log(LogLevel::warning, "handing over took too long; leaving all the same");
    say_goodbye();
  });
  one_done(true);
}

void Membership::say_goodbye() { kernel_.tell_ring(chord::LeaveNow{}); }

}  // namespace beckon::service
