// SPDX-License-Identifier: MIT
#include "tests/node/io/transport_world.h"

namespace beckon::io::test {

bool run_until(uv::Loop& loop, const std::function<bool()>& condition, Duration deadline) {
  uv::Timer tick(loop);  // a bound for each wait, not a way to wait
  tick.start(
      std::chrono::milliseconds(5), [] {}, std::chrono::milliseconds(5));
  Time end = loop.now() + deadline;
  while (!condition()) {
    if (loop.now() > end) return false;
    loop.run_once();
  }
  return true;
}

void run_for(uv::Loop& loop, Duration span) {
  Time end = loop.now() + span;
  run_until(
      loop, [&] { return loop.now() >= end; }, span + std::chrono::seconds(10));
}

TransportOptions quick_options() {
  TransportOptions out;
  out.sweep = std::chrono::milliseconds(10);
  return out;
}

Node::Node(uv::Loop& loop, Identity self, const service::Overlay& overlay, TransportOptions options,
           std::uint64_t epoch)
    : transport(loop, std::move(self), overlay, epoch, *this, options) {
  auto real = transport.listen("127.0.0.1:0");
  ENSURE(real.has_value());
  address = *real;
}

void Node::frame(chord::Frame f) {
  if (on_frame) on_frame(f);
  frames.push_back(f);
}

void Node::link_up(const chord::PeerRef& peer, std::uint64_t epoch) {
  ups.push_back(peer);
  epochs.push_back(epoch);
}

void Node::link_down(const chord::Id& peer, const Error& why) {
  downs.push_back(peer);
  down_reasons.push_back(why.text);
}

void Node::unreachable(const chord::PeerRef&, const Error& why) { failures.push_back(why.text); }

void Node::send(const Node& to, Bytes body, std::uint64_t request) {
  transport.send({.peer = to.ref(), .type = 0x20, .request = request, .body = std::move(body)});
}

ClosedOverlay::ClosedOverlay() : authority(new_identity()) {
  overlay = {.name = "club", .admission = service::Admission::closed, .authority = authority.key};
}

service::Credential ClosedOverlay::sign(service::Credential credential) const {
  credential.signature = Ed25519().sign(authority.seed, credential.signed_part());
  return credential;
}

service::Credential ClosedOverlay::issue(const PublicKey& key, WallTime now) const {
  service::Credential out{.overlay = overlay.id(),
                          .key_hash = sha256(service::spki_of(key)),
                          .not_before = now - std::chrono::hours(1),
                          .not_after = now + std::chrono::hours(24),
                          .serial = 7};
  fill_random(out.nonce);
  return sign(out);
}

service::Revocations ClosedOverlay::revoke(const chord::Id& id, std::uint64_t version) const {
  service::Revocations out{.overlay = overlay.id(), .version = version};
  out.expelled[id] = uv::wall_now() + std::chrono::hours(24);
  out.signature = Ed25519().sign(authority.seed, out.signed_part());
  return out;
}

Identity ClosedOverlay::member() const {
  Identity out = new_identity();
  out.credential = issue(out.key);
  return out;
}

}  // namespace beckon::io::test
