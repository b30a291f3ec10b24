#include "node/service/admission/membership.h"

#include <fmt/core.h>

#include <algorithm>

namespace beckon::service {

namespace {

constexpr Duration patience = std::chrono::seconds(4);

}  // namespace

const char* to_text(Membership::State state) {
  switch (state) {
    case Membership::State::idle:
      return "idle";
    case Membership::State::joining:
      return "joining";
    case Membership::State::joined:
      return "joined";
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
  for (auto& done : std::exchange(left_waiters_, {})) done();
}

// ---- getting on

void Membership::enter(const Up& up, RememberedPeers remembered) {
  up_ = up;
  remembered_ = std::move(remembered);
  had_peers_ = !remembered_.known.empty() || !remembered_.passive.empty();
  durable_peers_ = remembered_.known.size() + remembered_.passive.size();
  entered_ = kernel_.now().mono;
  set_state(State::joining);
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
  if (!anybody) return kernel_.after(Duration::zero(), std::move(then));
  std::size_t count = peers.known.size() + peers.passive.size();
  kernel_.write(to_mutations(peers), [this, count, then = std::move(then)](Result<void> result) {
    if (result) durable_peers_ = count;
    if (!result) kernel_.log(LogLevel::error, "cannot remember peers: " + result.error().text);
    then();
  });
}

void Membership::remember_soon() {
  if (remember_pending_ || state_ != State::joined) return;
  remember_pending_ = true;
  kernel_.after(options_.remember_gap, [this] {
    remember_pending_ = false;
    remember({kernel_.ring().known(), kernel_.ring().passive()}, [] {});
  });
}

void Membership::on_trouble(const std::string& address, const Error& why) {
  if (state_ != State::joining) return;
  if (troubles_.size() >= options_.troubles && !troubles_.contains(address)) return;
  troubles_[address] = why;
}

// ---- waiting

bool Membership::nobody_answers() const {
  return !had_peers_ && !up_.join.empty() && kernel_.now().mono - entered_ >= patience &&
         std::all_of(up_.join.begin(), up_.join.end(),
                     [this](const std::string& address) { return troubles_.contains(address); });
}

void Membership::when_settled(Duration timeout, Settled done) {
  std::uint64_t number = ++last_waiter_;
  waiters_[number] = std::move(done);
  auto fire = [this, number] {
    auto waiter = waiters_.extract(number);
    if (!waiter.empty()) waiter.mapped()(state_);
  };
  kernel_.after(timeout, fire);
  if (state_ != State::joining) return kernel_.after(Duration::zero(), fire);
  Duration since = kernel_.now().mono - entered_;
  kernel_.after(std::max(patience - since, Duration::zero()), [this] {
    if (nobody_answers()) settle_waiters();
  });
}

void Membership::settle_waiters() {
  for (auto& [number, done] : std::exchange(waiters_, {})) done(state_);
}

// ---- getting off

void Membership::when_left(std::function<void()> done) {
  if (state_ == State::left) return done();
  left_waiters_.push_back(std::move(done));
}

void Membership::leave() {
  if (state_ == State::leaving || state_ == State::left) return;
  bool member = kernel_.ring().mode() == chord::Mode::member;
  set_state(State::leaving);
  if (!member) return set_state(State::left);
  kernel_.tell_ring(chord::BeginLeave{});
  handing_over_ = hand_overs_.size() + 1;
  auto one_done = [this] {
    if (handing_over_ > 0 && --handing_over_ == 0) say_goodbye();
  };
  for (const HandOver& hand_over : hand_overs_) hand_over(one_done);
  kernel_.after(options_.hand_over, [this] {
    if (handing_over_ == 0) return;
    handing_over_ = 0;
    kernel_.log(LogLevel::warning, "handing over took too long; leaving all the same");
    say_goodbye();
  });
  one_done();
}

void Membership::say_goodbye() { kernel_.tell_ring(chord::LeaveNow{}); }

}  // namespace beckon::service
