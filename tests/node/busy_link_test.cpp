// SPDX-License-Identifier: MIT
// Whole nodes on real sockets, where requests and the replies they wait for share one link.
#include <doctest/doctest.h>

#include "node/driver.h"
#include "tests/node/io/temp_dir.h"
#include "tests/node/io/transport_world.h"
#include "tests/world/memory_store.h"

using namespace beckon;
using beckon::io::test::run_until;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::uint8_t question = 0x71, answer = 0x72;
constexpr std::uint8_t counter_question = 0x73, counter_answer = 0x74;

struct Member {
  Member(io::uv::Loop& loop, const beckon::test::TempDir& temp, const std::string& name)
      : log(*LogFile::open(temp.file(name + ".log"), {.level = LogLevel::error})) {
    Driver::Node node{.identity = io::new_identity(), .overlay = service::builtin_overlay()};
    node.listen = "127.0.0.1:0";
    node.socket = temp.file(name + ".sock");
    node.epoch = 1;
    node.options.kernel.ring.stabilize_every = milliseconds(100);
    driver = *Driver::open({loop, store, *log}, std::move(node));
  }
  service::Kernel& kernel() { return driver->service().kernel(); }
  bool joined() const {
    return driver->service().membership().state() == service::Membership::State::joined;
  }

  std::unique_ptr<LogFile> log;
  service::MemoryStore store{};
  std::unique_ptr<Driver> driver{};
};

}  // namespace

TEST_SUITE_BEGIN("node/busy_link");

TEST_CASE("requests that need replies of the very peer that asks are all answered, many at once") {
  io::uv::Loop loop;
  beckon::test::TempDir temp;
  Member owner(loop, temp, "owner"), writer(loop, temp, "writer");
  owner.driver->start(service::Up{.create = true});
  writer.driver->start(service::Up{.join = {owner.driver->transport().addresses().front()}});
  REQUIRE(run_until(loop, [&] { return owner.joined() && writer.joined(); }));

  // As a PUT does, whose copies go to the writer.
  owner.kernel().serve(question, [&](const service::Request& request) {
    owner.kernel().ask(request.from, counter_question, {}, seconds(3),
                       [&, request](const Result<chord::Frame>& reply) {
                         if (!reply) return owner.kernel().refuse(request, reply.error());
                         owner.kernel().reply(request, answer, {});
                       });
  });
  writer.kernel().serve(counter_question, [&](const service::Request& request) {
    writer.kernel().reply(request, counter_answer, {});
  });
  constexpr int count = 400;
  int done = 0, answered = 0;
  for (int i = 0; i < count; ++i) {
    writer.kernel().ask(owner.kernel().self(), question, Bytes(200, 1), seconds(8),
                        [&](const Result<chord::Frame>& reply) {
                          ++done;
                          if (reply) ++answered;
                        });
  }
  REQUIRE(run_until(loop, [&] { return done == count; }));
  CHECK(answered == count);
  CHECK(owner.kernel().counters().expired == 0);
  CHECK(writer.kernel().counters().expired == 0);
}

TEST_SUITE_END();
