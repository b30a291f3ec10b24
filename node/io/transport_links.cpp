// SPDX-License-Identifier: MIT
// What is said on a connection: greeting, which of two links stays, enrolment, revocations,
// schemas.
#include <fmt/core.h>

#include <algorithm>

#include "node/io/transport_impl.h"

namespace beckon::io {

namespace wire = service::wire;
using service::Refusal;

namespace {

constexpr std::uint8_t asks_if_alive = 0;
constexpr std::uint8_t is_alive = 1;

std::string objection_text(Refusal why, const chord::Id& peer) {
  if (why == Refusal::revoked) return fmt::format("node {} was expelled", peer.brief());
  if (why == Refusal::stale_epoch) {
    return fmt::format("node {} is linked already, from a later start; is a copy of it running?",
                       peer.brief());
  }
  return fmt::format("a second link to node {}", peer.brief());
}

}  // namespace

void Transport::Impl::ready(Link& link) {
  Connection& c = *link.connection;
  link.peer.id = c.peer().id;
  auto side = c.dialled() ? service::Greeting::Side::dialler : service::Greeting::Side::acceptor;
  link.greeting.emplace(side, hello_, service::needed_capabilities(overlay_));
  link.stage = c.purpose() == Purpose::enrol ? Stage::enrolling : Stage::greeting;
  if (c.dialled()) send_on(link, wire::hello, 0, greeting());
}

/// With a field that nobody knows, another one each time: who would refuse it is found out now and
/// not when a later version has something to say.
Bytes Transport::Impl::greeting() { return encode(hello_, {service::HelloField::random(rng_)}); }

void Transport::Impl::send_on(Link& link, std::uint8_t type, std::uint64_t request, ByteView body) {
  if (!link.connection->wants_flush()) dirty_.push_back(&link);
  link.connection->send(type, request, body);
}

void Transport::Impl::frame(Link& link, const service::FrameView& frame) {
  if (link.stage == Stage::greeting) return greet(link, frame);
  if (link.stage == Stage::enrolling) return enrol(link, frame);
  if (link.stage == Stage::doubted) {
    return link.connection->close(invalid("a frame before the greeting was answered"));
  }
  if (!link.deliver) return;
  if (frame.type == wire::revocations) return hear_revocations(link, frame);
  if (frame.type == wire::schema) return hear_schema(link, frame);
  if (frame.type == wire::alive) return hear_alive(link, frame);
  if (frame.type < wire::first_free) {
    return link.connection->close(
        invalid(fmt::format("frame type {} after the greeting", frame.type)));
  }
  link.used = loop_.turn();
  listener_.frame({.peer = link.peer,
                   .type = frame.type,
                   .request = frame.request,
                   .body = Bytes(frame.body.begin(), frame.body.end())});
}

void Transport::Impl::greet(Link& link, const service::FrameView& frame) {
  bool dialled = link.connection->dialled();
  auto heard = link.greeting->receive(frame.type, frame.body);
  if (!heard && dialled) return link.connection->close(heard.error());
  if (!heard) {
    return turn_away(link, link.greeting->refusal().value_or(Refusal::malformed),
                     heard.error().text);
  }
  link.epoch = link.greeting->peer().epoch;
  link.peer = announced(link);
  if (link.peer.id == id_) return meet_own_key(link);
  if (auto why = objection(link)) {
    if (why == Refusal::stale_epoch && !dialled) return doubt(link);
    return turn_away(link, *why, objection_text(*why, link.peer.id));
  }
  if (!dialled) send_on(link, wire::hello_ack, 0, greeting());
  open(link);
}

/// We dialled ourselves, or there is a copy of this node: both ends learn the other's epoch.
void Transport::Impl::meet_own_key(Link& link) {
  bool ourselves = link.epoch == hello_.epoch;
  if (!ourselves) listener_.same_key(link.peer, link.epoch);
  if (link.connection->dialled()) {
    return link.connection->close(
        Error{ErrorCode::conflict, ourselves ? "this is the node itself" : "a copy of this node"});
  }
  send_on(link, wire::hello_ack, 0, greeting());
  link.connection->flush();
  link.connection->finish();
  retire(link, false);
}

/// A link stays open for minutes after the machine at its other end died, and an earlier start that
/// is alone must not be kept out. So the later one has to answer now.
void Transport::Impl::doubt(Link& link) {
  link.stage = Stage::doubted;
  link.since = loop_.now();
  send_on(*links_.at(link.peer.id), wire::alive, 0, Bytes{asks_if_alive});
}

void Transport::Impl::hear_alive(Link& link, const service::FrameView& frame) {
  if (frame.body.empty()) return link.connection->close(invalid("a broken ALIVE"));
  if (frame.body[0] == asks_if_alive) return send_on(link, wire::alive, 0, Bytes{is_alive});
  if (frame.body[0] != is_alive) return;  // of a later version
  for (Link& other : all_) {
    if (other.stage != Stage::doubted || other.peer.id != link.peer.id) continue;
    turn_away(other, Refusal::stale_epoch, objection_text(Refusal::stale_epoch, link.peer.id));
  }
}

/// Opens the doubted links whose rival did not answer in time, or is gone.
void Transport::Impl::settle_doubts(Time now) {
  for (Link& link : all_) {
    if (link.stage != Stage::doubted || link.connection->closed()) continue;
    if (objection(link) == Refusal::stale_epoch) {
      if (now - link.since <= options_.proof_timeout) continue;
      links_.at(link.peer.id)
          ->connection->close(Error{ErrorCode::unavailable, "the peer does not answer any more"});
    }
    if (auto why = objection(link)) {
      turn_away(link, *why, objection_text(*why, link.peer.id));
      continue;
    }
    send_on(link, wire::hello_ack, 0, greeting());
    open(link);
  }
}

/// Says why and closes. A duplicate is nobody's fault and no news.
void Transport::Impl::turn_away(Link& link, Refusal why, const std::string& text) {
  if (link.connection->dialled()) {
    link.silent = why == Refusal::duplicate;
    if (link.silent) tell_dialled(link);
    return link.connection->close(Error{ErrorCode::conflict, text});
  }
  auto refused = service::Refused::of(why);
  auto kept = links_.find(link.peer.id);
  if (why == Refusal::stale_epoch && kept != links_.end()) {
    refused.later_at = kept->second->peer.address;
  }
  send_on(link, wire::refused, 0, encode(refused));
  link.connection->flush();
  link.connection->finish();
  if (why != Refusal::duplicate) {
    ++total_.refused;
    complain(link.from, text);
  }
  retire(link, false);
}

/// What speaks against a link whose greeting was in order.
std::optional<Refusal> Transport::Impl::objection(const Link& link) {
  const chord::Id& peer = link.peer.id;
  if (trust_.revocations.contains(peer)) return Refusal::revoked;
  auto found = links_.find(peer);
  if (found != links_.end() && !found->second->connection->closed()) {
    const Link& old = *found->second;
    if (link.epoch < old.epoch) return Refusal::stale_epoch;
    if (link.epoch == old.epoch && !replaces(link, old)) return Refusal::duplicate;
    return std::nullopt;
  }
  // Both sides dial and neither link is open yet: the smaller id's dial is the one to keep.
  if (!link.connection->dialled() && id_ < peer && dialling(peer)) return Refusal::duplicate;
  return std::nullopt;
}

/// Our own dial to the peer has come so far that it surely reaches it.
bool Transport::Impl::dialling(const chord::Id& peer) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Link& link) {
    return link.stage == Stage::greeting && link.peer.id == peer && link.connection->dialled() &&
           !link.connection->closed();
  });
}

