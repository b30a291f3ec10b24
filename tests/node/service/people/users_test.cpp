#include "node/service/people/users.h"

#include <doctest/doctest.h>

#include "tests/world/fake_net.h"
#include "tests/world/fast_signer.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/users");

namespace {

/// One node that hosts users, and its disk.
struct House {
  test::FastSigner signer{};
  test::FakeNet net{1, {}, [this](test::FakeNode& node) {
                      auto users = std::make_shared<Users>(node, signer, Users::Options{});
                      REQUIRE(users->load());
                      return users;
                    }};
  Id id = net.add().self().id;

  House() { net.start(id); }
  Users& users() { return net.node(id).component<Users>(); }
  MemoryStore& disk() { return net.node(id).disk(); }
  void restart() {
    net.crash(id);
    net.start(id);
  }

  std::optional<bool> stored{};  // what became of the last change
  Context::WriteDone note() {
    stored.reset();
    return [this](const Result<void>& result) { stored = result.has_value(); };
  }
  void settle() { net.run_for(100ms); }
};

User named(User user, const std::string& name) {
  user.profile = name;
  return user;
}

}  // namespace

TEST_CASE("a user the disk did not take is not there, and the next one is the first") {
  House house;
  house.disk().fail_commit(1);
  auto lost = house.users().create("{}", house.note());
  REQUIRE(lost);
  house.settle();
  CHECK(house.stored == false);
  CHECK(house.users().find(*lost) == nullptr);
  CHECK(house.users().me() == nullptr);
  auto kept = house.users().create("{}", house.note());
  REQUIRE(kept);
  house.settle();
  CHECK(house.stored == true);
  house.restart();
  REQUIRE(house.users().me() != nullptr);
  CHECK(house.users().me()->id() == *kept);
  CHECK(house.users().all().size() == 1);
}

TEST_CASE("a change the disk did not take is undone, unless a later one has replaced it") {
  House house;
  auto id = house.users().create("{}", house.note());
  REQUIRE(id);
  house.settle();
  User user = *house.users().find(*id);

  house.disk().fail_commit(1);
  REQUIRE(house.users().change(named(user, "first"), house.note()));
  CHECK(house.users().find(*id)->profile == "first");
  house.settle();
  CHECK(house.stored == false);
  CHECK(house.users().find(*id)->profile == "{}");

  house.disk().fail_commit(1);
  REQUIRE(house.users().change(named(user, "second"), [](const Result<void>&) {}));
  REQUIRE(house.users().change(named(user, "third"), house.note()));
  house.settle();
  CHECK(house.stored == true);
  CHECK(house.users().find(*id)->profile == "third");

  house.disk().fail_commit(2);
  REQUIRE(house.users().change(named(user, "fourth"), [](const Result<void>&) {}));
  REQUIRE(house.users().change(named(user, "fifth"), house.note()));
  house.settle();
  CHECK(house.stored == false);
  CHECK(house.users().find(*id)->profile == "fourth");
  house.restart();
  CHECK(house.users().find(*id)->profile == "fourth");
}

TEST_SUITE_END();
