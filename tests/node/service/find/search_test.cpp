// SPDX-License-Identifier: MIT
#include "node/service/find/search.h"

#include <doctest/doctest.h>

#include "node/service/kernel/frames.h"
#include "tests/node/service/find/search_world.h"
#include "tests/profile/person/people.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::SearchWorld;
using Ids = std::set<UserId>;

TEST_SUITE_BEGIN("service/search");

TEST_CASE("who published is found from another node by text, range, place and LDAP filter") {
  SearchWorld w(8);
  UserId alice = w.publish(
      0,
      R"({"name":"Alice Lin","hobby":["chess","go"],"age":24,"latitude":25.05,"longitude":121.53})");
  UserId bob = w.publish(1, R"({"name":"Bo Wu","hobby":"chess","age":41})");
  CHECK(w.find(5, "hobby=chess").verified == Ids{alice, bob});
  CHECK(w.find(5, "hobby=CHESS age=20..30").verified == Ids{alice});
  CHECK(w.find(6, "near=25.04,121.52,5km").verified == Ids{alice});
  CHECK(w.find(7, "(&(hobby=chess)(!(age=24)))").verified == Ids{bob});
  auto none = w.find(7, "hobby=chess age=90..99");
  CHECK(none.verified.empty());
  CHECK(none.report.complete);
}

TEST_CASE("a card shows what is public only, and what merely matches stays with the host") {
  SearchWorld w(6);
  w.publish(0, R"({"name":"Carol","hobby":"go","income":50000,"visibility":{"hobby":"match"}})");
  auto answer = w.find(3, "hobby=go income=40k..60k");
  REQUIRE(answer.persons.size() == 1);
  CHECK(answer.persons[0].card.find("Carol") != std::string::npos);
  CHECK(answer.persons[0].card.find("go") == std::string::npos);
  CHECK(answer.persons[0].card.find("50000") == std::string::npos);
}

TEST_CASE("an answer lacks somebody whose host is slow, and is complete without who is away") {
  SearchWorld w(6);
  w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  UserId bob = w.publish(1, R"({"name":"Bob","hobby":"chess"})");
  w.net.node(w.places[0]).on(raw(FrameType::verify_req), [](const Request&) {});
  auto slow = w.find(3, "hobby=chess");
  CHECK(slow.verified == Ids{bob});
  CHECK(slow.report.slow == 1);
  CHECK(slow.report.offline == 1);
  CHECK_FALSE(slow.report.complete);
  auto enough = w.find(3, "hobby=chess", 1);
  CHECK(enough.verified == Ids{bob});
  CHECK(enough.report.complete);

  w.net.crash(w.places[0]);
  w.net.run_for(1min);
  auto away = w.find(3, "hobby=chess");
  CHECK(away.verified == Ids{bob});
  CHECK(away.report.slow == 0);
  CHECK(away.report.offline == 1);
  CHECK(away.report.complete);
}

TEST_CASE("who is remembered as owner of a key is asked first, and replaced once it is not") {
  SearchWorld w(8);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  Id key = w.key_of("hobby=chess");
  std::size_t asker = 0;
  while (w.net.true_replicas(key, 3)[0] == w.places[asker]) ++asker;
  auto index_nodes = [&] {
    auto answer = w.find(asker, "hobby=chess");
    CHECK(answer.verified == Ids{alice});
    CHECK(answer.report.complete);
    std::vector<Id> out;
    for (const auto& read : answer.report.reads) out.push_back(read.node.id);
    return out;
  };
  Id old = w.net.true_replicas(key, 1)[0];
  CHECK(index_nodes() == std::vector{old});
  w.net.add(key);  // right at the key: now it is the owner
  w.net.start(key);
  w.net.run_for(1min);
  CHECK(index_nodes() == std::vector{old, key});
  w.net.run_for(2min);  // forgotten
  CHECK(index_nodes() == std::vector{key});
  w.net.crash(key);
  w.net.run_for(1min);
  CHECK(index_nodes().front() == old);
}

TEST_CASE("an owner that could not compare with its copies yet says so, however long it takes") {
  SearchWorld w(8);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  Id key = w.key_of("hobby=chess");
  auto near = w.net.true_replicas(key, 3);
  std::size_t asker = 0;
  auto asker_is_near = [&] { return std::ranges::count(near, w.places[asker]) > 0; };
  while (asker_is_near()) ++asker;
  bool silent = true;
  for (const Id& copy : {near[1], near[2]}) {
    w.net.node(copy).on(raw(FrameType::sync_digest_req), [&, copy](const Request& request) {
      if (!silent) w.net.node(copy).component<test::SearchNode>().replicas.handle(request);
    });
  }
  // The host keeps its disk, with the person on it; so the key's owner is somebody else.
  REQUIRE(near[0] != w.places[0]);
  w.net.crash(near[0]);
  w.net.node(near[0]).disk().wipe();
  w.net.start(near[0]);
  auto found = [&] {
    auto answer = w.find(asker, "hobby=chess");
    CHECK(answer.verified == Ids{alice});
    CHECK(answer.report.complete);
    return answer.report.asked;
  };
  for (int i = 0; i < 6; ++i) {
    CHECK(found() > 1);
    w.net.run_for(5s);
  }
  silent = false;
  w.net.run_for(1min);
  CHECK(found() == 1);
}

