// SPDX-License-Identifier: MIT
// What a node does with each message, and with requests that end: one small handler each.
#include <algorithm>

#include "chord/ring_node.h"
#include "chord/wire.h"

namespace beckon::chord {

void RingNode::send(const PeerRef& to, const Message& message, std::uint64_t request, Output& out) {
  out.send.push_back({.peer = to,
                      .type = static_cast<std::uint8_t>(type_of(message)),
                      .request = request,
                      .body = encode(message)});
}

void RingNode::ask(const PeerRef& peer, const Message& message, const Purpose& purpose, Output& out,
                   int attempt, Time first_sent) {
  OpenRequest request{.peer = peer,
                      .type = static_cast<std::uint8_t>(type_of(message)),
                      .purpose = purpose,
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
std::optional<RingNode::OpenRequest> RingNode::answered(const Frame& frame, MessageType asked,
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
void RingNode::request_failed(const OpenRequest& request, Output& out) {
  bool patient = request.purpose.of_pointers();
  if (trips_.dead(request.peer.id)) now_dead(request.peer);
  int attempts = patient ? options_.dead_after : request.link_lost ? 2 : 1;
  if (request.attempt < attempts && ask_again(request, out)) return;
  bool alive = trips_.heard_since(request.peer.id, request.first_sent);
  if (patient && !alive) {
    bool was_dead = trips_.dead(request.peer.id);
    trips_.declare_dead(request.peer.id, now_.mono);
    tell_dead(request.peer, was_dead, "is silent", out);
    now_dead(request.peer);
  }
  give_up(request, alive ? Maintenance::Failure::heard_meanwhile : Maintenance::Failure::dead, out);
}

/// The same question once more; false if nobody waits for its answer any longer.
bool RingNode::ask_again(const OpenRequest& request, Output& out) {
  std::optional<Message> again;
  if (request.purpose.kind == Purpose::operation) {
    again = StateRequest{};
  } else if (request.purpose.of_pointers()) {
    again = Ping{.nonce = rng_.next()};
  } else if (request.purpose.of_lookup()) {
    again = lookups_.message(request.purpose);
  }
  if (again)
    ask(request.peer, *again, request.purpose, out, request.attempt + 1, request.first_sent);
  return again.has_value();
}

void RingNode::give_up(const OpenRequest& request, Maintenance::Failure failure, Output& out) {
  bool dead = failure == Maintenance::Failure::dead;
  switch (request.purpose.kind) {
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
    case Purpose::verify:
      return obey(lookups_.failed(request.purpose, request.peer.id, dead, view()), out);
    case Purpose::user_ping:
      out.events.emplace_back(PingDone{.tag = request.purpose.number,
                                       .peer = request.peer,
                                       .busy = failure == Maintenance::Failure::heard_meanwhile});
      return;
    case Purpose::check_entry:
    case Purpose::leave:
      return;
  }
}

/// A message of a later version. Whoever asks learns that we cannot; the link stays, or one new
/// message would cut the ring.
void RingNode::pass_over(const Frame& frame, Output& out) {
  ++unknown_;
  out.log.push_back({LogLevel::debug,
                     "passed over a message that this version does not know",
                     {{"peer", frame.peer.id.brief()}, {"type", std::to_string(frame.type)}}});
  if (frame.request == 0) return;
  if (!is_reply(frame.type))
    return send(frame.peer, ErrorReply{Status::unsupported}, frame.request, out);
  if (auto request = requests_.take(frame.request, frame.peer.id))
    give_up(*request, Maintenance::Failure::not_member, out);
}

void RingNode::on(const Frame& frame, const StateRequest&, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::state, now_.mono)) {
    return send(frame.peer, ErrorReply{Status::rate, 1000}, frame.request, out);
  }
  send(frame.peer, maintenance_.state(epoch_), frame.request, out);
}

void RingNode::on(const Frame& frame, const StateReply& reply, Output& out) {
  auto request = answered(frame, MessageType::state_req, out);
  if (!request) return;
  if (request->purpose.kind != Purpose::operation) {
    obey(lookups_.answered(request->purpose, frame.peer, reply, view()), out);
  } else if (maintenance_.busy()) {
    obey(maintenance_.op_answered(frame.peer, reply), out);
  }
}

void RingNode::on(const Frame& frame, const Notify&, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::notify, now_.mono)) return;
  farewell_.notified(frame.peer, now_.mono);
  obey(maintenance_.notified(frame.peer), out);
}

