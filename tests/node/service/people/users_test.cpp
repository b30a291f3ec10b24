// SPDX-License-Identifier: MIT
#include "node/service/people/users.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/world/fake_net.h"
#include "tests/world/fast_signer.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/users");

namespace {

const profile::Schema& schema = profile::Schema::built_in();

/// One node that hosts users, and its disk.
struct House {
  test::FastSigner signer{};
  Users::Options options{};
  test::FakeNet net{1, {}, [this](test::FakeNode& node) {
                      auto users = std::make_shared<Users>(node, signer, schema, options);
                      loaded = users->load();
                      return users;
                    }};
  Result<void> loaded{};  // at the last start
  Id id = net.add().self().id;

  House() { net.start(id); }
  Users& users() { return net.node(id).component<Users>(); }
  MemoryStore& disk() { return net.node(id).disk(); }
  void restart() {
    net.crash(id);
    net.start(id);
    REQUIRE(loaded);
  }

  std::optional<bool> stored{};  // what became of the last change
  Context::WriteDone note() {
    stored.reset();
    return [this](const Result<void>& result) { stored = result.has_value(); };
  }
  void settle() { net.run_for(100ms); }
};

User named(User user, const std::string& name) {
  user.profile = hosted(schema, name);
  return user;
}

}  // namespace

TEST_CASE("a user the disk did not take is not there, and the next one is the first") {
  House house;
  house.disk().fail_commit(1);
  auto lost = house.users().create(empty_profile(), house.note());
  REQUIRE(lost);
  house.settle();
  CHECK(house.stored == false);
  CHECK(house.users().find(*lost) == nullptr);
  CHECK(house.users().me() == nullptr);
  auto kept = house.users().create(empty_profile(), house.note());
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
  auto id = house.users().create(empty_profile(), house.note());
  REQUIRE(id);
  house.settle();
  User user = *house.users().find(*id);

  house.disk().fail_commit(1);
  REQUIRE(house.users().change(named(user, "first"), house.note()));
  CHECK(house.users().find(*id)->profile->text == "first");
  house.settle();
  CHECK(house.stored == false);
  CHECK(house.users().find(*id)->profile->text == "{}");

  house.disk().fail_commit(1);
  REQUIRE(house.users().change(named(user, "second"), [](const Result<void>&) {}));
  REQUIRE(house.users().change(named(user, "third"), house.note()));
  house.settle();
  CHECK(house.stored == true);
  CHECK(house.users().find(*id)->profile->text == "third");

  house.disk().fail_commit(2);
  REQUIRE(house.users().change(named(user, "fourth"), [](const Result<void>&) {}));
  REQUIRE(house.users().change(named(user, "fifth"), house.note()));
  house.settle();
  CHECK(house.stored == false);
  CHECK(house.users().find(*id)->profile->text == "fourth");
  house.restart();
  CHECK(house.users().find(*id)->profile->text == "fourth");
}

TEST_CASE("all users come back after a restart, and the first one made is still the first") {
  House house;
  std::vector<UserId> made;
  for (int i = 0; i < 8; ++i) {
    auto id =
        house.users().create(hosted(schema, "{\"n\":" + std::to_string(i) + "}"), house.note());
    REQUIRE(id);
    made.push_back(*id);
  }
  User changed = *house.users().find(made[3]);
  changed.policy = Policy::nobody;
  changed.published = true;
  changed.version = 99;
  REQUIRE(house.users().change(changed, house.note()));
  house.settle();
  std::map<UserId, Bytes> before;
  for (const auto& [id, user] : house.users().all()) before[id] = encode(user);
  house.restart();
  REQUIRE(house.users().me() != nullptr);
  CHECK(house.users().me()->id() == made[0]);
  REQUIRE(house.users().all().size() == made.size());
  for (const auto& [id, row] : before) CHECK(encode(*house.users().find(id)) == row);
  CHECK(house.users().find(made[3])->policy == Policy::nobody);
}

TEST_CASE("a node hosts max_users, and one more when it may host more") {
  House house;
  house.options.max_users = 3;
  house.restart();
  for (int i = 0; i < 3; ++i) CHECK(house.users().create(empty_profile(), house.note()));
  auto refused = house.users().create(empty_profile(), house.note());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::refused);
  house.settle();
  house.restart();
  CHECK_FALSE(
      house.users().create(empty_profile(), house.note()));  // those of an earlier life count
  house.options.max_users = 4;
  house.restart();
  CHECK(house.users().create(empty_profile(), house.note()));
}

TEST_CASE("a profile holds 32 KiB, to make a user and to change it") {
  House house;
  std::string longest(User::max_profile_size, 'x');
  auto id = house.users().create(hosted(schema, longest), house.note());
  REQUIRE(id);
  house.settle();
  CHECK_FALSE(house.users().create(hosted(schema, longest + "x"), house.note()));
  User user = *house.users().find(*id);
  CHECK(house.users().change(user, house.note()));
  user.profile = hosted(schema, longest + "x");
  CHECK_FALSE(house.users().change(user, house.note()));
  house.settle();
  house.restart();
  CHECK(house.users().find(*id)->profile->text == longest);
}

TEST_CASE("a user is named by 6 to 40 digits that fit one user only") {
  House house;
  auto id = house.users().create(empty_profile(), house.note());
  REQUIRE(id);
  std::string hex = id->hex();
  CHECK(*house.users().resolve(hex) == *id);
  CHECK(*house.users().resolve(hex.substr(0, 6)) == *id);
  struct Case {
    std::string text;
    ErrorCode code;
  };
  for (const Case& c : {Case{hex.substr(0, 5), ErrorCode::invalid},
                        {hex + "0", ErrorCode::invalid},
                        {"", ErrorCode::invalid},
                        {std::string(40, '0'), ErrorCode::not_found}}) {
    CAPTURE(c.text);
    auto none = house.users().resolve(c.text);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == c.code);
  }
  std::set<std::string> prefixes;
  std::string shared;
  while (shared.empty()) {  // until two begin alike
    auto other = house.users().create(empty_profile(), house.note());
    REQUIRE(other);
    std::string prefix = other->hex().substr(0, 6);
    if (!prefixes.insert(prefix).second) shared = prefix;
  }
  auto ambiguous = house.users().resolve(shared);
  REQUIRE_FALSE(ambiguous);
  CHECK(ambiguous.error().text.find("fits 2 hosted users") != std::string::npos);
}

TEST_CASE("a first user that cannot be read, or is not hosted, stops the start") {
  House house;
  auto id = house.users().create(empty_profile(), house.note());
  REQUIRE(id);
  house.settle();
  Bytes me{'m', 'e'};
  auto row = house.disk().get(Table::meta, me);
  REQUIRE(row);
  REQUIRE(row->has_value());
  Bytes shorter(**row), longer(**row), another(**row);
  shorter.pop_back();
  longer.push_back(0);
  another[0] ^= 1;
  for (const Bytes& bad : {shorter, longer, another, Bytes{}}) {
    CAPTURE(to_hex(bad));
    REQUIRE(house.disk().commit({{.table = Table::meta, .key = me, .value = bad}}));
    house.net.crash(house.id);
    house.net.start(house.id);
    REQUIRE_FALSE(house.loaded);
    CHECK(house.loaded.error().text.find("the stored name of the first user") == 0);
  }
}

TEST_SUITE_END();
