// SPDX-License-Identifier: MIT
#include "node/service/kernel/kernel.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

namespace {

constexpr std::uint8_t first_service_type = 0x20;
constexpr auto clock_jump = std::chrono::seconds(2);  // more than any slewing does

Error unavailable(std::string text) { return {ErrorCode::unavailable, std::move(text)}; }

Result<Owner> owner_of(const chord::LookupDone& done) {
  switch (done.outcome) {
    case chord::LookupOutcome::found:
      return Owner{.owner = done.owner,
                   .successors = done.successors,
                   .contacts = done.contacts,
                   .remembered = done.from_cache && done.contacts == 0};
    case chord::LookupOutcome::timed_out:
      return unavailable("the lookup ran out of time");
    case chord::LookupOutcome::ring_unreachable:
      return unavailable("no peer of the ring answers");
  }
  return unavailable("the lookup failed");
}

}  // namespace

Kernel::Kernel(const Options& options, PeerRef self, std::uint64_t epoch, const Store& store,
               const Seeds& seeds)
    : options_(options),
      store_(store),
      rng_(Rng(seeds.chance).split("service")),
      secrets_(seeds.secrets),
      ring_(options.ring, std::move(self), epoch, Rng(seeds.chance).split("ring")),
      rpc_(options.rpc, epoch),
      inbound_(options.inbound),
      request_gate_(*this, "requests", options.requests),
      timers_(options.max_timers) {}

void Kernel::begin(Now now) {
  watch_clocks(now);
  now_ = now;
  for (Frame& frame : std::exchange(to_self_, {})) receive(std::move(frame));
}

/// Expiry and credentials follow the wall clock, so whoever asks why they ended must see that it
/// was set, or that the machine slept: the monotonic clock stands still then.
void Kernel::watch_clocks(const Now& now) {
  if (now_.mono == Time{}) return;  // the first input
  auto by = std::chrono::duration_cast<std::chrono::milliseconds>(Duration(now.wall - now_.wall) -
                                                                  (now.mono - now_.mono));
  if (by < clock_jump && by > -clock_jump) return;
  log(LogLevel::warning, "the clock jumped: it was set, or this machine slept",
      {{"by_seconds", fmt::format("{:+.1f}", static_cast<double>(by.count()) / 1000)}});
}

// ---- the ring

void Kernel::feed(chord::Output output) {
  auto move_all = [](auto& from, auto& to) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  };
  move_all(output.send, sent_.send);
  move_all(output.dial, sent_.dial);
  move_all(output.close, sent_.close);
  move_all(output.log, log_);
  ring_wake_ = output.wake_at;
  for (chord::Event& event : output.events) {
    if (auto* lookup = std::get_if<chord::LookupDone>(&event)) {
      auto found = traces_.extract(lookup->tag);
      if (!found.empty())
        defer([done = std::move(found.mapped()), answer = *lookup] { done(answer); });
    } else if (auto* ping = std::get_if<chord::PingDone>(&event)) {
      auto found = pings_.extract(ping->tag);
      if (!found.empty())
        defer([done = std::move(found.mapped()), answer = *ping] { done(answer); });
    } else {
      ring_events_.push_back(std::move(event));
    }
  }
}

void Kernel::tell_ring(const chord::Command& command) { feed(ring_.start(command, now_)); }

void Kernel::trace(const Id& key, chord::Freshness freshness, TraceDone done) {
  std::uint64_t tag = ++last_tag_;
  ++counters_.lookups;
  traces_[tag] = [this, done = std::move(done)](const chord::LookupDone& answer) {
    counters_.lookup_contacts += answer.contacts;
    if (answer.outcome != chord::LookupOutcome::found) ++counters_.lookups_failed;
    done(answer);
  };
  tell_ring(chord::FindOwner{.tag = tag, .key = key, .freshness = freshness});
}

void Kernel::lookup(const Id& key, OwnerDone done) {
  trace(key, chord::Freshness::verified,
        [done = std::move(done)](const chord::LookupDone& answer) { done(owner_of(answer)); });
}

void Kernel::recall(const Id& key, OwnerDone done) {
  trace(key, chord::Freshness::cached,
        [done = std::move(done)](const chord::LookupDone& answer) { done(owner_of(answer)); });
}