TEST_CASE("a private value is found by nobody") {
  SearchWorld w(6);
  w.publish(0, R"({"name":"Dan","hobby":"poker","visibility":{"hobby":"private"}})");
  CHECK(w.find(3, "hobby=poker").verified.empty());
  CHECK(w.find(3, "name=dan").verified.size() == 1);
}

TEST_CASE("a changed profile is found by its new values only, and a withdrawn one not at all") {
  SearchWorld w(8);
  UserId id = w.publish(0, R"({"name":"Eve","hobby":"chess","age":30})");
  User user = *w.at(0).users.find(id);
  user.profile = hosted(w.schema, R"({"name":"Eve","hobby":"tennis","age":31})");
  REQUIRE(w.at(0).users.change(user, [](const Result<void>&) {}));
  CHECK(w.find(4, "hobby=chess").verified == Ids{id});  // not published yet
  REQUIRE(w.publish_again(0, id));
  auto old = w.find(4, "hobby=chess");
  CHECK(old.verified.empty());
  CHECK(old.report.candidates == 0);
  CHECK(w.find(4, "hobby=tennis age=31").verified == Ids{id});
  REQUIRE(w.withdraw(0, id));
  auto gone = w.find(4, "name=eve");
  CHECK(gone.verified.empty());
  CHECK(gone.report.candidates == 0);
}

TEST_CASE("what is saved but not published stays at home, also when records are renewed") {
  for (std::string cause : {"period", "restart", "retry"}) {
    CAPTURE(cause);
    SearchWorld w(8);
    std::string published = R"({"name":"Eve","hobby":"chess"})";
    std::string draft = R"({"name":"Eve","hobby":["chess","secret"]})";
    UserId id = w.publish(0, published);
    if (cause == "retry") {  // what cannot be stored now is tried again later
      bool failed = false;
      w.net.options().loss = 1;
      w.at(0).search.publisher().publish(id, [&](const auto&) { failed = true; });
      REQUIRE(w.net.run_until([&] { return failed; }, 10min));
      w.net.options().loss = 0;
    }
    User user = *w.at(0).users.find(id);
    user.profile = hosted(w.schema, draft);
    REQUIRE(w.at(0).users.change(user, [](const Result<void>&) {}));
    w.net.run_for(1s);  // it is on the disk
    if (cause == "period") w.net.run_for(9h);
    if (cause == "restart") {
      w.net.crash(w.places[0]);
      w.net.start(w.places[0]);
    }
    w.net.run_for(3min);
    const User& now = *w.at(0).users.find(id);
    CHECK(now.version > user.version);  // it was renewed
    CHECK(now.published_profile->text == published);
    CHECK(now.profile->text == draft);
    CHECK(w.find(4, "hobby=secret").report.candidates == 0);
    CHECK(w.find(4, "hobby=chess").verified == Ids{id});
  }
}

TEST_CASE("what is saved while a publication waits for its turn is not in it") {
  SearchWorld w(8);
  UserId id = w.publish(0, R"({"name":"Eve","hobby":"chess"})");
  User user = *w.at(0).users.find(id);
  auto save = [&](const char* profile) {
    user = *w.at(0).users.find(id);
    user.profile = hosted(w.schema, profile);
    REQUIRE(w.at(0).users.change(user, [](const Result<void>&) {}));
  };
  w.at(0).search.publisher().start();  // a renewal is under way
  save(R"({"name":"Eve","hobby":"go"})");
  std::optional<bool> done;
  w.at(0).search.publisher().publish(id, [&](const auto& result) { done = result.has_value(); });
  save(R"({"name":"Eve","hobby":"secret"})");
  REQUIRE(w.net.run_until([&] { return done.has_value(); }, 60s));
  CHECK(w.find(4, "hobby=secret").report.candidates == 0);
  CHECK(w.find(4, "hobby=go").verified == Ids{id});
}

