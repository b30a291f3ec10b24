// SPDX-License-Identifier: MIT
// What a node does when told: the handlers of RingNode::start.
#include "chord/ring_node.h"
#include "chord/wire.h"

namespace beckon::chord {

void RingNode::on(const Create&, Output& out) {
  if (mode() != Mode::idle) {
    out.log.push_back({LogLevel::warning, "create refused: this peer has started already"});
    return;
  }
  maintenance_.create();
}

void RingNode::on(const Join& join, Output& out) {
  if (mode() != Mode::idle) {
    out.log.push_back({LogLevel::warning, "join refused: this peer has started already"});
    return;
  }
  maintenance_.begin_join();
  book_.set_seeds(join.seeds);
  for (const PeerRef& peer : join.remembered) {
    if (peer.id != self().id) book_.add_known(peer, now_.mono);
  }
  for (const PeerRef& peer : join.passive) {
    if (peer.id != self().id) book_.add_passive(peer, now_.mono);
  }
  joining_.begin(!join.remembered.empty(), now_.mono);
}

void RingNode::on(const BeginLeave&, Output&) {
  if (mode() == Mode::idle) return maintenance_.left();
  maintenance_.begin_leave();
  joining_.end();
}

void RingNode::on(const LeaveNow&, Output& out) {
  if (mode() == Mode::left) return;
  if (mode() == Mode::idle) return maintenance_.left();
  maintenance_.begin_leave();
  joining_.end();
  for (const auto& [id, peer] : farewell_.begin(maintenance_, now_.mono)) {
    ask(peer, Leave{.epoch = epoch_}, {Purpose::leave}, out);
  }
}

void RingNode::on(const FindOwner& find, Output& out) { obey(lookups_.find(find, view()), out); }

void RingNode::on(const PingPeer& ping, Output& out) {
  ask(ping.peer, Ping{.nonce = rng_.next()}, {Purpose::user_ping, ping.tag}, out);
}

void RingNode::on(const Assume& assume, Output&) {
  maintenance_.assume(assume.predecessor, assume.successors);
  for (const PeerRef& peer : assume.known) book_.add_known(peer, now_.mono);
}

}  // namespace beckon::chord
