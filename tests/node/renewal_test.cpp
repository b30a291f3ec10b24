// SPDX-License-Identifier: MIT
// Whole nodes with TLS, disk and a clock of our own: weeks pass between two turns of the loop.
#include <doctest/doctest.h>

#include "node/driver.h"
#include "node/io/authority.h"
#include "tests/node/io/temp_dir.h"
#include "tests/node/io/transport_world.h"
#include "tests/world/memory_store.h"

using namespace beckon;
using beckon::io::test::run_until;
using std::chrono::hours;
using std::chrono::milliseconds;

namespace {

hours ahead{0};
WallTime shifted_clock() { return io::uv::wall_now() + ahead; }

/// One node of the overlay "club". Renewal looks at the clock all the time.
struct Member {
  Member(io::uv::Loop& loop, const beckon::test::TempDir& temp, const std::string& name,
         Driver::Node node)
      : log(*LogFile::open(temp.file(name + ".log"), {.level = LogLevel::error})) {
    node.listen = "127.0.0.1:0";
    node.socket = temp.file(name + ".sock");
    node.epoch = 1;
    node.wall = shifted_clock;
    node.options.kernel.ring.stabilize_every = milliseconds(100);
    node.renewal = {.look_every = milliseconds(20),
                    .first_retry = milliseconds(20),
                    .last_retry = milliseconds(100)};
    node.keep_credential = [this](const service::Credential& fresh) -> Result<void> {
      kept.push_back(fresh);
      return {};
    };
    driver = *Driver::open({loop, store, *log}, std::move(node));
  }
  std::string address() const { return driver->transport().addresses().front(); }
  bool joined() const {
    return driver->service().membership().state() == service::Membership::State::joined;
  }

  std::unique_ptr<LogFile> log;
  service::MemoryStore store{};
  std::vector<service::Credential> kept{};
  std::unique_ptr<Driver> driver{};
};

}  // namespace

TEST_SUITE_BEGIN("node/renewal");

TEST_CASE("members of a closed overlay stay for months, though each credential lasts one") {
  ahead = hours(0);
  beckon::test::TempDir temp;
  std::filesystem::path folder(temp.file("authority"));
  service::Overlay overlay = *io::Authority::create(folder, {.name = "club"});
  io::Authority authority = *io::Authority::open(folder, overlay);
  auto admitted = [&] {
    io::Identity self = io::new_identity();
    auto invite = *authority.invite(self.id(), {"127.0.0.1:1"}, shifted_clock());
    self.credential = *authority.admit(
        self.key, {.kind = service::EnrolRequest::Kind::join, .secret = *invite.secret},
        shifted_clock());
    return self;
  };
  io::uv::Loop loop;
  io::Identity first = io::new_identity();
  first.credential = *authority.admit_self(first.key, shifted_clock());
  io::Identity second = admitted();
  Member founder(loop, temp, "founder",
                 {.identity = first,
                  .overlay = overlay,
                  .authority_node = first.id(),
                  .enroller = &authority});
  Member guest(loop, temp, "guest",
               {.identity = second, .overlay = overlay, .authority_node = first.id()});
  founder.driver->start(service::Up{.create = true});
  guest.driver->start(service::Up{.join = {founder.address()}});
  REQUIRE(run_until(loop, [&] { return founder.joined() && guest.joined(); }));
  CHECK(founder.kept.empty());
  CHECK(guest.kept.empty());

  for (std::size_t round = 1; round <= 3; ++round) {
    CAPTURE(round);
    ahead += 21 * hours(24);
    REQUIRE(run_until(loop,
                      [&] { return founder.kept.size() == round && guest.kept.size() == round; }));
    for (const Member* member : {&founder, &guest}) {
      CHECK(member->kept.back().not_after > shifted_clock() + 29 * hours(24));
    }
  }
  CHECK(service::node_id(second.key, guest.kept.back().nonce) == second.id());

  // 63 days later the first credentials are long over; a new link shows the new ones.
  founder.driver->transport().close(second.id());
  REQUIRE(run_until(loop, [&] { return !founder.driver->transport().linked(second.id()); }));
  REQUIRE(run_until(loop, [&] { return founder.driver->transport().linked(second.id()); }));
  ahead = hours(0);
}

TEST_SUITE_END();
