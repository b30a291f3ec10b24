// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "node/service/kernel/frames.h"
#include "tests/node/service/find/search_world.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::SearchWorld;
using Ids = std::set<UserId>;

namespace {

constexpr auto query_type = raw(FrameType::query_req);
constexpr auto verify_type = raw(FrameType::verify_req);

/// The records a node holds under a key.
std::vector<Bytes> records_at(test::SearchNode& node, const Id& key) {
  std::vector<Bytes> out;
  node.replicas.table().each_at(key, ItemKind::index_item, [&](const Item& item) {
    ByteView record = record_of(item.bytes);
    out.emplace_back(record.begin(), record.end());
    return true;
  });
  return out;
}

/// What a node answers to questions of the index, instead of the truth.
using Lie = std::function<QueryReply(const QueryRequest&, std::vector<Bytes> records)>;

void lies(SearchWorld& w, std::size_t i, const Lie& lie) {
  test::FakeNode& node = w.net.node(w.places[i]);
  node.on(query_type, [&w, &node, i, lie](const Request& request) {
    auto asked = decode<QueryRequest>(request.body);
    REQUIRE(asked);
    node.reply(request, raw(FrameType::query_rep),
               encode(lie(*asked, records_at(w.at(i), asked->key))));
  });
}

Bytes with_host(const Bytes& bytes, const PeerRef& host) {
  auto record = profile::decode_record(bytes);
  REQUIRE(record);
  record->hosts = {{.id = host.id.bytes, .address = host.address}};
  return profile::encode(*record);
}

/// While nothing arrives: tries, and comes back when it has failed.
void fail_to(SearchWorld& w, bool withdraw, const UserId& id) {
  auto stored = std::make_shared<std::optional<std::size_t>>();  // outlives us if it takes too long
  auto done = [stored](const Result<Publisher::Published>& r) { *stored = r ? r->stored : 0; };
  w.net.options().loss = 1;
  auto& publisher = w.at(0).search.publisher();
  withdraw ? publisher.withdraw(id, done) : publisher.publish(id, done);
  REQUIRE(w.net.run_until([&] { return stored->has_value(); }, 10min));
  w.net.options().loss = 0;
}

bool is_published(SearchWorld& w, std::size_t node, const UserId& id) {
  return w.at(node).users.find(id)->published;
}

}  // namespace

TEST_SUITE_BEGIN("service/hostile_search");

TEST_CASE("index nodes that promise more for ever do not hold up a search") {
  SearchWorld w(6);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  for (std::size_t i = 0; i < 5; ++i) {
    lies(w, i, [](const QueryRequest&, std::vector<Bytes> records) {
      return QueryReply{.more = !records.empty(), .records = std::move(records)};
    });
  }
  auto answer = w.find(5, "hobby=chess");
  CHECK(answer.verified == Ids{alice});
  CHECK(answer.report.elapsed < 5s);
  CHECK(answer.report.messages < 60);
}

TEST_CASE("full pages that never come round are given up") {
  SearchWorld w(6);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  for (std::size_t i = 0; i < 5; ++i) {
    lies(w, i, [](const QueryRequest& asked, std::vector<Bytes> records) {
      if (records.empty()) return QueryReply{};
      return QueryReply{.more = true, .records = std::vector<Bytes>(asked.credit, records.front())};
    });
  }
  auto answer = w.find(5, "hobby=chess");
  CHECK(answer.verified == Ids{alice});
  CHECK(answer.report.elapsed < 5s);
}

TEST_CASE("an answer is not complete if only the first page of a key could be read") {
  SearchWorld w(6);
  for (std::size_t i = 0; i < 24; ++i) w.publish(i % 6, R"({"hobby":["chess","go"]})");
  for (std::size_t i = 0; i < 6; ++i) {
    w.net.node(w.places[i]).on(query_type, [&w, i](const Request& request) {
      auto asked = decode<QueryRequest>(request.body);
      REQUIRE(asked);
      if (!asked->after) w.at(i).search.handle(request);  // else it is silent
    });
  }
  // Nobody is right, so that the limit of 8, which makes pages of 16, does not end the search.
  auto answer = w.find(5, "hobby=chess hobby!=go", 8);
  CHECK(answer.verified.empty());
  CHECK(answer.report.candidates >= 16);
  CHECK_FALSE(answer.report.complete);
  CHECK(answer.report.elapsed < 20s);  // it is not for the time-out
}

TEST_CASE("an answer is not complete if the owner is silent and who was the owner once is not") {
  SearchWorld w(8);
  UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
  Id key = w.key_of("hobby=chess");
  auto copies = w.net.true_replicas(key, 4);
  std::size_t asker = 0;
  while (std::ranges::find(copies, w.places[asker]) != copies.end()) ++asker;
  CHECK(w.find(asker, "hobby=chess").verified == Ids{alice});  // from now on remembers the owner
  w.net.node(copies[0]).on(query_type, [&w, &copies](const Request& request) {
    w.net.node(copies[0]).reply(request, raw(FrameType::query_rep),
                                encode(QueryReply{.settling = true}));
  });
  Id place = key;
  for (int i = 0; i < 3; ++i, place = place.plus_power(0)) {  // they hold the copies now
    w.net.add(place);
    w.net.start(place);
    w.net.node(place).on(query_type, [](const Request&) {});
  }
  w.net.run_for(10s);
  auto answer = w.find(asker, "hobby=chess");
  CHECK(answer.report.reads.front().node.id == copies[0]);
  CHECK_FALSE(answer.report.complete);
  CHECK(answer.report.elapsed < 20s);  // it is not for the time-out
}