TEST_CASE(
    "an owner whose host is away is reported as unverified, and found again when it returns") {
  SearchWorld w(8);
  UserId id = w.publish(2, R"({"name":"Finn","hobby":"sailing"})");
  w.net.crash(w.places[2]);
  w.net.run_for(20s);
  auto away = w.find(5, "hobby=sailing");
  CHECK(away.verified.empty());
  CHECK(away.unverified == Ids{id});
  CHECK(away.report.offline == 1);
  w.net.start(w.places[2]);
  w.net.run_for(20s);
  CHECK(w.find(5, "hobby=sailing").verified == Ids{id});
}

TEST_CASE("a search stops at its limit and goes on where it stopped, without repeating anybody") {
  SearchWorld w(6);
  Ids all;
  for (int i = 0; i < 45; ++i) {
    all.insert(w.publish(static_cast<std::size_t>(i) % 6,
                         R"({"hobby":"chess","age":)" + std::to_string(20 + i) + "}"));
  }
  auto first = w.find(0, "hobby=chess", 20);
  CHECK(first.verified.size() == 20);
  CHECK(first.report.limited);
  auto second = w.more(0, first.id, 20);
  CHECK(second.verified.size() == 20);
  auto third = w.more(0, first.id, 20);
  CHECK(third.verified.size() == 5);
  CHECK_FALSE(third.report.limited);
  Ids together = first.verified;
  for (const Ids* more : {&second.verified, &third.verified})
    together.insert(more->begin(), more->end());
  CHECK(together == all);
  CHECK_FALSE(w.at(0).search.finder().open(first.id));
}

TEST_CASE("people whose hosts are away count towards the limit if they are asked for") {
  SearchWorld w(8);
  Ids all;
  for (int i = 0; i < 30; ++i) all.insert(w.publish(2, R"({"hobby":"sailing"})"));
  for (int i = 0; i < 3; ++i) all.insert(w.publish(3, R"({"hobby":"sailing"})"));
  w.net.crash(w.places[2]);
  w.net.run_for(20s);
  auto answer = w.find(5, "hobby=sailing", {.limit = 7, .unverified = true});
  CHECK(answer.persons.size() == 7);
  CHECK(answer.report.limited);
  Ids together;
  std::size_t told = 0;
  auto add = [&](const SearchWorld::Answer& more) {
    together.insert(more.verified.begin(), more.verified.end());
    together.insert(more.unverified.begin(), more.unverified.end());
    told += more.persons.size();
  };
  add(answer);
  while (answer.report.limited) {
    Finder::SearchId id = answer.id;
    answer = w.more(5, id, 7);
    answer.id = id;
    CHECK(answer.persons.size() <= 7);
    add(answer);
  }
  CHECK(together == all);
  CHECK(told == all.size());
  CHECK(w.find(5, "hobby=sailing", {.limit = 3}).verified.size() == 3);  // only who answered counts
}

TEST_CASE("the records of a way are those of all its keys together, counted or read") {
  SearchWorld w(6);
  for (int i = 0; i < 5; ++i) w.publish(0, R"({"hobby":"chess"})");
  for (int i = 0; i < 3; ++i) w.publish(1, R"({"hobby":"go"})");
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    auto report = w.find(3, "hobby=chess,go").report;
    REQUIRE(report.ways.front().chosen);
    CHECK(report.ways.front().listed == 8);
  }
}

TEST_CASE("no copy of a key is read twice in one search, also while the ring settles") {
  SearchWorld w(8);
  UserId alice = w.publish(0, R"({"hobby":"chess"})");
  for (const Id& place : w.places) {  // all say that the ring has changed just now
    test::FakeNode& node = w.net.node(place);
    node.on(raw(FrameType::query_req), [&w, &node](const Request& request) {
      auto asked = decode<QueryRequest>(request.body);
      QueryReply reply{.settling = true};
      node.component<test::SearchNode>().replicas.table().each_at(
          asked->key, ItemKind::index_item, [&](const Item& item) {
            ByteView record = record_of(item.bytes);
            reply.records.emplace_back(record.begin(), record.end());
            return true;
          });
      node.reply(request, raw(FrameType::query_rep), encode(reply));
    });
  }
  for (int round = 0; round < 2; ++round) {  // the second time the owner is remembered
    CAPTURE(round);
    auto answer = w.find(5, "hobby=chess");
    CHECK(answer.verified == Ids{alice});
    CHECK(answer.report.complete);
    Ids nodes;
    for (const FindReport::Read& read : answer.report.reads) nodes.insert(read.node.id);
    CHECK(nodes.size() == answer.report.reads.size());
    CHECK(nodes.size() == 3);
  }
}

