// SPDX-License-Identifier: MIT
// Strangers, liars and clumsy peers (docs/security.md) on real sockets. Each costs itself its
// connection and us one line in the log; nobody else notices.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "tests/node/io/rogue.h"
#include "tests/node/io/transport_world.h"

using namespace beckon;
using namespace beckon::io;
using namespace beckon::io::test;
using std::chrono::hours;
using std::chrono::milliseconds;

namespace {

namespace wire = service::wire;

struct BadCase {
  std::string name;
  std::string reason;  // part of what the log says
  Papers papers;
  std::optional<service::Revocations> list{};
};

service::Credential with_dates(const ClosedOverlay& club, const PublicKey& key, hours from,
                               hours to) {
  service::Credential out = club.issue(key);
  out.not_before = uv::wall_now() + from;
  out.not_after = uv::wall_now() + to;
  return club.sign(out);
}

BadCase revoked_case(const ClosedOverlay& club) {
  Identity member = club.member();
  return {"revoked", "was revoked",
          forge({.self = member, .extension = encode(*member.credential)}),
          club.revoke(member.id(), 3)};
}

/// What a clumsy or hostile peer may send first.
std::vector<BadCase> bad_cases(const ClosedOverlay& club) {
  std::vector<BadCase> out;
  Identity self = new_identity();
  Identity member = club.member();
  ClosedOverlay other;
  service::Overlay other_file = club.overlay;
  other_file.name = "club2";

  out.push_back({"none", "did not return a certificate", {}});
  out.push_back({"expired credential", "credential has expired",
                 forge({.self = self,
                        .extension = encode(with_dates(club, self.key, hours(-48), hours(-1)))})});
  out.push_back({"expired certificate", "certificate has expired",
                 forge({.self = member,
                        .from_day = -30,
                        .to_day = -2,
                        .extension = encode(*member.credential)})});
  service::Credential foreign = other.issue(self.key);
  foreign.overlay = club.overlay.id();
  out.push_back({"other authority", "not signed by the overlay's authority",
                 forge({.self = self, .extension = encode(other.sign(foreign))})});
  service::Credential elsewhere = club.issue(self.key);
  elsewhere.overlay = other_file.id();
  out.push_back({"other overlay", "another overlay",
                 forge({.self = self, .extension = encode(club.sign(elsewhere))})});
  out.push_back(revoked_case(club));
  out.push_back({"wrong key type", "did not return a certificate",
                 forge({.kind = KeyKind::p256, .extension = encode(*member.credential)})});
  Papers chain = forge({.self = member, .extension = encode(*member.credential)});
  chain.second = forge({.self = club.authority}).certificate;
  out.push_back({"chain of two", "2 certificates", std::move(chain)});
  out.push_back({"name of a member", "carries no credential",
                 forge({.self = self, .common_name = member.id().hex()})});
  out.push_back({"credential not yet valid", "credential is not valid yet",
                 forge({.self = self,
                        .extension = encode(with_dates(club, self.key, hours(1), hours(48)))})});
  out.push_back({"certificate not yet valid", "certificate is not valid yet",
                 forge({.self = member, .from_day = 2, .extension = encode(*member.credential)})});
  out.push_back({"RSA", "did not return a certificate",
                 forge({.kind = KeyKind::rsa, .extension = encode(*member.credential)})});
  out.push_back({"stolen certificate without its key", "bad signature",
                 forge({.self = self,
                        .extension = encode(*member.credential),
                        .signer = &member,
                        .public_of = &member})});
  out.push_back({"stolen credential under another key", "credential is for another key",
                 forge({.self = self, .extension = encode(*member.credential)})});
  service::Credential own = club.issue(self.key);
  own.signature = Ed25519().sign(self.seed, own.signed_part());
  out.push_back({"self-made", "not signed by the overlay's authority",
                 forge({.self = self, .extension = encode(own)})});
  out.push_back(
      {"signed by another key", "not signed by its own key",
       forge({.self = member, .extension = encode(*member.credential), .signer = &self})});
  Bytes longer = encode(*member.credential);
  longer.push_back(0);
  out.push_back(
      {"a byte too many", "bytes too many", forge({.self = member, .extension = longer})});
  return out;
}

service::Hello hello_of(const service::Overlay& overlay) {
  return {.overlay = overlay.id(), .epoch = 1, .addresses = {"127.0.0.1:9"}};
}

/// A peer that behaves: its link must outlive whatever others do to the node.
struct Bystander {
  explicit Bystander(uv::Loop& on, Node& to) : loop(on), node(to), peer(on, new_identity()) {
    ENSURE(is_served());
  }
  bool is_served() {
    std::size_t before = node.frames.size();
    peer.send(node, {1});
    return run_until(loop, [&] { return node.frames.size() == before + 1; }) &&
           node.frames.back().peer.id == peer.transport.id() && peer.downs.empty();
  }
  uv::Loop& loop;
  Node& node;
  Node peer;
};

/// A node of the built-in overlay, and a rogue that has come as far as its HELLO_ACK.
struct Visited {
  explicit Visited(TransportOptions options = quick_options())
      : node(loop, new_identity(), service::builtin_overlay(), options), rogue(loop, forge({})) {
    rogue.connect(node.address);
    rogue.say_frame(wire::hello, encode(hello_of(service::builtin_overlay())));
    ENSURE(run_until(loop, [&] { return node.ups.size() == 1 && !rogue.heard().empty(); }));
  }
  uv::Loop loop;
  Node node;
  Rogue rogue;
};

}  // namespace