/// Two links to one start of a peer. When both sides dialled at the same time, the dial of the
/// smaller id stays: both ends come to the same answer. Otherwise the peer has lost the old one.
bool Transport::Impl::replaces(const Link& fresh, const Link& old) const {
  bool same_side = fresh.connection->dialled() == old.connection->dialled();
  bool old_is_settled = loop_.now() - old.opened > options_.hello_timeout;
  if (same_side || old_is_settled) return true;
  const chord::Id& dialler = fresh.connection->dialled() ? id_ : fresh.peer.id;
  return dialler == std::min(id_, fresh.peer.id);
}

void Transport::Impl::open(Link& link) {
  prove(link);
  cancel_dial(link.peer.id, link);
  auto found = links_.find(link.peer.id);
  bool replaced = found != links_.end() && found->second->epoch == link.epoch &&
                  !found->second->connection->closed();
  if (found != links_.end()) make_way(link, *found->second);
  links_[link.peer.id] = &link;
  link.stage = Stage::open;
  link.opened = link.used = loop_.now();
  link.connection->raise_frame_limit();

  if (auto waiting = pending_.extract(link.peer.id)) {
    for (const chord::Frame& f : waiting.mapped().frames) send_on(link, f.type, f.request, f.body);
  }
  if (trust_.revocations.version > link.greeting->peer().revocations) {
    send_on(link, wire::revocations, 0, encode(trust_.revocations));
  }
  bool granted = overlay_.schema_kind() == service::SchemaKind::granted;
  if (granted && hello_.schema > link.greeting->peer().schema) send_schema(link);
  if (!replaced) listener_.link_up(link.peer, link.epoch);
  tell_dialled(link);
}

