// What a peer does with each message, and with requests that end: one small handler each.
#include <algorithm>

#include "chord/peer.h"
#include "chord/wire.h"

namespace beckon::chord {

namespace {

constexpr std::size_t max_notifiers = 64;

}  // namespace

void Peer::send(const PeerRef& to, const Message& message, std::uint64_t request, Output& out) {
  out.send.push_back({.peer = to,
                      .type = static_cast<std::uint8_t>(type_of(message)),
                      .request = request,
                      .body = encode(message)});
}

void Peer::ask(const PeerRef& peer, const Message& message, Purpose purpose, std::uint64_t number,
               Output& out, int attempt, Time first_sent) {
  OpenRequest request{
      .peer = peer,
      .type = static_cast<std::uint8_t>(type_of(message)),
      .tag = (static_cast<std::uint64_t>(purpose) << purpose_shift) | (number & number_mask),
      .attempt = attempt,
      .first_sent = first_sent == Time::min() ? now_.mono : first_sent,
      .sent = now_.mono,
      .expires = now_.mono + timeout(peer.id)};
  auto frame_number = requests_.add(request);
  if (!frame_number) return give_up(request, Maintenance::Failure::heard_meanwhile, out);
  send(peer, message, *frame_number, out);
}

/// The request of that type which a frame answers. An answer of another kind is the end of it too,
/// or what waits for it would wait for ever: nobody who keeps to the protocol sends one.
std::optional<Peer::OpenRequest> Peer::answered(const Frame& frame, MessageType asked,
                                                Output& out) {
  auto request = requests_.take(frame.request, frame.peer.id);
  if (!request) return std::nullopt;
  trips_.measured(frame.peer.id, now_.mono - request->sent, now_.mono);
  book_.answered_us(frame.peer.id, now_.mono);
  if (request->type == static_cast<std::uint8_t>(asked)) return request;
  give_up(*request, Maintenance::Failure::not_member, out);
  return std::nullopt;
}

/// Silence, a refused dial or a lost link. Ring pointers are only changed on a second failure; a
/// lookup moves on at the first, but for a lost link, which says nothing about its far end.
void Peer::request_failed(const OpenRequest& request, Output& out) {
  Purpose purpose = purpose_of(request);
  bool patient =
      purpose == Purpose::operation || purpose == Purpose::rectify || purpose == Purpose::flush;
  if (trips_.dead(request.peer.id)) now_dead(request.peer);
  int attempts = patient ? options_.dead_after : request.link_lost ? 2 : 1;
  if (request.attempt < attempts && ask_again(request, purpose, out)) return;
  bool alive = trips_.heard_since(request.peer.id, request.first_sent);
  if (patient && !alive) {
    trips_.declare_dead(request.peer.id, now_.mono);
    now_dead(request.peer);
  }
  give_up(request, alive ? Maintenance::Failure::heard_meanwhile : Maintenance::Failure::dead, out);
}

/// The same question once more; false if nobody waits for its answer any longer.
bool Peer::ask_again(const OpenRequest& request, Purpose purpose, Output& out) {
  std::uint64_t number = number_of(request);
  Message again = StateRequest{};
  switch (purpose) {
    case Purpose::operation:
      break;
    case Purpose::rectify:
    case Purpose::flush:
      again.emplace<Ping>(Ping{.nonce = rng_.next()});
      break;
    case Purpose::lookup_next:
    case Purpose::lookup_state: {
      auto open = lookups_.find(number);
      if (open == lookups_.end()) return false;
      if (purpose == Purpose::lookup_next) again = NextRequest{open->second.lookup.key()};
      break;
    }
    default:
      return false;
  }
  ask(request.peer, again, purpose, number, out, request.attempt + 1, request.first_sent);
  return true;
}

void Peer::give_up(const OpenRequest& request, Maintenance::Failure failure, Output& out) {
  std::uint64_t number = number_of(request);
  bool dead = failure == Maintenance::Failure::dead;
  switch (purpose_of(request)) {
    case Purpose::operation:
      if (maintenance_.busy()) obey(maintenance_.op_failed(failure), out);
      return;
    case Purpose::rectify:
      obey(maintenance_.rectify_done(failure == Maintenance::Failure::heard_meanwhile, dead), out);
      return;
    case Purpose::flush:
      if (failure == Maintenance::Failure::heard_meanwhile) return;
      maintenance_.flush(request.peer.id);
      return;
    case Purpose::lookup_next:
    case Purpose::lookup_state:
      if (auto open = lookups_.find(number); open != lookups_.end()) {
        open->second.lookup.failed(request.peer.id, dead);
        drive(number, out);
      }
      return;
    case Purpose::verify:
      if (auto waiting = verifying_.extract(number); !waiting.empty()) {
        verified(waiting.mapped(), nullptr, out);
      }
      return;
    case Purpose::user_ping:
      out.events.emplace_back(PingDone{.tag = number,
                                       .peer = request.peer,
                                       .busy = failure == Maintenance::Failure::heard_meanwhile});
      return;
    case Purpose::check_entry:
    case Purpose::leave:
      return;
  }
}

void Peer::on(const Frame& frame, const StateRequest&, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::state, now_.mono)) {
    return send(frame.peer, ErrorReply{WireError::rate, 1000}, frame.request, out);
  }
  send(frame.peer, maintenance_.state(epoch_), frame.request, out);
}