TEST_SUITE_BEGIN("io/hostile");

TEST_CASE("bad papers open no door of a closed overlay, and no frame behind them is read") {
  ClosedOverlay club;
  std::vector<BadCase> cases = bad_cases(club);
  CHECK(cases.size() >= 12);
  for (BadCase& bad : cases) {
    CAPTURE(bad.name);
    uv::Loop loop;
    Node node(loop, club.member(), club.overlay);
    Node friendly(loop, club.member(), club.overlay);
    friendly.send(node, {1});
    REQUIRE(run_until(loop, [&] { return node.frames.size() == 1; }));
    if (bad.list) REQUIRE(node.transport.set_revocations(*bad.list));

    Rogue rogue(loop, bad.papers);
    rogue.connect(node.address);
    rogue.say_frame(wire::hello, encode(hello_of(club.overlay)));
    rogue.say_frame(0x20, Bytes{1}, 1);
    REQUIRE(run_until(loop, [&] { return rogue.over() && node.lines.size() == 1; }));
    CHECK(rogue.heard().empty());
    CHECK(node.lines[0].find(bad.reason) != std::string::npos);
    friendly.send(node, {2});
    REQUIRE(run_until(loop, [&] { return node.frames.size() == 2; }));
    CHECK(node.ups.size() == 1);
    CHECK(node.downs.empty());
    CHECK(node.lines.size() == 1);
  }
}

TEST_CASE("a dialler shows bad papers no more than its certificate") {
  ClosedOverlay club;
  for (BadCase& bad : bad_cases(club)) {
    CAPTURE(bad.name);
    uv::Loop loop;
    Node node(loop, club.member(), club.overlay);
    if (bad.list) REQUIRE(node.transport.set_revocations(*bad.list));
    Rogue rogue(loop, bad.papers);
    node.transport.dial(rogue.listen());
    REQUIRE(run_until(loop, [&] { return node.failures.size() == 1; }));
    CHECK(node.ups.empty());
    CHECK(rogue.heard().empty());
  }
}

TEST_CASE("good papers are accepted by the same road") {
  ClosedOverlay club;
  uv::Loop loop;
  Node node(loop, club.member(), club.overlay);
  Identity member = club.member();
  Rogue guest(loop, forge({.self = member, .extension = encode(*member.credential)}));
  guest.connect(node.address);
  guest.say_frame(wire::hello, encode(hello_of(club.overlay)));
  REQUIRE(run_until(loop, [&] { return node.ups.size() == 1; }));
  CHECK(node.ups[0].id == member.id());
}

TEST_CASE("a peer that names no address of use is known by the one it came from") {
  using Addresses = std::vector<std::string>;
  for (const Addresses& named : {Addresses{}, Addresses{"nonsense"}, Addresses{"127.0.0.1:0"},
                                 Addresses{"h\xc3\xb6st:9"}, Addresses{"a b:9"}}) {
    uv::Loop loop;
    Node node(loop, new_identity());
    Rogue rogue(loop, forge({}));
    rogue.connect(node.address);
    service::Hello hello = hello_of(service::builtin_overlay());
    hello.addresses = named;
    rogue.say_frame(wire::hello, encode(hello));
    REQUIRE(run_until(loop, [&] { return node.ups.size() == 1; }));
    CHECK(node.ups[0].address.starts_with("127.0.0.1:"));
    CHECK(node.ups[0].address != "127.0.0.1:0");
  }
}