void Transport::Impl::tell_dialled(const Link& link) {
  bool by_address = link.connection->dialled() && link.target.id == chord::Id{};
  if (by_address) listener_.dialled(link.target.address, link.peer, link.epoch);
}

/// The old link leaves the table. Of a link that is replaced, the dialler of the new one closes it:
/// it knows by HELLO_ACK that both sides have moved.
void Transport::Impl::make_way(Link& fresh, Link& old) {
  bool restarted = old.epoch != fresh.epoch || old.connection->closed();
  Error why = old.connection->closed() ? old.connection->why()
                                       : Error{ErrorCode::unavailable, "the peer has restarted"};
  retire(old, !restarted);
  if (restarted) {
    old.connection->close(why);
    listener_.link_down(old.peer.id, why);
  } else if (fresh.connection->dialled()) {
    old.connection->finish();
  }
}

/// A dial that has not introduced itself yet is not needed any more.
void Transport::Impl::cancel_dial(const chord::Id& peer, const Link& fresh) {
  auto pending = pending_.find(peer);
  if (pending == pending_.end()) return;
  Link* dialling = pending->second.dialling;
  if (dialling == nullptr || dialling == &fresh) return;
  dialling->silent = true;
  if (dialling->stage == Stage::shaking) {
    dialling->connection->close(Error{ErrorCode::conflict, "the peer was quicker"});
  }
}

void Transport::Impl::retire(Link& link, bool deliver) {
  prove(link);
  link.stage = Stage::draining;
  link.deliver = deliver;
  link.since = loop_.now();
}

/// Where the peer says it listens; an unspecified host stands for the one we see. Who names nothing
/// of use is known by where it came from: what is given on to others must be an address.
chord::PeerRef Transport::Impl::announced(const Link& link) const {
  chord::PeerRef out{.id = link.peer.id, .address = link.target.address};
  if (out.address.empty() || out.address.size() > chord::max_address_size)
    out.address = link.connection->remote().text();
  for (const std::string& text : link.greeting->peer().addresses) {
    auto address = Address::parse(text);
    if (!address || address->port == 0) continue;
    if (address->unspecified()) address->host = link.connection->remote().host();
    if (address->text().size() > chord::max_address_size) continue;
    out.address = address->text();
    break;
  }
  return out;
}

void Transport::Impl::enrol(Link& link, const service::FrameView& frame) {
  if (frame.type != wire::enrol) {
    return turn_away(link, Refusal::malformed, "a newcomer sent something else than its request");
  }
  auto request = service::decode<service::EnrolRequest>(frame.body);
  if (!request) return turn_away(link, Refusal::malformed, request.error().text);
  using Kind = service::EnrolRequest::Kind;
  bool closed = overlay_.admission == service::Admission::closed;
  service::Enrolment answer{.overlay = overlay_};
  if (closed && request->kind == Kind::file) {
    return turn_away(link, Refusal::not_invited, "a newcomer without an invite");
  }
  if (closed && enroller_ == nullptr) {
    return turn_away(link, Refusal::not_authority,
                     "a newcomer, but this node is not the authority's");
  }
  if (closed) {
    const Proven& who = link.connection->peer();
    auto credential = enroller_->admit(who.key, *request, options_.wall());
    if (!credential) return turn_away(link, Refusal::not_invited, credential.error().text);
    answer.credential = *credential;
    if (trust_.revocations.version > 0) answer.revocations = trust_.revocations;
    listener_.log({LogLevel::info,
                   "admitted a node to the overlay",
                   {{"peer", service::node_id(who.key, credential->nonce).hex()}}});
  }
  send_on(link, wire::enrolled, frame.request, encode(answer));
  link.connection->flush();
  link.connection->finish();
  retire(link, false);
}

