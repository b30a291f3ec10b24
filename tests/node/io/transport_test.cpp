// SPDX-License-Identifier: MIT
#include "node/io/transport.h"

#include <doctest/doctest.h>

#include <memory>

#include "tests/node/io/transport_world.h"

using namespace beckon;
using namespace beckon::io;
using namespace beckon::io::test;
using std::chrono::milliseconds;

TEST_SUITE_BEGIN("io/transport");

TEST_CASE("a frame to a peer without a link dials it, and both ends know whom they talk to") {
  uv::Loop loop;
  Node a(loop, new_identity());
  Node b(loop, new_identity());
  a.send(b, {1, 2, 3}, 42);
  REQUIRE(run_until(loop, [&] { return b.frames.size() == 1; }));
  CHECK(b.frames[0].peer == a.ref());
  CHECK(b.frames[0].request == 42);
  CHECK(b.frames[0].body == Bytes{1, 2, 3});
  CHECK(b.ups == std::vector{a.ref()});
  CHECK(a.ups == std::vector{b.ref()});
  b.send(a, {9});
  REQUIRE(run_until(loop, [&] { return a.frames.size() == 1; }));
  CHECK(a.transport.stats().connections == 1);
  CHECK(b.transport.stats().connections == 1);
  CHECK(b.transport.stats().accepted == 1);
}

TEST_CASE("frames of one link arrive whole and in order, from empty to the largest") {
  uv::Loop loop;
  Node a(loop, new_identity());
  Node b(loop, new_identity());
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < 200; ++i) sizes.push_back(i * i % 3000);
  sizes.push_back(chord::max_frame_body);
  sizes.push_back(0);
  a.transport.dial(b.address);
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 1; }));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    a.send(b, Bytes(sizes[i], static_cast<std::uint8_t>(i)), i + 1);
  }
  REQUIRE(run_until(loop, [&] { return b.frames.size() == sizes.size(); }));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(b.frames[i].request == i + 1);
    CHECK(b.frames[i].body == Bytes(sizes[i], static_cast<std::uint8_t>(i)));
  }
}