TEST_CASE("an open overlay with a puzzle admits whoever solved it") {
  service::Overlay hard = service::builtin_overlay();
  hard.puzzle = 8;
  uv::Loop loop;
  Identity solved = new_identity();
  solved.puzzle_solution = service::Puzzle{hard.id(), hard.puzzle}.solve(solved.key);
  Identity lazy = new_identity();
  while (service::Puzzle{hard.id(), hard.puzzle}.solved_by(lazy.key, 0)) lazy = new_identity();
  Node a(loop, solved, hard);
  Node b(loop, lazy, hard);
  b.transport.dial(a.address);
  REQUIRE(run_until(loop, [&] { return b.failures.size() == 1 && a.lines.size() == 1; }));
  CHECK(a.lines[0].find("puzzle") != std::string::npos);
  CHECK(a.ups.empty());
}

TEST_CASE("plain text and junk are refused, and one address is named once") {
  uv::Loop loop;
  Node node(loop, new_identity());
  Bystander bystander(loop, node);
  Rng rng(7);
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    Plain plain(loop, node.address);
    REQUIRE(run_until(loop, [&] { return plain.connected(); }));
    Bytes junk(1 + rng.below(4000));
    rng.fill(junk);
    std::string text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    plain.write(i == 0 ? Bytes(text.begin(), text.end()) : junk);
    if (i % 2 == 1) plain.write(Bytes(70000, 0x16));
    REQUIRE(run_until(loop, [&] { return plain.over(); }));
  }
  REQUIRE(run_until(loop, [&] { return node.transport.stats().connections == 1; }));
  CHECK(bystander.is_served());
  CHECK(node.lines.size() == 1);
  CHECK(node.frames.size() == 2);
  CHECK(node.ups.size() == 1);
}

TEST_CASE("silence, a slow handshake and a missing greeting all end after the same time") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.hello_timeout = milliseconds(150);
  Node node(loop, new_identity(), service::builtin_overlay(), options);
  Bystander bystander(loop, node);
  Plain silent(loop, node.address);
  Plain slow(loop, node.address);
  Rogue mute(loop, forge({}));
  mute.connect(node.address);
  REQUIRE(run_until(loop, [&] { return slow.connected() && silent.connected() && mute.shaken(); }));
  // A ClientHello that begins well and comes a byte at a time.
  Bytes hello = {0x16, 0x03, 0x01, 0x01, 0x00, 0x01, 0x00, 0x00, 0xfc, 0x03, 0x03};
  std::size_t next = 0;
  uv::Timer drip(loop);
  drip.start(
      milliseconds(20),
      [&] {
        if (!slow.over()) slow.write({hello[next++ % hello.size()]});
      },
      milliseconds(20));
  REQUIRE(run_until(
      loop, [&] { return silent.over() && slow.over() && mute.over(); }, std::chrono::seconds(2)));
  CHECK(mute.heard().empty());
  CHECK(node.transport.stats().unauthenticated == 0);
  CHECK(node.lines.size() == 1);  // one address, named once
  CHECK(bystander.is_served());
}

TEST_CASE("a dial to a port that never speaks TLS ends in time") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.dial_timeout = milliseconds(100);
  Node node(loop, new_identity(), service::builtin_overlay(), options);
  uv::Tcp mute(loop);
  REQUIRE(mute.listen(*uv::Endpoint::numeric("127.0.0.1", 0), 8, [](int) {}));
  node.transport.dial(mute.local().text());
  REQUIRE(run_until(
      loop, [&] { return node.failures.size() == 1; }, std::chrono::seconds(2)));
  CHECK(node.failures[0] == "no TLS handshake in time");
}