void RingNode::on(const Frame& frame, const NextRequest& request, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::next, now_.mono)) {
    return send(frame.peer, ErrorReply{Status::rate, 1000}, frame.request, out);
  }
  std::vector<PeerRef> fingers = fingers_.distinct();
  std::erase_if(fingers, [&](const PeerRef& peer) { return trips_.dead(peer.id); });
  NextReply reply{.mode = mode(), .predecessor = predecessor(), .successors = successors()};
  reply.closer = closest_before(self().id, request.key, std::move(fingers), max_closer_entries);
  send(frame.peer, reply, frame.request, out);
}

void RingNode::on(const Frame& frame, const NextReply& reply, Output& out) {
  auto request = answered(frame, MessageType::next_req, out);
  if (!request) return;
  if (mode() == Mode::joining) joining_.heard(frame.peer.id, reply.mode, now_.mono);
  obey(lookups_.answered(request->purpose, frame.peer, reply, view()), out);
}

void RingNode::on(const Frame& frame, const Ping& ping, Output& out) {
  if (!rates_.allow(frame.peer.id, Rates::ping, now_.mono)) {
    return send(frame.peer, ErrorReply{Status::rate, 1000}, frame.request, out);
  }
  send(frame.peer, Pong{.nonce = ping.nonce, .mode = mode()}, frame.request, out);
}

void RingNode::on(const Frame& frame, const Pong& answer, Output& out) {
  if (auto request = answered(frame, MessageType::ping, out)) pong(*request, answer.mode, out);
}

void RingNode::pong(const OpenRequest& request, Mode mode, Output& out) {
  const auto& [purpose, number] = request.purpose;
  if (purpose == Purpose::rectify) {
    obey(maintenance_.rectify_done(mode == Mode::member, false), out);
  } else if (purpose == Purpose::flush && mode != Mode::member) {
    maintenance_.flush(request.peer.id);
  } else if (purpose == Purpose::user_ping) {
    out.events.emplace_back(
        PingDone{.tag = number, .peer = request.peer, .round_trip = now_.mono - request.sent});
  }
}

void RingNode::on(const Frame& frame, const Leave& leave, Output& out) {
  if (leave.epoch < links_.all().at(frame.peer.id)) return;
  send(frame.peer, LeaveAck{}, frame.request, out);
  trips_.declare_dead(frame.peer.id, now_.mono);
  out.log.push_back({LogLevel::info,
                     "a peer says that it leaves",
                     {{"peer", frame.peer.id.brief()}, {"address", frame.peer.address}}});
  fingers_.drop(frame.peer.id);
  lookups_.drop(frame.peer.id);
  if (predecessor() && predecessor()->id == frame.peer.id) rounds_.check_predecessor_at(now_.mono);
  if (!successors().empty() && successors().front().id == frame.peer.id)
    rounds_.stabilize_soon(now_.mono);
}

void RingNode::on(const Frame& frame, const LeaveAck&, Output& out) {
  if (!answered(frame, MessageType::leave, out)) return;
  farewell_.acknowledged(frame.peer.id, maintenance_, now_.mono);
}

void RingNode::on(const Frame& frame, const ErrorReply& error, Output& out) {
  auto request = requests_.take(frame.request, frame.peer.id);
  if (!request) return;
  trips_.measured(frame.peer.id, now_.mono - request->sent, now_.mono);
  bool busy = error.code == Status::rate;
  give_up(*request, busy ? Maintenance::Failure::heard_meanwhile : Maintenance::Failure::not_member,
          out);
}

}  // namespace beckon::chord