TEST_CASE("a limit of bytes a second holds for all links together, and nothing is lost") {
  uv::Loop loop;
  TransportOptions slow = quick_options();
  slow.upload_per_second = 200'000;
  Node a(loop, new_identity(), service::builtin_overlay(), slow);
  Node b(loop, new_identity());
  Node c(loop, new_identity());
  for (Node* to : {&b, &c}) a.transport.dial(to->address);
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 2; }));
  Time begin = loop.now();
  for (int i = 0; i < 10; ++i) {
    for (Node* to : {&b, &c}) a.send(*to, Bytes(15'000, static_cast<std::uint8_t>(i)));
  }
  std::size_t first = 0;  // of the other link, when one link has everything
  REQUIRE(run_until(loop, [&] {
    if (b.frames.size() == 10 || c.frames.size() == 10)
      first = std::max(first, std::min(b.frames.size(), c.frames.size()));
    return b.frames.size() == 10 && c.frames.size() == 10;
  }));
  CHECK(loop.now() - begin > std::chrono::milliseconds(1000));  // 300 KB, 50 of them at once
  CHECK(first >= 8);                                            // they take turns
  for (int i = 0; i < 10; ++i) {
    CHECK(b.frames[static_cast<std::size_t>(i)].body ==
          Bytes(15'000, static_cast<std::uint8_t>(i)));
  }
}

TEST_CASE("an address where nobody listens is unreachable, and so is one that is none") {
  uv::Loop loop;
  Node a(loop, new_identity());
  chord::PeerRef nobody{.id = new_identity().id(), .address = "127.0.0.1:1"};
  a.transport.send({.peer = nobody, .type = 0x20});
  REQUIRE(run_until(loop, [&] { return a.failures.size() == 1; }));
  CHECK(a.failures[0] == "cannot connect to 127.0.0.1:1: connection refused");
  nobody.address = "nonsense";
  a.transport.send({.peer = nobody, .type = 0x20});
  CHECK(a.failures.size() == 1);  // never from inside the call
  REQUIRE(run_until(loop, [&] { return a.failures.size() == 2; }));
  CHECK(a.failures[1].find("HOST:PORT") != std::string::npos);
  CHECK(a.transport.stats().connections == 0);
}

TEST_CASE("whoever answers with another id than the expected one is not talked to") {
  uv::Loop loop;
  Node a(loop, new_identity());
  Node b(loop, new_identity());
  a.transport.send({.peer = {.id = new_identity().id(), .address = b.address}, .type = 0x20});
  REQUIRE(run_until(loop, [&] { return a.failures.size() == 1 && b.lines.size() == 1; }));
  CHECK(a.failures[0].find("another node") != std::string::npos);
  CHECK(b.frames.empty());
  CHECK(b.ups.empty());
  CHECK(a.ups.empty());
}

TEST_CASE("a node that dials itself learns so") {
  uv::Loop loop;
  Node a(loop, new_identity());
  a.transport.dial(a.address);
  REQUIRE(run_until(loop, [&] { return a.failures.size() == 1; }));
  CHECK(a.failures[0] == "this is the node itself");
  CHECK(a.ups.empty());
  CHECK(a.copies.empty());
}

TEST_CASE("a node that dials a copy of itself tells both of the other's epoch") {
  uv::Loop loop;
  Identity twice = new_identity();
  Node old(loop, twice, service::builtin_overlay(), quick_options(), 5);
  Node fresh(loop, twice, service::builtin_overlay(), quick_options(), 6);
  fresh.transport.dial(old.address);
  REQUIRE(run_until(loop, [&] { return !old.copies.empty() && !fresh.copies.empty(); }));
  REQUIRE(run_until(loop, [&] { return fresh.failures.size() == 1; }));
  CHECK(old.copies == std::vector<std::uint64_t>{6});
  CHECK(fresh.copies == std::vector<std::uint64_t>{5});
  CHECK(old.ups.empty());
  CHECK(fresh.ups.empty());
}

TEST_CASE("when both dial at once one link is left, and nothing sent is lost") {
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    uv::Loop loop;
    Node a(loop, new_identity());
    Node b(loop, new_identity());
    // Different head starts reach different interleavings of the two handshakes.
    a.send(b, {1});
    for (int step = 0; step < round / 2; ++step) loop.run_ready();
    b.send(a, {2});
    a.send(b, {3});
    REQUIRE(run_until(loop, [&] { return a.frames.size() >= 1 && b.frames.size() >= 2; }));
    REQUIRE(run_until(loop, [&] {
      return a.transport.stats().connections == 1 && b.transport.stats().connections == 1;
    }));
    a.send(b, {4});
    b.send(a, {5});
    REQUIRE(run_until(loop, [&] { return a.frames.size() == 2 && b.frames.size() == 3; }));
    CHECK(a.ups.size() == 1);
    CHECK(b.ups.size() == 1);
    CHECK(a.downs.empty());
    CHECK(b.downs.empty());
    CHECK(a.failures.empty());
    CHECK(b.failures.empty());
    CHECK(a.transport.links()[0].dialled != b.transport.links()[0].dialled);
  }
}

TEST_CASE("a restarted peer replaces its old link, an older start of it is refused") {
  uv::Loop loop;
  Identity twice = new_identity();
  Node a(loop, new_identity());
  auto old = std::make_unique<Node>(loop, twice, service::builtin_overlay(), quick_options(), 5);
  old->send(a, {1});
  REQUIRE(run_until(loop, [&] { return a.frames.size() == 1; }));
  Node fresh(loop, twice, service::builtin_overlay(), quick_options(), 6);
  fresh.send(a, {2});
  REQUIRE(run_until(loop, [&] { return a.frames.size() == 2; }));
  CHECK(a.epochs == std::vector<std::uint64_t>{5, 6});
  CHECK(a.downs == std::vector{fresh.transport.id()});
  REQUIRE(run_until(loop, [&] { return !old->downs.empty(); }));
  old->send(a, {3});
  REQUIRE(run_until(loop, [&] { return old->failures.size() == 1; }));
  CHECK(old->failures[0].find("later start") != std::string::npos);
  CHECK(old->superseded_by == std::vector{a.transport.id()});
  CHECK(old->later_at_said == std::vector{fresh.address});
  CHECK(fresh.superseded_by.empty());
  CHECK(a.transport.linked(fresh.transport.id()));
  CHECK(a.frames.size() == 2);
}

TEST_CASE("a link whose other end has died does not keep an earlier start of that peer out") {
  uv::Loop loop, grave;  // what lives on a loop that nobody turns is dead to its peers
  Identity twice = new_identity();
  TransportOptions options = quick_options();
  options.proof_timeout = std::chrono::milliseconds(100);
  Node a(loop, new_identity(), service::builtin_overlay(), options);
  Node later(grave, twice, service::builtin_overlay(), quick_options(), 6);
  later.send(a, {1});
  REQUIRE(run_until(loop, [&] {
    grave.run_ready();
    return a.frames.size() == 1;
  }));
  Node earlier(loop, twice, service::builtin_overlay(), quick_options(), 5);
  earlier.send(a, {2});
  REQUIRE(run_until(loop, [&] { return a.frames.size() == 2; }));
  CHECK(a.epochs == std::vector<std::uint64_t>{6, 5});
  CHECK(a.downs == std::vector{earlier.transport.id()});
  CHECK(a.down_reasons[0].find("does not answer") != std::string::npos);
  CHECK(earlier.superseded_by.empty());
  CHECK(earlier.failures.empty());
}

TEST_CASE("a peer of another overlay is told so") {
  uv::Loop loop;
  service::Overlay other = service::builtin_overlay();
  other.name = "other";
  Node a(loop, new_identity());
  Node b(loop, new_identity(), other);
  b.transport.dial(a.address);
  REQUIRE(run_until(loop, [&] { return b.failures.size() == 1; }));
  CHECK(b.failures[0].find("another overlay") != std::string::npos);
  CHECK(a.ups.empty());
  CHECK(b.ups.empty());
  CHECK(a.lines.size() == 1);
}

TEST_CASE("closing a link sends what was queued first") {
  uv::Loop loop;
  Node a(loop, new_identity());
  Node b(loop, new_identity());
  a.transport.dial(b.address);
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 1 && b.ups.size() == 1; }));
  a.send(b, Bytes(100000, 7));
  a.transport.close(b.transport.id());
  CHECK(a.downs.empty());
  REQUIRE(run_until(loop, [&] { return a.downs.size() == 1 && b.downs.size() == 1; }));
  CHECK(b.frames.size() == 1);
  REQUIRE(run_until(loop, [&] { return a.transport.stats().connections == 0; }));
}