TEST_CASE("anything but HELLO first is refused and not delivered") {
  service::Hello good = hello_of(service::builtin_overlay());
  service::Hello later = good;
  later.newest = later.oldest = 9;
  struct First {
    std::uint8_t type = 0;
    Bytes body{};
  };
  const First firsts[] = {{0x20, {1, 2, 3}},
                          {0x08, {}},
                          {wire::hello_ack, encode(good)},
                          {wire::hello, {}},
                          {wire::hello, {1}},
                          {wire::hello, Bytes(4096, 1)},
                          {wire::hello, encode(later)},
                          {wire::revocations, {}},
                          {wire::enrol, {1, 0}}};
  for (const auto& [type, body] : firsts) {
    CAPTURE(int(type));
    uv::Loop loop;
    Node node(loop, new_identity());
    Rogue rogue(loop, forge({}));
    rogue.connect(node.address);
    rogue.say_frame(type, body);
    rogue.say_frame(0x20, Bytes{1}, 1);
    REQUIRE(run_until(loop, [&] { return !rogue.heard().empty() && node.lines.size() == 1; }));
    CHECK(rogue.heard()[4] == wire::refused);
    CHECK(node.ups.empty());
    CHECK(node.frames.empty());
  }
}

TEST_CASE("before the greeting 4 KiB are the most a frame may claim, after it 256 KiB") {
  for (bool greeted : {false, true}) {
    CAPTURE(greeted);
    for (std::uint64_t claim : {std::uint64_t{4 * 1024 + 10}, std::uint64_t{256 * 1024 + 10},
                                std::uint64_t{0xffffffff}, std::uint64_t{0}, std::uint64_t{8}}) {
      if (greeted && claim == 4 * 1024 + 10) continue;
      CAPTURE(claim);
      uv::Loop loop;
      Node node(loop, new_identity());
      Bystander bystander(loop, node);
      Rogue rogue(loop, forge({}));
      rogue.connect(node.address);
      if (greeted) rogue.say_frame(wire::hello, encode(hello_of(service::builtin_overlay())));
      ByteWriter lie;
      lie.u32(static_cast<std::uint32_t>(claim));
      lie.u8(0x20);
      rogue.say(lie.bytes());
      REQUIRE(run_until(loop, [&] { return rogue.over() && node.lines.size() == 1; }));
      CHECK(node.downs.size() == (greeted ? 1 : 0));
      CHECK(bystander.is_served());
      CHECK(node.frames.size() == 2);
    }
  }
}

TEST_CASE("after the greeting the transport's own frame types end the link") {
  for (std::uint8_t type : {wire::hello, wire::hello_ack, wire::refused, wire::enrol,
                            wire::enrolled, wire::revocations, std::uint8_t{0}}) {
    CAPTURE(int(type));
    Visited v;
    v.rogue.say_frame(type, Bytes{1, 1});
    REQUIRE(run_until(v.loop, [&] { return v.node.downs.size() == 1 && v.rogue.over(); }));
    CHECK(v.node.frames.empty());
    CHECK(v.node.lines.size() == 1);
  }
}

TEST_CASE("a greeting with additions everywhere opens a link") {
  uv::Loop loop;
  Node node(loop, new_identity());
  Rogue rogue(loop, forge({}));
  rogue.connect(node.address);
  service::Hello hello = hello_of(service::builtin_overlay());
  hello.newest = 200;
  hello.capabilities = ~std::uint64_t{0};
  Bytes body = encode(hello, {{9, Bytes(900, 9)}, {9, {}}, {0xaa, {1}}});
  body.push_back(0);
  rogue.say_frame(wire::hello, body);
  rogue.say_frame(wire::alive, Bytes{1, 2, 3});  // and what it may say later
  rogue.say_frame(wire::alive, Bytes{9});
  rogue.say_frame(0x20, Bytes{1}, 1);
  REQUIRE(run_until(loop, [&] { return node.frames.size() == 1; }));
  REQUIRE(node.transport.links().size() == 1);
  CHECK(int(node.transport.links()[0].version) == 2);
  CHECK(node.transport.links()[0].capabilities == service::capability::ours);
}

TEST_CASE("each greeting carries another field that nobody knows") {
  Visited first;
  Visited second;
  const Bytes& said = first.rogue.heard();
  auto hello = service::decode<service::HelloBody>(ByteView(said).subspan(13));
  REQUIRE(hello);
  REQUIRE_FALSE(hello->said.empty());
  CHECK(hello->said.back().type >= service::HelloField::first_random);
  Rogue again(first.loop, forge({}));
  again.connect(first.node.address);
  again.say_frame(wire::hello, encode(hello_of(service::builtin_overlay())));
  REQUIRE(run_until(first.loop, [&] { return !again.heard().empty(); }));
  auto next = service::decode<service::HelloBody>(ByteView(again.heard()).subspan(13));
  REQUIRE(next);
  CHECK(next->said.back() != hello->said.back());
  // The same seed says the same: simulations repeat.
  auto other = service::decode<service::HelloBody>(ByteView(second.rogue.heard()).subspan(13));
  REQUIRE(other);
  CHECK(other->said.back() == hello->said.back());
}