void Transport::Impl::hear_revocations(Link& link, const service::FrameView& frame) {
  auto list = service::decode<service::Revocations>(frame.body);
  bool genuine = list && trust_.authority && list->overlay == trust_.overlay &&
                 list->signed_by(*trust_.authority, Ed25519());
  if (!genuine)
    return link.connection->close(invalid("a revocation list that the authority did not sign"));
  if (list->version <= trust_.revocations.version) return;
  adopt(*list, &link);
  listener_.revocations(trust_.revocations);
}

Result<void> Transport::Impl::set_revocations(const service::Revocations& list) {
  if (list.version <= trust_.revocations.version) return {};
  bool genuine = trust_.authority && list.overlay == trust_.overlay &&
                 list.signed_by(*trust_.authority, Ed25519());
  if (!genuine) return invalid("the revocation list is not signed by this overlay's authority");
  adopt(list, nullptr);
  return {};
}

void Transport::Impl::adopt(const service::Revocations& list, const Link* from) {
  trust_.revocations = list;
  hello_.revocations = list.version;
  Bytes body = encode(list);
  std::vector<Link*> expelled;
  for (const auto& [id, link] : links_) {
    if (link != from) send_on(*link, wire::revocations, 0, body);
    if (list.contains(id)) expelled.push_back(link);
  }
  for (Link* link : expelled) part_from_expelled(*link);
}

/// A peer that sends what the authority did not sign is cut off. One that is behind is not: the
/// number it saw in our greeting may have risen since.
void Transport::Impl::hear_schema(Link& link, const service::FrameView& frame) {
  auto document = service::SchemaDocument::decode(frame.body);
  bool genuine = document && overlay_.schema_kind() == service::SchemaKind::granted &&
                 document->signed_by(*overlay_.authority, trust_.overlay, Ed25519());
  if (!genuine) return link.connection->close(invalid("a schema that the authority did not sign"));
  if (auto good = service::check_growth(overlay_, *document, Ed25519()); !good) {
    bool news = document->text != overlay_.schema.text;
    if (news) complain(link.peer.address, "sent a schema that is not taken: " + good.error().text);
    return;
  }
  adopt(*document, &link);
  listener_.schema(*document);
}

Result<void> Transport::Impl::set_schema(const service::SchemaDocument& document) {
  if (auto good = service::check_growth(overlay_, document, Ed25519()); !good) return good;
  adopt(document, nullptr);
  return {};
}

void Transport::Impl::adopt(const service::SchemaDocument& document, const Link* from) {
  overlay_.schema = document;
  hello_.schema = service::schema_of(overlay_).number();
  for (const auto& [id, link] : links_) {
    if (link != from) send_schema(*link);
  }
}

void Transport::Impl::send_schema(Link& link) {
  if ((link.greeting->capabilities() & service::capability::schema_documents) == 0) return;
  send_on(link, wire::schema, 0, overlay_.schema.encode());
}

/// It has been sent the list that names it, so that it knows; nothing it sends counts any more.
void Transport::Impl::part_from_expelled(Link& link) {
  links_.erase(link.peer.id);
  retire(link, false);
  link.connection->finish();
  notices_.push_back(
      {link.peer, {ErrorCode::refused, "credential was revoked by the overlay's authority"}, true});
}

void Transport::Impl::set_credential(const service::Credential& credential) {
  ENSURE(overlay_.admission == service::Admission::closed);
  self_.credential = credential;
  renew_certificate();
}

void Transport::Impl::renew_certificate() {
  tls_ = std::make_unique<TlsContext>(self_, trust_, options_.wall);
  certified_ = options_.wall();
}

}  // namespace beckon::io