void Kernel::ping(const PeerRef& peer, PingDone done) {
  std::uint64_t tag = ++last_tag_;
  pings_[tag] = std::move(done);
  tell_ring(chord::PingPeer{.tag = tag, .peer = peer});
}

// ---- requests

void Kernel::complete(Rpc::Done done, Result<Frame> result) {
  defer(
      [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
}

Duration Kernel::timeout_for(const Id& peer, Duration asked) const {
  if (asked > Duration::zero()) return std::min(asked, options_.greatest_timeout);
  return std::clamp(4 * ring_.rto(peer), options_.least_timeout, options_.greatest_timeout);
}

void Kernel::ask(const PeerRef& to, std::uint8_t type, Bytes body, Duration timeout,
                 ReplyDone done) {
  ENSURE(type >= first_service_type && !is_reply(type));
  ENSURE(body.size() <= chord::max_frame_body);
  ++counters_.asked;
  auto number =
      rpc_.open(to.id, now_.mono + timeout_for(to.id, timeout), std::move(done), now_.mono);
  if (!number) {
    return complete(std::move(done),
                    unavailable(fmt::format("too many requests are open to {}", to.id.brief())));
  }
  deliver({.peer = to, .type = type, .request = *number, .body = std::move(body)});
}

/// To a peer by the network; to ourselves as an input of its own. What we ask ourselves waits for
/// the next step, when what others are asked is on its way.
void Kernel::deliver(Frame frame) {
  if (frame.peer.id != self().id) return sent_.send.push_back(std::move(frame));
  frame.peer = self();
  if (!is_reply(frame.type)) return to_self_.push_back(std::move(frame));
  defer([this, frame = std::move(frame)]() mutable { receive(std::move(frame)); });
}

void Kernel::reply(const Request& request, std::uint8_t type, Bytes body) {
  ENSURE(body.size() <= chord::max_frame_body);
  if (!inbound_.answered(request.from.id, request.number)) return;
  deliver({.peer = request.from, .type = type, .request = request.number, .body = std::move(body)});
}

void Kernel::refuse(const Request& request, const Error& error) {
  if (inbound_.answered(request.from.id, request.number))
    send_error(request.from, request.number, kind_of(error.code).status, error.text);
}

void Kernel::send_error(const PeerRef& to, std::uint64_t number, Status status,
                        const std::string& text) {
  ++counters_.refused;
  log(LogLevel::debug, "refused a request of a peer",
      {{"peer", to.id.brief()}, {"status", to_error(status).text}});
  std::uint32_t wait = status == Status::rate || status == Status::unavailable ? 1000 : 0;
  deliver({.peer = to,
           .type = raw(FrameType::error),
           .request = number,
           .body = encode(
               ErrorBody{.status = status, .retry_after_ms = wait, .text = printable(text, 200)})});
}

void Kernel::serve(std::uint8_t type, Handler handler) {
  ENSURE(type > first_service_type && !is_reply(type));
  ENSURE(handlers_.emplace(type, std::move(handler)).second);
}

void Kernel::receive(Frame frame) {
  if (frame.type < first_service_type) return feed(ring_.receive(frame, now_));
  return is_reply(frame.type) ? receive_reply(std::move(frame)) : receive_request(std::move(frame));
}

void Kernel::receive_reply(Frame frame) {
  auto answered = rpc_.answered(frame.peer.id, frame.request);
  if (!answered) return;  // late, or never asked
  ++counters_.answered;
  if (frame.peer.id != self().id) reply_times_.observe(now_.mono - answered->asked);
  Rpc::Done& done = answered->done;
  if (frame.type != raw(FrameType::error)) return complete(std::move(done), std::move(frame));
  auto body = decode<ErrorBody>(frame.body);
  if (!body) return complete(std::move(done), body.error());
  Error error = to_error(body->status);
  log(LogLevel::debug, "a peer refused a request",
      {{"peer", frame.peer.id.brief()}, {"status", error.text}});
  if (!body->text.empty()) error.text = printable(body->text, 300);
  complete(std::move(done), error);
}

void Kernel::receive_request(Frame frame) {
  if (!request_gate_.admit(frame.peer.id)) {
    return send_error(frame.peer, frame.request, Status::rate, "too many requests in a short time");
  }
  auto handler = handlers_.find(frame.type);
  bool unknown = handler == handlers_.end();
  if (unknown) ++counters_.unknown;
  if (unknown && frame.request == 0) return;  // nobody waits for an answer
  auto verdict = inbound_.accept(frame.peer.id, frame.request);
  if (verdict == Inbound::Verdict::repeated) return;
  if (verdict == Inbound::Verdict::too_many) {
    return send_error(frame.peer, frame.request, Status::rate, "too many requests are open");
  }
  if (unknown) {
    inbound_.answered(frame.peer.id, frame.request);
    return send_error(frame.peer, frame.request, Status::unsupported, "unknown request");
  }
  ++counters_.served;
  handler->second({frame.peer, frame.type, frame.request, std::move(frame.body)});
}

void Kernel::fail_all(std::vector<Rpc::Done> waiting, const Error& error) {
  for (Rpc::Done& done : waiting) complete(std::move(done), error);
}

// ---- links

void Kernel::link_up(const chord::LinkUp& link) { feed(ring_.link_up(link, now_)); }

void Kernel::link_down(const Id& peer) {
  feed(ring_.link_down(peer, now_));
  auto waiting = rpc_.failed(peer);
  counters_.failed += waiting.size();
  fail_all(std::move(waiting), unavailable(fmt::format("the link to {} broke", peer.brief())));
  inbound_.gone(peer);
}

void Kernel::refused_as_older(const PeerRef& by, const std::string& later_at) {
  feed(ring_.refused_as_older(by, later_at, now_));
}

void Kernel::unreachable(const PeerRef& peer) {
  bool known_id = peer.id != Id{};
  feed(known_id ? ring_.unreachable(peer, now_) : ring_.unreachable(peer.address, now_));
  if (!known_id) return;
  auto waiting = rpc_.failed(peer.id);
  counters_.failed += waiting.size();
  fail_all(std::move(waiting),
           unavailable(fmt::format("{} does not answer", printable(peer.address))));
}

// ---- writes and timers

void Kernel::write(std::vector<Mutation> mutations, WriteDone done) {
  ++counters_.writes;
  if (writes_.size() >= options_.max_writes) {
    ++counters_.writes_failed;
    return defer(
        [done = std::move(done)] { done(unavailable("too many writes wait for the disk")); });
  }
  std::uint64_t token = ++last_tag_;
  writes_[token] = std::move(done);
  sent_.writes.push_back({token, std::move(mutations)});
}

void Kernel::written(std::uint64_t token, Result<void> result) {
  auto found = writes_.extract(token);
  ENSURE(!found.empty());
  if (!result) {
    ++counters_.writes_failed;
    log(LogLevel::error, "the database did not take a write", {{"reason", result.error().text}});
  }
  defer([done = std::move(found.mapped()), result = std::move(result)] { done(result); });
}

TimerId Kernel::set_timer(Duration delay, Timers::Action action) {
  bool at_once = delay <= Duration::zero();
  TimerId id =
      at_once ? timers_.hold(std::move(action)) : timers_.set(now_.mono + delay, std::move(action));
  if (id == 0 && counters_.timers_refused++ == 0)
    log(LogLevel::error, "too many timers are set; some work of this node will not be done");
  if (id != 0 && at_once) run_timer(id);
  return id;
}

/// When its turn comes in settle(), unless it is cancelled before.
void Kernel::run_timer(TimerId id) {
  defer([this, id] {
    if (auto action = timers_.take(id)) action();
  });
}

void Kernel::tick() {
  if (now_.mono >= ring_wake_) feed(ring_.tick(now_));
  auto late = rpc_.expired(now_.mono);
  counters_.expired += late.size();
  fail_all(std::move(late), unavailable("no answer in time"));
  for (TimerId id : timers_.due(now_.mono)) run_timer(id);
}

void Kernel::settle() {
  for (std::size_t i = 0; i < options_.work_per_step && !ready_.empty(); ++i) {
    auto action = std::move(ready_.front());
    ready_.pop_front();
    action();
  }
}

Time Kernel::wake_at() const {
  if (!ready_.empty() || !to_self_.empty()) return now_.mono;
  return std::min({ring_wake_, rpc_.next_deadline(), timers_.next()});
}

Kernel::Sent Kernel::take() {
  sent_.log = std::exchange(log_, {});
  return std::exchange(sent_, {});
}

}  // namespace beckon::service