TEST_CASE("who lacks what the overlay needs is refused and told so") {
  service::Overlay demanding = service::builtin_overlay();
  demanding.limits["capabilities"] = service::capability::ours;
  uv::Loop loop;
  Node node(loop, new_identity(), demanding);
  Rogue rogue(loop, forge({}));
  rogue.connect(node.address);
  service::Hello hello = hello_of(demanding);
  hello.capabilities = 0;
  rogue.say_frame(wire::hello, encode(hello));
  REQUIRE(run_until(loop, [&] { return rogue.over(); }));
  auto refused = service::decode<service::Refused>(ByteView(rogue.heard()).subspan(13));
  REQUIRE(refused);
  CHECK(refused->why == service::Refusal::capability);
  CHECK(refused->cure == "update this node");
}

TEST_CASE("a frame that takes too long ends the link, though others came meanwhile") {
  TransportOptions options = quick_options();
  options.frame_timeout = milliseconds(100);
  Visited v(options);
  v.rogue.say_frame(0x20, Bytes{1});
  REQUIRE(run_until(v.loop, [&] { return v.node.frames.size() == 1; }));
  run_for(v.loop, milliseconds(150));  // an idle link is no slow frame
  CHECK(v.node.downs.empty());
  v.rogue.say(Bytes{0, 0, 0, 20, 0x20});
  REQUIRE(run_until(
      v.loop, [&] { return v.node.downs.size() == 1; }, std::chrono::seconds(2)));
  CHECK(v.node.down_reasons[0] == "a frame took too long to arrive");
}

TEST_CASE("a peer that sends as fast as it can does not hold up the others") {
  uv::Loop loop;
  Node node(loop, new_identity());
  Node flooder(loop, new_identity());
  Node polite(loop, new_identity());
  std::size_t sent = 0, received = 0;
  node.on_frame = [&](const chord::Frame& f) {
    if (f.peer.id == flooder.transport.id()) {
      ++received;
    } else {
      node.transport.send(f);
    }
  };
  polite.on_frame = [&](const chord::Frame&) { polite.send(node, {1}); };
  flooder.send(node, {1});
  polite.send(node, {1});
  REQUIRE(run_until(loop, [&] { return node.ups.size() == 2; }));
  Bytes body(200, 7);
  uv::Prepare flood(loop, [&] {
    for (; sent < received + 2400; ++sent) flooder.send(node, body);  // half a mebibyte waits
  });
  // While a request of the polite peer is answered, a few turns' shares of the flood pass, no more.
  std::size_t share = 64 * 1024 / body.size(), seen = 0;
  for (int i = 0; i < 50; ++i) {
    CAPTURE(i);
    std::size_t answered = polite.frames.size();
    node.frames.clear();
    REQUIRE(run_until(loop, [&] { return polite.frames.size() > answered; }));
    seen = std::max(seen, node.frames.size());
  }
  CHECK(received > 50 * share / 2);  // it was a flood
  CHECK(seen <= 4 * share);
}

TEST_CASE("one address may not hold more unproven connections than its share") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.max_unauthenticated_loopback = 3;
  options.hello_timeout = std::chrono::seconds(30);
  Node node(loop, new_identity(), service::builtin_overlay(), options);
  std::vector<std::unique_ptr<Plain>> crowd;
  for (int i = 0; i < 5; ++i) crowd.push_back(std::make_unique<Plain>(loop, node.address));
  REQUIRE(run_until(loop, [&] { return node.transport.stats().refused == 2; }));
  CHECK(node.transport.stats().unauthenticated == 3);
  CHECK(node.lines.size() == 1);
  crowd.clear();
  REQUIRE(run_until(loop, [&] { return node.transport.stats().unauthenticated == 0; }));
  Node friendly(loop, new_identity());
  friendly.send(node, {1});
  REQUIRE(run_until(loop, [&] { return node.frames.size() == 1; }));
}

