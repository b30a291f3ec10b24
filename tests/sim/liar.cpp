// SPDX-License-Identifier: MIT
#include "tests/sim/liar.h"

#include <algorithm>

#include "chord/wire.h"

namespace beckon::sim {

using service::FrameType;
using service::raw;

Actions Liar::lie(Actions actions) {
  if (!factory_.lying) return actions;
  std::erase_if(actions.send, [&](Frame& frame) { return !alter(frame); });
  return actions;
}

bool Liar::alter(Frame& frame) {
  using chord::MessageType;
  bool about_ring = frame.type == static_cast<std::uint8_t>(MessageType::state_rep) ||
                    frame.type == static_cast<std::uint8_t>(MessageType::next_rep);
  bool answer = about_ring || service::is_reply(frame.type);
  if (!answer) return true;  // it wants to stay in the ring
  switch (rng_.below(4)) {
    case 0:
      return false;
    case 1:
      if (about_ring) {
        frame.type = static_cast<std::uint8_t>(MessageType::error);
        frame.body = chord::encode(chord::ErrorReply{Status::not_member, 0});
        return true;
      }
      [[fallthrough]];
    default:
      if (about_ring) alter_ring(frame);
      if (frame.type == raw(FrameType::get_rep)) alter_records(frame);
      return true;
  }
}

std::vector<PeerRef> Liar::fellows(const Id& after) {
  std::vector<PeerRef> out = factory_.liars();
  std::erase_if(out, [&](const PeerRef& peer) { return peer.id == node_->ring().self().id; });
  std::sort(out.begin(), out.end(),
            [&](const PeerRef& a, const PeerRef& b) { return a.id - after < b.id - after; });
  return out;
}

/// Well formed and in order, so that only asking elsewhere can tell it from the truth.
void Liar::alter_ring(Frame& frame) {
  auto message = chord::decode(frame.type, frame.body);
  ENSURE(message.has_value());
  const Id& self = node_->ring().self().id;
  std::vector<PeerRef> list = fellows(self);
  if (list.size() > node_->ring().options().list_length) {
    list.resize(node_->ring().options().list_length);
  }
  std::optional<PeerRef> before;
  if (!list.empty()) before = list.back();
  if (auto* state = std::get_if<chord::StateReply>(&*message)) {
    state->predecessor = before;
    state->successors = list;
    frame.body = chord::encode(*state);
  } else if (auto* next = std::get_if<chord::NextReply>(&*message)) {
    next->predecessor = before;
    next->successors = list;
    next->closer.clear();
    frame.body = chord::encode(*next);
  }
}

void Liar::alter_records(Frame& frame) {
  auto reply = service::decode<service::GetReply>(frame.body);
  if (!reply) return;
  switch (rng_.below(4)) {
    case 0:
      reply->items.clear();
      break;
    case 1:
      for (Bytes& item : reply->items) rng_.fill(item);
      break;
    case 2:
      for (Bytes& item : reply->items) {
        if (!item.empty()) item[rng_.below(item.size())] ^= 1;
      }
      break;
    default:  // genuine, but filed elsewhere
      reply->items.clear();
      node_->service().replicas().table().each(
          chord::Arc{.after = frame.peer.id, .upto = frame.peer.id},
          [&](const service::Item& item) {
            reply->items.push_back(item.bytes);
            return reply->items.size() < 2;
          });
  }
  frame.body = service::encode(*reply);
}

}  // namespace beckon::sim