TEST_CASE("searches that stopped at their limit never keep others from asking") {
  SearchWorld w(4);
  for (std::size_t i = 0; i < 6; ++i) w.publish(i % 4, R"({"hobby":"chess"})");
  Finder::SearchId last{};
  for (int i = 0; i < 200; ++i) {
    auto answer = w.find(0, "hobby=chess", 2);
    CHECK(answer.verified.size() == 2);
    last = answer.id;
  }
  CHECK(w.more(0, last, 10).verified.size() == 4);
}

TEST_CASE("no more hosts are asked than the limit needs") {
  SearchWorld w(12);
  for (std::size_t i = 0; i < 96; ++i) w.publish(i % 12, R"({"hobby":"chess"})");
  w.find(0, "hobby=chess", 10);  // so that counts and places are known
  auto answer = w.find(0, "hobby=chess", 10);
  CHECK(answer.verified.size() == 10);
  CHECK(answer.report.limited);
  CHECK(answer.report.candidates == 20);  // of which some share a host
  CHECK(answer.report.messages <= 2 * 12);
  auto everybody = w.find(0, "hobby=chess", 1000);
  CHECK(everybody.verified.size() == 96);
}

TEST_CASE("hosts that do not answer hold up a limited search for a moment only") {
  SearchWorld w(8);
  for (std::size_t i = 0; i < 80; ++i) w.publish(i % 8, R"({"hobby":"chess"})");
  for (std::size_t deaf : {1U, 2U, 3U}) {
    w.net.node(w.places[deaf]).on(raw(FrameType::verify_req), [](const Request&) {});
  }
  auto answer = w.find(0, "hobby=chess", 40);
  CHECK(answer.verified.size() == 40);
  CHECK(answer.report.elapsed < 1500ms);  // the request to the deaf is given up after 2 s
}

TEST_CASE("a publication counts its own records, not the keys that it clears") {
  SearchWorld w(8);
  UserId id = w.publish(0, R"({"name":"Kai","hobby":["chess","go"]})");
  User user = *w.at(0).users.find(id);
  user.profile = hosted(w.schema, R"({"name":"Kai","hobby":"tennis"})");
  REQUIRE(w.at(0).users.change(user, [](const Result<void>&) {}));
  std::optional<Publisher::Published> done;
  w.at(0).search.publisher().publish(id, [&](const auto& result) { done = *result; });
  REQUIRE(w.net.run_until([&] { return done.has_value(); }, 60s));
  CHECK(done->records == w.at(0).search.publisher().record_count(*w.at(0).users.find(id)));
  CHECK(done->stored == done->records);
  CHECK(w.find(4, "hobby=chess").report.candidates == 0);
}

TEST_CASE("the planner reads the shorter list") {
  SearchWorld w(6);
  for (int i = 0; i < 30; ++i)
    w.publish(0, R"({"hobby":"chess","name":"Person )" + std::to_string(i) + "\"}");
  auto answer = w.find(3, "hobby=chess name=\"person 7\"");
  CHECK(answer.verified.size() == 1);
  for (const FindReport::Way& way : answer.report.ways) {
    CAPTURE(way.label);
    CHECK(way.chosen == (way.label.find("name") != std::string::npos));
  }
}

TEST_CASE("a record with a flipped bit, an older version or another's signature is not stored") {
  SearchWorld w(5);
  UserId id = w.publish(0, R"({"name":"Gil","hobby":"go"})");
  const User& user = *w.at(0).users.find(id);
  profile::Publication facts{
      .owner_key = user.key, .host = {.address = "127.0.0.1:1"}, .version = user.version - 1};
  facts.expiry = std::chrono::floor<std::chrono::seconds>(w.net.node(w.places[0]).now().wall + 1h);
  auto good = profile::build_record(w.schema, {},
                                    *profile::parse_profile(w.schema, R"({"hobby":"go"})"), facts);
  profile::sign_record({}, w.signer, user.seed, good);
  WallTime now = w.net.node(w.places[0]).now().wall;
  auto judged = [&](const profile::Record& record) {
    RawItem raw_item{.kind = ItemKind::index_item,
                     .bytes = encode_index_item({}, profile::encode(record))};
    return w.book.judge_fully(raw_item, now).status;
  };
  CHECK(judged(good) == Status::ok);
  auto forged = good;
  profile::sign_record({}, w.signer, SecretSeed{7}, forged);
  CHECK(judged(forged) == Status::bad_signature);
  Bytes bytes = encode_index_item({}, profile::encode(good));
  std::size_t accepted = 0;
  for (std::size_t bit = 16; bit < bytes.size() * 8; ++bit) {
    Bytes bad = bytes;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    accepted +=
        w.book.judge_fully({.kind = ItemKind::index_item, .bytes = bad}, now).status == Status::ok
            ? 1
            : 0;
  }
  CHECK(accepted == 0);
}

TEST_SUITE_END();