TEST_CASE("an answer is not complete if there were more candidates than a search can hold") {
  SearchWorld w(6);
  for (std::size_t i = 0; i < 30; ++i) w.publish(i % 5, R"({"hobby":"chess"})");
  w.options.finder.max_candidates = 10;
  w.net.crash(w.places[5]);
  w.net.start(w.places[5]);
  w.net.run_for(20s);
  auto some = w.find(5, "hobby=chess");
  CHECK(some.verified.size() == 10);
  CHECK_FALSE(some.report.complete);
  CHECK(w.find(4, "hobby=chess").report.complete);
}

TEST_CASE("a forged record neither hides its owner nor learns the question") {
  for (std::size_t liar = 1; liar < 5; ++liar) {
    CAPTURE(liar);
    SearchWorld w(6);
    UserId alice = w.publish(0, R"({"name":"Alice","hobby":"chess"})");
    std::size_t thief = liar == 4 ? 3 : 4;
    PeerRef host = w.net.node(w.places[thief]).self();
    lies(w, liar, [&](const QueryRequest&, const std::vector<Bytes>& records) {
      QueryReply out{.settling = true};  // so that the other copies are asked as well
      for (const Bytes& record : records) out.records.push_back(with_host(record, host));
      return out;
    });
    std::size_t overheard = 0;
    w.net.node(w.places[thief]).on(verify_type, [&](const Request&) { ++overheard; });
    auto answer = w.find(5, "hobby=chess");
    CHECK(answer.verified == Ids{alice});
    CHECK(answer.report.candidates == 1);
    CHECK(overheard == 0);
  }
}

TEST_CASE("a withdrawal is not undone by a publication that was still being tried again") {
  SearchWorld w(8);
  UserId id = w.publish(0, R"({"name":"Gina","hobby":"tennis"})");
  fail_to(w, false, id);
  REQUIRE(w.withdraw(0, id));
  w.net.run_for(2min);
  CHECK_FALSE(is_published(w, 0, id));
  CHECK(w.find(4, "hobby=tennis").report.candidates == 0);
}

TEST_CASE("a publication is not undone by a withdrawal that was still being tried again") {
  SearchWorld w(8);
  UserId id = w.publish(0, R"({"name":"Hugo","hobby":"rowing"})");
  fail_to(w, true, id);
  REQUIRE(w.publish_again(0, id));
  w.net.run_for(2min);
  CHECK(is_published(w, 0, id));
  CHECK(w.find(4, "hobby=rowing").verified == Ids{id});
}

TEST_CASE("a withdrawal is tried again until the index has forgotten, also after a restart") {
  for (bool restarts : {false, true}) {
    CAPTURE(restarts);
    SearchWorld w(8);
    UserId id = w.publish(0, R"({"name":"Jo","hobby":"diving"})");
    fail_to(w, true, id);
    CHECK(w.find(4, "hobby=diving").report.candidates == 1);
    if (restarts) {
      w.net.crash(w.places[0]);
      w.net.start(w.places[0]);
    }
    w.net.run_for(3min);
    auto gone = w.find(4, "hobby=diving");
    CHECK(gone.report.candidates == 0);
    CHECK(gone.report.complete);
    CHECK(w.at(0).users.find(id)->published_profile->text.empty());
  }
}

TEST_CASE("what a withdrawal waits behind does not publish again") {
  SearchWorld w(8);
  UserId id = w.publish(0, R"({"name":"Ivan","hobby":"skiing"})");
  auto& publisher = w.at(0).search.publisher();
  publisher.publish(id, [](const auto&) {});   // under way
  publisher.withdraw(id, [](const auto&) {});  // waits
  publisher.start();                           // a period begins: it is still published
  w.net.run_for(1min);
  CHECK_FALSE(is_published(w, 0, id));
}

TEST_CASE(
    "a search that stopped while it looked for an index node goes on there when asked for more") {
  SearchWorld w(8);
  Ids everybody;
  for (std::size_t i = 0; i < 24; ++i) {
    everybody.insert(w.publish(i % 8, R"({"name":"P","age":)" + std::to_string(20 + 2 * i) + "}"));
  }
  for (std::size_t limit = 1; limit < 24; ++limit) {
    CAPTURE(limit);
    auto first = w.find(5, "age=20..99", limit);
    if (!first.report.limited) continue;
    auto rest = w.more(5, first.id, 1000);
    first.verified.merge(rest.verified);
    CHECK(first.verified == everybody);
    CHECK(rest.report.complete);
  }
}

TEST_SUITE_END();