TEST_CASE("two peers that each have more to say than fits stop reading, but not for ever") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.read_pause_at = 1024;
  options.read_pause_limit = milliseconds(50);
  options.write_queue = 64 * 1024 * 1024;
  Node a(loop, new_identity(), service::builtin_overlay(), options);
  Node b(loop, new_identity(), service::builtin_overlay(), options);
  a.transport.dial(b.address);
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 1 && b.ups.size() == 1; }));
  constexpr std::size_t count = 200;  // 12 MB each way, more than the kernel takes
  for (std::size_t i = 0; i < count; ++i) {
    a.send(b, Bytes(60'000, 1));
    b.send(a, Bytes(60'000, 2));
  }
  REQUIRE(run_until(loop, [&] { return a.frames.size() == count && b.frames.size() == count; }));
  CHECK(a.downs.empty());
}

TEST_CASE("links beyond the idle pool are closed, those unused longest first") {
  uv::Loop loop;
  TransportOptions options = quick_options();
  options.idle_pool = 2;
  options.idle_after = milliseconds(100);
  Node hub(loop, new_identity(), service::builtin_overlay(), options);
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 4; ++i) {
    nodes.push_back(std::make_unique<Node>(loop, new_identity()));
    nodes.back()->transport.dial(hub.address);
    REQUIRE(run_until(loop, [&] { return hub.ups.size() == nodes.size(); }));
  }
  REQUIRE(run_until(loop, [&] { return hub.downs.size() == 2; }));
  CHECK(hub.downs[0] == nodes[0]->transport.id());
  CHECK(hub.downs[1] == nodes[1]->transport.id());
  run_for(loop, milliseconds(150));
  CHECK(hub.transport.stats().links == 2);
}

TEST_CASE("IPv6 and host names work like IPv4") {
  uv::Loop loop;
  Node a(loop, new_identity());
  Node b(loop, new_identity());
  auto v6 = b.transport.listen("[::1]:0");
  if (!v6) {
    MESSAGE("skipped: this machine has no IPv6 loopback: " << v6.error().text);
    return;
  }
  a.transport.send({.peer = {.id = b.transport.id(), .address = *v6}, .type = 0x20});
  REQUIRE(run_until(loop, [&] { return b.frames.size() == 1; }));
  Node c(loop, new_identity());
  std::string port = b.address.substr(b.address.rfind(':'));
  c.transport.send({.peer = {.id = b.transport.id(), .address = "localhost" + port}, .type = 0x20});
  REQUIRE(run_until(loop, [&] { return b.frames.size() == 2; }));
  c.transport.dial("no-such-host.invalid:7000");
  REQUIRE(run_until(loop, [&] { return c.failures.size() == 1; }));
  CHECK(c.failures[0].find("cannot find host \"no-such-host.invalid\"") != std::string::npos);
}

TEST_CASE("a node that listens everywhere is known by the address it is seen at") {
  uv::Loop loop;
  Node a(loop, new_identity());
  struct Silent final : TransportListener {
    void frame(chord::Frame) override {}
    void link_up(const chord::PeerRef&, std::uint64_t) override {}
    void link_down(const chord::Id&, const Error&) override {}
    void unreachable(const chord::PeerRef&, const Error&) override {}
    void log(LogLine) override {}
  } silent;
  Transport wide(loop, new_identity(), service::builtin_overlay(), 1, silent, quick_options());
  auto real = wide.listen("0.0.0.0:0");
  REQUIRE(real);
  wide.dial(a.address);
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 1; }));
  CHECK(a.ups[0].address == "127.0.0.1" + real->substr(real->rfind(':')));
}