void Peer::on(const Frame& frame, const StateReply& reply, Output& out) {
  auto request = answered(frame, MessageType::state_req, out);
  if (!request) return;
  std::uint64_t number = number_of(*request);
  Purpose purpose = purpose_of(*request);
  if (purpose == Purpose::operation && maintenance_.busy()) {
    obey(maintenance_.op_answered(frame.peer, reply), out);
  } else if (purpose == Purpose::lookup_state && lookups_.contains(number)) {
    lookups_.at(number).lookup.state_answered(frame.peer, reply);
    drive(number, out);
  } else if (purpose == Purpose::verify) {
    if (auto waiting = verifying_.extract(number); !waiting.empty()) {
      verified(waiting.mapped(), &reply, out);
    }
  }
}

void Peer::on(const Frame& frame, const Notify&, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::notify, now_.mono)) return;
  if (notifiers_.size() >= max_notifiers && !notifiers_.contains(frame.peer.id)) {
    notifiers_.erase(std::min_element(notifiers_.begin(), notifiers_.end(), [](auto& a, auto& b) {
      return a.second.second < b.second.second;
    }));
  }
  notifiers_.insert_or_assign(frame.peer.id, std::pair{frame.peer, now_.mono});
  obey(maintenance_.notified(frame.peer), out);
}

void Peer::on(const Frame& frame, const NextRequest& request, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::next, now_.mono)) {
    return send(frame.peer, ErrorReply{WireError::rate, 1000}, frame.request, out);
  }
  std::vector<PeerRef> fingers = fingers_.distinct();
  std::erase_if(fingers, [&](const PeerRef& peer) { return trips_.dead(peer.id); });
  NextReply reply{.mode = mode(), .predecessor = predecessor(), .successors = successors()};
  reply.closer = closest_before(self().id, request.key, std::move(fingers), max_closer_entries);
  send(frame.peer, reply, frame.request, out);
}

void Peer::on(const Frame& frame, const NextReply& reply, Output& out) {
  auto request = answered(frame, MessageType::next_req, out);
  if (!request) return;
  if (mode() == Mode::joining && reply.mode == Mode::joining) {
    note_joining(frame.peer.id);
  } else if (reply.mode == Mode::member) {
    join_since_ = now_.mono;  // there is a ring; patience
  }
  auto open = lookups_.find(number_of(*request));
  if (open == lookups_.end()) return;
  open->second.lookup.next_answered(frame.peer, reply);
  drive(open->first, out);
}

/// Kept for as many as we remember; of more, those heard of last.
void Peer::note_joining(const Id& peer) {
  if (joining_too_.size() >= options_.known_peers && !joining_too_.contains(peer)) {
    joining_too_.erase(std::min_element(joining_too_.begin(), joining_too_.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; }));
  }
  joining_too_[peer] = now_.mono;
}

void Peer::on(const Frame& frame, const Ping& ping, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::ping, now_.mono)) {
    return send(frame.peer, ErrorReply{WireError::rate, 1000}, frame.request, out);
  }
  send(frame.peer, Pong{.nonce = ping.nonce, .mode = mode()}, frame.request, out);
}

void Peer::on(const Frame& frame, const Pong& answer, Output& out) {
  if (auto request = answered(frame, MessageType::ping, out)) pong(*request, answer.mode, out);
}

void Peer::pong(const OpenRequest& request, Mode mode, Output& out) {
  Purpose purpose = purpose_of(request);
  if (purpose == Purpose::rectify) {
    obey(maintenance_.rectify_done(mode == Mode::member, false), out);
  } else if (purpose == Purpose::flush && mode != Mode::member) {
    maintenance_.flush(request.peer.id);
  } else if (purpose == Purpose::user_ping) {
    out.events.emplace_back(PingDone{
        .tag = number_of(request), .peer = request.peer, .round_trip = now_.mono - request.sent});
  }
}

void Peer::on(const Frame& frame, const Leave& leave, Output& out) {
  if (leave.epoch < links_.at(frame.peer.id)) return;
  send(frame.peer, LeaveAck{}, frame.request, out);
  trips_.declare_dead(frame.peer.id, now_.mono);
  fingers_.drop(frame.peer.id);
  cache_.drop(frame.peer.id);
  if (predecessor() && predecessor()->id == frame.peer.id) next_check_ = now_.mono;
  if (!successors().empty() && successors().front().id == frame.peer.id) stabilize_soon();
}

void Peer::on(const Frame& frame, const LeaveAck&, Output& out) {
  if (!answered(frame, MessageType::leave, out)) return;
  leave_acks_.insert(frame.peer.id);
  bool by_predecessor = !predecessor() || leave_acks_.contains(predecessor()->id);
  bool by_successor = successors().empty() || leave_acks_.contains(successors().front().id);
  if (by_predecessor && by_successor) leave_by_ = now_.mono;
}

void Peer::on(const Frame& frame, const ErrorReply& error, Output& out) {
  auto request = requests_.take(frame.request, frame.peer.id);
  if (!request) return;
  trips_.measured(frame.peer.id, now_.mono - request->sent, now_.mono);
  bool busy = error.code == WireError::rate;
  give_up(*request, busy ? Maintenance::Failure::heard_meanwhile : Maintenance::Failure::not_member,
          out);
}

}  // namespace beckon::chord
