// SPDX-License-Identifier: MIT
#include "node/io/transport.h"

#include <algorithm>

#include "node/io/transport_impl.h"

namespace beckon::io {

namespace {

constexpr int backlog = 256;
constexpr int rounds_per_turn = 8;
constexpr auto certificate_age = std::chrono::hours(24 * 30);

AcceptGate::Options gate_options(const TransportOptions& o) {
  return {.all = {.total = o.max_accepted,
                  .per_address = o.max_accepted_per_address,
                  .loopback = o.max_accepted_loopback},
          .unproven = {.total = o.max_unauthenticated,
                       .per_address = o.max_unauthenticated_per_address,
                       .loopback = o.max_unauthenticated_loopback},
          .handshakes = {.per_second = o.handshakes_per_second, .burst = o.handshake_burst}};
}

Error no_room() {
  return {ErrorCode::unavailable, "this node has all the connections it may have"};
}

}  // namespace

Transport::Impl::Impl(uv::Loop& loop, Identity self, service::Overlay overlay, std::uint64_t epoch,
                      TransportListener& listener, TransportOptions options)
    : self_(std::move(self)),
      id_(self_.id()),
      overlay_(std::move(overlay)),
      trust_(Trust::of(overlay_)),
      hello_{.overlay = trust_.overlay,
             .epoch = epoch,
             .schema = service::schema_of(overlay_).number()},
      loop_(loop),
      listener_(listener),
      options_(options),
      rng_(Rng(options.chance).split("greeting")),
      tls_(std::make_unique<TlsContext>(self_, trust_, options_.wall)),
      certified_(options_.wall()),
      gate_(gate_options(options_)),
      complaints_(options_.log_again),
      rechecked_(loop.now()),
      prepare_(loop, [this] { turn(); }),
      sweeper_(loop),
      wake_(loop) {
  ENSURE(overlay_.admission == service::Admission::open || self_.credential);
  sweeper_.start(
      options_.sweep, [this] { sweep(); }, options_.sweep);
}

Transport::Impl::~Impl() = default;

ConnectionOptions Transport::Impl::connection_options() const {
  return {.write_queue = options_.write_queue,
          .read_pause_at = options_.read_pause_at,
          .read_pause_limit = options_.read_pause_limit,
          .paced = options_.upload_per_second > 0};
}

Result<std::string> Transport::Impl::listen(const std::string& text, const std::string& announce) {
  auto address = Address::parse(text);
  if (!address) return address.error();
  auto endpoints = uv::resolve_now(address->host, address->port);
  if (!endpoints) return endpoints.error();
  doors_.push_back(Door{.socket = uv::Tcp(loop_)});
  Door& door = doors_.back();
  auto heard = door.socket.listen(endpoints->front(), backlog, [this, &door](int) {
    door.waiting = true;
    accept(door);
  });
  if (!heard) {
    doors_.pop_back();
    return Error{heard.error().code,
                 heard.error().text + "; choose another with --listen HOST:PORT"};
  }
  std::string real = door.socket.local().text();
  hello_.addresses.push_back(announce.empty() ? real : announce);
  return real;
}

void Transport::Impl::accept(Door& door) {
  while (door.waiting && all_.size() < options_.max_connections && gate_.open(loop_.now())) {
    door.waiting = false;  // libuv announces the next one after this is taken
    auto stream = door.socket.accept();
    if (stream) admit(std::move(*stream));
  }
}

void Transport::Impl::admit(uv::Tcp stream) {
  uv::Endpoint from = stream.remote();
  if (auto entered = gate_.enter(from); !entered) {
    ++total_.refused;
    return complain(from.host(), entered.error().text);
  }
  ++total_.accepted;
  Link& link = all_.emplace_back(*this);
  link.from = from.host();
  link.gate = from;
  link.unproven = true;
  link.since = loop_.now();
  link.connection =
      std::make_unique<Connection>(loop_, link, *tls_, connection_options(), std::move(stream));
}

Transport::Impl::Link& Transport::Impl::start_dial(const chord::PeerRef& target,
                                                   const Address& to) {
  ++total_.dialled;
  Link& link = all_.emplace_back(*this);
  link.target = target;
  link.since = loop_.now();
  std::optional<chord::Id> expected;
  if (target.id != chord::Id{}) expected = target.id;
  link.connection = std::make_unique<Connection>(loop_, link, *tls_, connection_options(), to,
                                                 Purpose::link, expected);
  return link;
}

void Transport::Impl::send(const chord::Frame& frame) {
  ENSURE(frame.body.size() <= chord::max_frame_body && frame.type >= service::wire::first_free);
  auto found = links_.find(frame.peer.id);
  if (found != links_.end() && !found->second->connection->closed()) {
    found->second->used = loop_.turn();
    return send_on(*found->second, frame.type, frame.request, frame.body);
  }
  Pending& pending = pending_[frame.peer.id];
  bool first = pending.frames.empty();
  if (!first && pending.bytes + frame.body.size() > options_.pending_bytes) {
    ++total_.dropped;
    return;
  }
  pending.bytes += frame.body.size() + service::frame_header_size;
  pending.frames.push_back(frame);
  if (!first) return;
  auto to = Address::parse(frame.peer.address);
  if (to && may_dial() && frame.peer.id != id_) {
    pending.dialling = &start_dial(frame.peer, *to);
    return;
  }
  pending_.erase(frame.peer.id);
  Error why = to ? no_room() : to.error();
  if (frame.peer.id == id_) why = {ErrorCode::conflict, "this is the node itself"};
  notices_.push_back({frame.peer, std::move(why)});
}

void Transport::Impl::dial(const std::string& address) {
  chord::PeerRef target{.id = {}, .address = address};
  for (const Link& link : all_) {
    bool same = link.stage <= Stage::greeting && link.connection->dialled();
    if (same && link.target == target) return;
  }
  auto to = Address::parse(address);
  if (to && may_dial()) {
    start_dial(target, *to);
  } else {
    notices_.push_back({target, to ? no_room() : to.error()});
  }
}

void Transport::Impl::close(const chord::Id& peer) {
  auto found = links_.find(peer);
  if (found == links_.end()) return;
  Link& link = *found->second;
  links_.erase(found);
  retire(link, false);
  link.connection->finish();
  notices_.push_back({link.peer, {ErrorCode::unavailable, "closed by us"}, true});
}

/// Once per turn of the loop, before it waits: tells what happened, then sends what was gathered.
/// Either may cause more of the other, hence the rounds.
void Transport::Impl::turn() {
  for (int round = 0; round < rounds_per_turn; ++round) {
    auto notices = std::exchange(notices_, {});
    for (const Notice& n : notices) {
      n.was_linked ? listener_.link_down(n.peer.id, n.why) : listener_.unreachable(n.peer, n.why);
    }
    bool buried = reap();
    bool flushed = flush();
    if (notices.empty() && !buried && !flushed) return;
  }
  wake_.start(Duration::zero(), [] {});  // go on soon, after the others had their turn
}

bool Transport::Impl::flush() {
  auto dirty = std::exchange(dirty_, {});
  if (options_.upload_per_second > 0) return flush_slices(dirty);
  for (Link* link : dirty) link->connection->flush();
  return !dirty.empty();
}

/// With a limit of bytes a second each link has its turn with a little, until more was sent than
/// fits; the loop comes back when it fits again.
bool Transport::Impl::flush_slices(const std::vector<Link*>& dirty) {
  constexpr double slices_per_second = 20;
  auto slice = static_cast<std::size_t>(options_.upload_per_second / slices_per_second);
  bool any = false;
  for (Link* link : dirty) {
    Time now = loop_.now();
    if (upload_free_at_ > now) {
      wake_.start(upload_free_at_ - now, [] {});
    } else {
      link->connection->flush(slice);
      any = count_upload(*link, now) || any;
    }
    if (link->connection->wants_flush()) dirty_.push_back(link);
  }
  return any;
}

/// True if it has sent something since it was counted last.
bool Transport::Impl::count_upload(Link& link, Time now) {
  std::uint64_t before = std::exchange(link.uploaded, link.connection->bytes_out());
  std::chrono::duration<double> takes(static_cast<double>(link.uploaded - before) /
                                      options_.upload_per_second);
  upload_free_at_ = std::max(upload_free_at_, now - options_.upload_burst) +
                    std::chrono::duration_cast<Duration>(takes);
  return link.uploaded > before;
}

bool Transport::Impl::reap() {
  if (!std::exchange(some_are_over_, false)) return false;
  std::list<Link> dead;
  for (auto it = all_.begin(); it != all_.end();) {
    auto next = std::next(it);
    if (it->connection->closed()) dead.splice(dead.end(), all_, it);
    it = next;
  }
  for (Link& link : dead) {
    std::erase(dirty_, &link);
    bury(link);
  }
  return !dead.empty();
}

void Transport::Impl::bury(Link& link) {
  prove(link);
  if (link.gate) gate_.leave(*link.gate);
  const Connection& c = *link.connection;
  total_.frames_in += c.frames_in();
  total_.frames_out += c.frames_out();
  total_.bytes_in += c.bytes_in();
  total_.bytes_out += c.bytes_out();
  const Error& why = c.why();
  bool misbehaved = why.code == ErrorCode::invalid || why.code == ErrorCode::refused;
  if (link.stage == Stage::open) {
    if (misbehaved) complain(link.peer.address, why.text);
    links_.erase(link.peer.id);
    listener_.link_down(link.peer.id, why);
  } else if (c.dialled()) {
    bury_dial(link);
  } else if (link.stage != Stage::draining) {
    ++total_.refused;
    complain(link.from, why.text);
  }
}

void Transport::Impl::bury_dial(Link& link) {
  auto pending = pending_.find(link.target.id);
  bool waited_for = pending != pending_.end() && pending->second.dialling == &link;
  bool kept_other = link.greeting && link.greeting->refusal() == service::Refusal::duplicate;
  if (waited_for && kept_other) {  // the peer's own dial is about to open
    pending->second.dialling = nullptr;
    pending->second.until = loop_.now() + options_.hello_timeout;
    return;
  }
  if (waited_for) pending_.erase(pending);
  if (link.stage == Stage::draining || link.silent || kept_other) return;
  listener_.unreachable(link.target, link.connection->why());
  bool stale = link.greeting && link.greeting->refusal() == service::Refusal::stale_epoch;
  if (stale) {
    listener_.superseded({.id = link.peer.id, .address = link.target.address},
                         link.greeting->later_at());
  }
}

void Transport::Impl::complain(const std::string& address, const std::string& text) {
  if (!complaints_.news(address, loop_.now())) return;
  listener_.log(
      {LogLevel::warning, "refused a connection", {{"address", address}, {"reason", text}}});
}

/// It has said who it is, or does not matter any more.
void Transport::Impl::prove(Link& link) {
  if (std::exchange(link.unproven, false)) gate_.prove(*link.gate);
}

std::optional<Error> Transport::Impl::overdue(const Link& link, Time now) const {
  const Connection& c = *link.connection;
  auto late = [](const char* text) { return Error{ErrorCode::unavailable, text}; };
  Duration age = now - link.since;
  if (link.stage == Stage::draining) {
    if (age > options_.drain) return late("closed");
    return std::nullopt;
  }
  if (link.stage == Stage::shaking && c.dialled() && age > options_.dial_timeout) {
    return late(c.connected() ? "no TLS handshake in time" : "no answer in time");
  }
  bool waits = link.stage != Stage::open && link.stage != Stage::doubted;
  if (waits && age > options_.hello_timeout) return late("no greeting in time");
  if (c.frame_since() && now - *c.frame_since() > options_.frame_timeout) {
    return Error{ErrorCode::invalid, "a frame took too long to arrive"};
  }
  return std::nullopt;
}

void Transport::Impl::sweep() {
  Time now = loop_.now();
  for (Link& link : all_) {
    if (auto why = overdue(link, now)) link.connection->close(*why);
    link.connection->end_long_pause(now);
  }
  settle_doubts(now);
  rest_idle(now);
  close_idle(now);
  expire_pending(now);
  if (now - rechecked_ >= options_.recheck) recheck(now);
  if (options_.wall() - certified_ > certificate_age) renew_certificate();
  for (Door& door : doors_) accept(door);
}

void Transport::Impl::rest_idle(Time now) {
  for (const auto& [id, link] : links_) {
    if (link->rested >= link->used || now - link->used < options_.rest_after) continue;
    link->connection->rest();
    link->rested = now;
  }
}

void Transport::Impl::close_idle(Time now) {
  if (links_.size() <= options_.idle_pool) return;
  std::vector<Link*> idle;
  for (const auto& [id, link] : links_) {
    if (now - link->used > options_.idle_after) idle.push_back(link);
  }
  std::stable_sort(idle.begin(), idle.end(), [](Link* a, Link* b) { return a->used < b->used; });
  std::size_t surplus = links_.size() - options_.idle_pool;
  if (idle.size() > surplus) idle.resize(surplus);
  for (Link* link : idle) close(chord::Id(link->peer.id));
}

void Transport::Impl::expire_pending(Time now) {
  for (auto it = pending_.begin(); it != pending_.end();) {
    bool over = it->second.dialling == nullptr && now >= it->second.until;
    if (over) {
      const chord::PeerRef& peer = it->second.frames.front().peer;
      notices_.push_back({peer, {ErrorCode::unavailable, "no link in time"}});
    }
    it = over ? pending_.erase(it) : std::next(it);
  }
}

/// A link may outlive the credential it was opened with.
void Transport::Impl::recheck(Time now) {
  rechecked_ = now;
  if (!trust_.authority) return;
  for (const auto& [id, link] : links_) {
    const Proven& who = link->connection->peer();
    auto fine = who.credential->check(trust_.overlay, *trust_.authority, who.key, Ed25519(),
                                      options_.wall());
    if (!fine) link->connection->close(fine.error());
    if (trust_.revocations.contains(id)) {
      link->connection->close(
          Error{ErrorCode::refused, "credential was revoked by the overlay's authority"});
    }
  }
}

std::vector<LinkInfo> Transport::Impl::links() const {
  std::vector<LinkInfo> out;
  for (const auto& [id, link] : links_) {
    const Connection& c = *link->connection;
    out.push_back({.peer = link->peer,
                   .epoch = link->epoch,
                   .version = link->greeting->version(),
                   .capabilities = link->greeting->capabilities(),
                   .dialled = c.dialled(),
                   .frames_in = c.frames_in(),
                   .frames_out = c.frames_out(),
                   .bytes_in = c.bytes_in(),
                   .bytes_out = c.bytes_out(),
                   .idle = loop_.now() - link->used});
  }
  return out;
}

TransportStats Transport::Impl::stats() const {
  TransportStats out = total_;
  for (const Link& link : all_) {
    out.frames_in += link.connection->frames_in();
    out.frames_out += link.connection->frames_out();
    out.bytes_in += link.connection->bytes_in();
    out.bytes_out += link.connection->bytes_out();
  }
  out.connections = all_.size();
  out.unauthenticated = gate_.unproven();
  out.links = links_.size();
  return out;
}

Transport::Transport(uv::Loop& loop, Identity self, service::Overlay overlay, std::uint64_t epoch,
                     TransportListener& listener, TransportOptions options)
    : impl_(std::make_unique<Impl>(loop, std::move(self), std::move(overlay), epoch, listener,
                                   options)) {}
Transport::~Transport() = default;

Result<std::string> Transport::listen(const std::string& address, const std::string& announce) {
  return impl_->listen(address, announce);
}
chord::Id Transport::id() const { return impl_->id_; }
std::vector<std::string> Transport::addresses() const { return impl_->hello_.addresses; }
void Transport::send(const chord::Frame& frame) { impl_->send(frame); }
void Transport::dial(const std::string& address) { impl_->dial(address); }
void Transport::close(const chord::Id& peer) { impl_->close(peer); }
bool Transport::linked(const chord::Id& peer) const { return impl_->linked(peer); }
std::vector<LinkInfo> Transport::links() const { return impl_->links(); }
TransportStats Transport::stats() const { return impl_->stats(); }
Result<void> Transport::set_revocations(const service::Revocations& list) {
  return impl_->set_revocations(list);
}
const service::Revocations& Transport::revocations() const { return impl_->trust_.revocations; }
Result<void> Transport::set_schema(const service::SchemaDocument& document) {
  return impl_->set_schema(document);
}
const service::Overlay& Transport::overlay() const { return impl_->overlay_; }
void Transport::set_credential(const service::Credential& credential) {
  impl_->set_credential(credential);
}
void Transport::set_enroller(service::Enroller* enroller) { impl_->enroller_ = enroller; }

}  // namespace beckon::io