TEST_CASE("a node that listens at [::] is reached by IPv4 too, and knows its peers by IPv4") {
  uv::Loop loop;
  Node a(loop, new_identity());
  auto both = a.transport.listen("[::]:0");
  if (!both) {
    MESSAGE("skipped: this machine has no IPv6: " << both.error().text);
    return;
  }
  std::string port = both->substr(both->rfind(':'));
  Node b(loop, new_identity());
  b.transport.dial("127.0.0.1" + port);
  Transport nameless(loop, new_identity(), service::builtin_overlay(), 1, b, quick_options());
  nameless.dial("127.0.0.1" + port);  // listens nowhere: known by where it came from
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 2; }));
  for (const chord::PeerRef& peer : a.ups) CHECK(peer.address.starts_with("127.0.0.1:"));
}

TEST_CASE("a port in use is said with the cure") {
  uv::Loop loop;
  Node a(loop, new_identity());
  Node b(loop, new_identity());
  auto twice = b.transport.listen(a.address);
  REQUIRE_FALSE(twice);
  CHECK(twice.error().text ==
        "cannot listen on " + a.address +
            ": address already in use; choose another with --listen HOST:PORT");
}

TEST_CASE("a link that closed is dialled again by the next frame") {
  uv::Loop loop;
  Node a(loop, new_identity());
  Node b(loop, new_identity());
  a.send(b, {1});
  REQUIRE(run_until(loop, [&] { return b.frames.size() == 1; }));
  b.transport.close(a.transport.id());
  REQUIRE(run_until(loop, [&] { return a.downs.size() == 1; }));
  a.send(b, {2});
  REQUIRE(run_until(loop, [&] { return b.frames.size() == 2; }));
  CHECK(a.ups.size() == 2);
}

TEST_CASE("twelve nodes dial each other, and each pair ends with one link") {
  uv::Loop loop;
  TransportOptions patient = quick_options();  // 132 handshakes on one thread, on a slow day
  patient.dial_timeout = patient.hello_timeout = std::chrono::seconds(60);
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 12; ++i) {
    nodes.push_back(
        std::make_unique<Node>(loop, new_identity(), service::builtin_overlay(), patient));
  }
  for (auto& from : nodes) {
    for (auto& to : nodes) {
      if (from != to) from->send(*to, {1});
    }
  }
  auto settled = [&] {
    for (auto& node : nodes) {
      if (node->frames.size() != nodes.size() - 1) return false;
      if (node->transport.stats().connections != nodes.size() - 1) return false;
    }
    return true;
  };
  REQUIRE(run_until(loop, settled, std::chrono::seconds(60)));
  for (auto& node : nodes) {
    CHECK(node->ups.size() == nodes.size() - 1);
    CHECK(node->downs.empty());
    CHECK(node->failures.empty());
  }
}

TEST_CASE("a node whose clock is three days off is told to set it, whichever way it is off") {
  uv::Loop loop;
  TransportOptions ahead = quick_options(), behind = quick_options();
  ahead.wall = [] { return uv::wall_now() + std::chrono::hours(72); };
  behind.wall = [] { return uv::wall_now() - std::chrono::hours(72); };
  Node right(loop, new_identity());
  for (const TransportOptions& options : {ahead, behind}) {
    Node wrong(loop, new_identity(), service::builtin_overlay(), options);
    wrong.transport.dial(right.address);
    REQUIRE(run_until(loop, [&] { return wrong.failures.size() == 1; }));
    CAPTURE(wrong.failures[0]);
    CHECK(wrong.failures[0].find("this machine's clock") != std::string::npos);
    CHECK(right.ups.empty());
  }
}

TEST_SUITE_END();