TEST_CASE("proven or not, one address gets its share of the connections, and others theirs") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.max_accepted_loopback = 3;
  Node node(loop, new_identity(), service::builtin_overlay(), options);
  std::vector<std::unique_ptr<Node>> crowd;
  for (int i = 0; i < 5; ++i) {
    crowd.push_back(std::make_unique<Node>(loop, new_identity()));
    crowd.back()->transport.dial(node.address);
  }
  auto turned_away = [&] {
    return std::count_if(crowd.begin(), crowd.end(), [](auto& n) { return !n->failures.empty(); });
  };
  REQUIRE(run_until(loop, [&] { return node.ups.size() == 3 && turned_away() == 2; }));
  CHECK(node.transport.stats().unauthenticated == 0);
  CHECK(node.transport.stats().refused == 2);
  CHECK(node.lines.size() == 1);
  if (auto v6 = node.transport.listen("[::1]:0")) {  // another address
    Node other(loop, new_identity());
    other.transport.dial(*v6);
    REQUIRE(run_until(loop, [&] { return node.ups.size() == 4; }));
  }
  crowd.clear();
  REQUIRE(run_until(loop, [&] { return node.transport.stats().connections == 0; }));
  Node late(loop, new_identity());
  late.transport.dial(node.address);
  REQUIRE(run_until(loop, [&] { return late.ups.size() == 1; }));
}

TEST_CASE("however many come, our own dials find a place, and none goes beyond the limit") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.max_connections = 4;
  options.max_accepted = 2;
  Node node(loop, new_identity(), service::builtin_overlay(), options);
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 8; ++i) nodes.push_back(std::make_unique<Node>(loop, new_identity()));
  for (int i = 0; i < 4; ++i) nodes[static_cast<std::size_t>(i)]->transport.dial(node.address);
  REQUIRE(run_until(loop, [&] { return node.ups.size() == 2; }));
  node.transport.dial(nodes[4]->address);
  node.send(*nodes[5], {1});
  REQUIRE(run_until(loop, [&] { return node.ups.size() == 4; }));
  node.transport.dial(nodes[6]->address);
  node.send(*nodes[7], {1});
  REQUIRE(run_until(loop, [&] { return node.failures.size() == 2; }));
  for (const std::string& why : node.failures) {
    CHECK(why == "this node has all the connections it may have");
  }
  CHECK(node.transport.stats().connections == 4);
}

