// SPDX-License-Identifier: MIT
#include "node/service/ring/ring_log.h"

#include <algorithm>

namespace beckon::service {

namespace {

std::string name(const std::optional<PeerRef>& peer) { return peer ? peer->id.brief() : "none"; }

std::optional<PeerRef> first(const std::vector<PeerRef>& list) {
  return list.empty() ? std::nullopt : std::optional(list.front());
}

/// A neighbour that is nearer than the last one joined between; else the last one is gone.
std::string cause(bool nearer) { return nearer ? "joined" : "gone"; }

/// Ids of `list` that `other` lacks, shortened.
std::string missing(const std::vector<PeerRef>& list, const std::vector<PeerRef>& other) {
  std::string out;
  for (const PeerRef& peer : list) {
    if (std::ranges::find(other, peer.id, &PeerRef::id) != other.end()) continue;
    out += (out.empty() ? "" : ",") + peer.id.brief();
  }
  return out.empty() ? "none" : out;
}

}  // namespace

void RingLog::on_ring(const chord::Event& event) {
  if (const auto* change = std::get_if<chord::PredecessorChanged>(&event)) predecessor(*change);
  if (const auto* change = std::get_if<chord::SuccessorsChanged>(&event)) successors(*change);
}

void RingLog::predecessor(const chord::PredecessorChanged& change) {
  if (change.from && change.to && change.from->id == change.to->id) return;  // a new address
  const Id& self = kernel_.self().id;
  bool nearer = change.to &&
                (!change.from ||
                 chord::Arc{.after = change.from->id, .upto = self}.contains_inside(change.to->id));
  kernel_.log(LogLevel::info, "predecessor changed",
              {{"from", name(change.from)},
               {"to", name(change.to)},
               {"address", change.to ? change.to->address : "none"},
               {"cause", cause(nearer)}});
}

void RingLog::successors(const chord::SuccessorsChanged& change) {
  auto from = first(change.from), to = first(change.to);
  const Id& self = kernel_.self().id;
  if (name(from) != name(to)) {
    bool nearer =
        to && (!from || chord::Arc{.after = self, .upto = from->id}.contains_inside(to->id));
    kernel_.log(LogLevel::info, "successor changed",
                {{"from", name(from)},
                 {"to", name(to)},
                 {"address", to ? to->address : "none"},
                 {"cause", cause(nearer)}});
  }
  kernel_.log(LogLevel::debug, "successor list changed",
              {{"entries", std::to_string(change.to.size())},
               {"new", missing(change.to, change.from)},
               {"gone", missing(change.from, change.to)}});
  company(change);
}

void RingLog::company(const chord::SuccessorsChanged& change) {
  if (change.to.empty() && !alone_ && kernel_.ring().mode() == chord::Mode::member) {
    alone_ = true;
    kernel_.log(LogLevel::warning,
                "this node is alone: nobody of the ring answers; it goes on looking for them",
                {{"known", std::to_string(kernel_.ring().known().size())}});
  } else if (!change.to.empty() && alone_) {
    alone_ = false;
    kernel_.log(LogLevel::info, "this node is no longer alone",
                {{"successor", change.to.front().id.brief()}});
  }
}

void RingLog::link_up(const chord::LinkUp& link) {
  kernel_.log(LogLevel::debug, "link up",
              {{"peer", link.peer.id.brief()},
               {"address", link.peer.address},
               {"epoch", std::to_string(link.epoch)}});
}

void RingLog::link_down(const Id& peer, const Error& why) {
  kernel_.log(LogLevel::debug, "link down", {{"peer", peer.brief()}, {"reason", why.text}});
}

void RingLog::unreachable(const PeerRef& peer, const Error& why) {
  kernel_.log(LogLevel::debug, "a peer cannot be dialled",
              {{"peer", peer.id == Id{} ? "unknown" : peer.id.brief()},
               {"address", peer.address},
               {"reason", why.text}});
}

}  // namespace beckon::service