TEST_CASE("a peer that does not read is dropped when a mebibyte waits for it") {
  Visited v;
  Bystander bystander(v.loop, v.node);
  v.rogue.stop_reading();
  chord::Frame frame{.peer = v.node.ups[0], .type = 0x20, .request = 1, .body = Bytes(60'000, 1)};
  std::size_t sent = 0;
  REQUIRE(run_until(v.loop, [&] {
    if (v.node.downs.empty()) v.node.transport.send(frame), sent += frame.body.size();
    return !v.node.downs.empty();
  }));
  CHECK(v.node.down_reasons[0].find("reads too slowly") != std::string::npos);
  CHECK(sent > 1024 * 1024);
  CHECK(sent < 64 * 1024 * 1024);  // the kernel's own buffers come on top
  CHECK(bystander.is_served());
}

TEST_CASE("a peer may renew its keys, but not make us hold the answers it does not read") {
  TransportOptions options = quick_options();
  options.write_queue = 128 * 1024;
  options.read_pause_at = 64 * 1024;
  options.read_pause_limit = milliseconds(10);
  Visited v(options);
  auto answers = [&] { return v.node.transport.stats().bytes_out; };
  std::uint64_t before = answers();
  v.rogue.renew_keys(10);
  REQUIRE(run_until(v.loop, [&] { return answers() >= before + 200; }));  // without a frame of ours
  v.rogue.say_frame(0x20, Bytes{1}, 1);
  REQUIRE(run_until(v.loop, [&] { return v.node.frames.size() == 1; }));

  Bystander bystander(v.loop, v.node);
  v.rogue.stop_reading();
  chord::Frame frame{.peer = v.node.ups[0], .type = 0x20, .request = 1, .body = Bytes(20'000, 1)};
  std::uint64_t taken = 0;
  REQUIRE(run_until(v.loop, [&] {  // until the kernel takes no more
    bool stuck = std::exchange(taken, answers()) == answers();
    if (!stuck) v.node.transport.send(frame);
    return stuck;
  }));
  CHECK(v.node.downs.empty());
  REQUIRE(run_until(v.loop, [&] {
    v.rogue.renew_keys(200);
    return !v.node.downs.empty();
  }));
  CHECK(v.node.down_reasons[0].find("reads too slowly") != std::string::npos);
  CHECK(bystander.is_served());
}

TEST_CASE("when handshakes come too fast accepting pauses, and nobody is turned away for it") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.handshake_burst = 2;
  options.handshakes_per_second = 50;
  Node node(loop, new_identity(), service::builtin_overlay(), options);
  std::vector<std::unique_ptr<Node>> nodes;
  Time start = loop.now();
  for (int i = 0; i < 8; ++i) {
    nodes.push_back(std::make_unique<Node>(loop, new_identity()));
    nodes.back()->send(node, {1});
  }
  REQUIRE(run_until(loop, [&] { return node.frames.size() == 8; }));
  CHECK(loop.now() - start > milliseconds(100));  // six tokens at 50 a second
  CHECK(node.transport.stats().refused == 0);
}

TEST_CASE("an expelled member is cut off everywhere, though only one node was told") {
  ClosedOverlay club;
  uv::Loop loop;
  Node authority(loop, club.member(), club.overlay);
  Node between(loop, club.member(), club.overlay);
  Node expelled(loop, club.member(), club.overlay);
  between.transport.dial(authority.address);
  expelled.transport.dial(between.address);
  REQUIRE(run_until(loop, [&] { return between.ups.size() == 2; }));
  service::Revocations list = club.revoke(expelled.transport.id(), 1);
  REQUIRE(authority.transport.set_revocations(list));
  REQUIRE(run_until(loop, [&] { return between.downs.size() == 1 && expelled.downs.size() == 1; }));
  CHECK(between.downs[0] == expelled.transport.id());
  CHECK(between.lists == std::vector{list});
  CHECK(expelled.lists == std::vector{list});  // it learns why
  expelled.send(between, {1});
  expelled.send(authority, {1});
  REQUIRE(run_until(loop, [&] { return expelled.failures.size() == 2; }));
  for (const std::string& told : expelled.failures) {
    CHECK(told.find("has expelled this node") != std::string::npos);
  }
  CHECK(between.frames.empty());
  CHECK(authority.frames.empty());
}

TEST_CASE("a stranger at a closed overlay is told to ask for an invite") {
  ClosedOverlay club;
  uv::Loop loop;
  Node member(loop, club.member(), club.overlay);
  Node stranger(loop, new_identity());
  stranger.transport.dial(member.address);
  REQUIRE(run_until(loop, [&] { return stranger.failures.size() == 1; }));
  CHECK(stranger.failures[0].find("closed; ask its founder for an invite") != std::string::npos);
  CHECK(member.ups.empty());
}

TEST_CASE("a newcomer to a link brings the newer list along") {
  ClosedOverlay club;
  uv::Loop loop;
  Node a(loop, club.member(), club.overlay);
  Node b(loop, club.member(), club.overlay);
  service::Revocations list = club.revoke(new_identity().id(), 4);
  REQUIRE(a.transport.set_revocations(list));
  b.transport.dial(a.address);
  REQUIRE(run_until(loop, [&] { return b.lists.size() == 1; }));
  CHECK(b.transport.revocations() == list);
  service::Revocations forged = list;
  ++forged.version;
  CHECK_FALSE(b.transport.set_revocations(forged));
  CHECK(b.transport.revocations() == list);
}

namespace {
hours clock_offset{0};
WallTime shifted_clock() { return uv::wall_now() + clock_offset; }
}  // namespace

TEST_CASE("an open link ends when its credential does") {
  ClosedOverlay club;
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.recheck = milliseconds(50);
  options.wall = shifted_clock;
  clock_offset = hours(0);
  Node a(loop, club.member(), club.overlay, options);
  Node b(loop, club.member(), club.overlay);
  b.transport.dial(a.address);
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 1; }));
  run_for(loop, milliseconds(120));
  CHECK(a.downs.empty());
  clock_offset = hours(25);
  REQUIRE(run_until(loop, [&] { return a.downs.size() == 1; }));
  CHECK(a.down_reasons[0].find("expired") != std::string::npos);
  clock_offset = hours(0);
}

TEST_SUITE_END();
