// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include "node/service/find/index_item.h"
#include "node/service/find/search.h"
#include "profile/language/query_text.h"
#include "profile/person/profile_json.h"
#include "profile/query/matches.h"
#include "tests/world/authors.h"
#include "tests/world/fake_net.h"

namespace beckon::test {

/// What runs on each node of a SearchWorld.
struct SearchNode {
  SearchNode(FakeNode& node, const profile::Schema& schema, const service::RuleBook& book,
             const Signer& signer, service::GenuineRecords& genuine,
             const service::ReplicaOptions& replica_options,
             const service::Search::Options& options)
      : replicas(node, book, replica_options),
        users(node, signer, schema, {}),
        search(node, replicas, users, schema, {}, signer, genuine, options) {}

  service::Replicas replicas;
  service::Users users;
  service::Search search;
};

/// A ring of nodes that host people, publish and find them. All hold the built-in schema, or those
/// given, in turn.
class SearchWorld {
 public:
  using Schemas = std::vector<const profile::Schema*>;

  explicit SearchWorld(std::size_t nodes, std::uint64_t seed = 1, FakeNet::Options net_options = {},
                       const Schemas& schemas = {&profile::Schema::built_in()})
      : net(seed, net_options, [this](FakeNode& n) { return boot(n); }) {
    book.add(author_rules);
    book.add(index_rules);
    for (std::size_t i = 0; i < nodes; ++i) {
      places.push_back(net.add().self().id);
      spoken[places.back()] = schemas[i % schemas.size()];
    }
    for (const service::Id& id : places) net.start(id);
    net.run_for(std::chrono::seconds(10));
  }

  SearchNode& at(std::size_t i) { return net.node(places[i]).component<SearchNode>(); }
  const profile::Schema& schema_at(std::size_t i) const { return spoken_by(places[i]); }
  const profile::Schema& spoken_by(const service::Id& id) const {
    auto found = spoken.find(id);
    return found == spoken.end() ? schema : *found->second;
  }

  /// Makes a person on a node and publishes it; true once all its records are safe.
  service::UserId publish(std::size_t node, const std::string& json) {
    auto id =
        at(node).users.create(service::hosted(schema_at(node), json), [](const Result<void>&) {});
    REQUIRE(id);
    CHECK(publish_again(node, *id));
    people[*id] = *profile::parse_profile(schema_at(node), json);
    hosts[*id] = node;
    return *id;
  }
  bool publish_again(std::size_t node, const service::UserId& id) {
    std::optional<Result<service::Publisher::Published>> out;
    at(node).search.publisher().publish(id, [&](const auto& r) { out = r; });
    bool ended = net.run_until([&] { return out.has_value(); }, std::chrono::seconds(60));
    return ended && *out && (*out)->records > 0 && (*out)->stored == (*out)->records;
  }
  bool withdraw(std::size_t node, const service::UserId& id) {
    std::optional<Result<service::Publisher::Published>> out;
    at(node).search.publisher().withdraw(id, [&](const auto& r) { out = r; });
    people.erase(id);
    return net.run_until([&] { return out.has_value(); }, std::chrono::seconds(60)) &&
           out->has_value();
  }

  struct Answer {
    std::set<service::UserId> verified{};
    std::set<service::UserId> unverified{};
    service::FindReport report{};
    service::Finder::SearchId id{};
    std::vector<service::Person> persons{};
  };
  Answer find(std::size_t node, const std::string& text, std::size_t limit = 10'000,
              const std::string& access = {}) {
    return find(node, text, {.limit = limit, .access = access});
  }
  Answer find(std::size_t node, const std::string& text, service::Finder::Search how) {
    auto query = profile::parse_query(schema_at(node), text);
    REQUIRE_MESSAGE(query.has_value(), text);
    how.query = *query;
    how.timeout = std::chrono::seconds(20);
    Answer out;
    bool done = false;
    auto id = at(node).search.finder().start(how, collect(out, done));
    REQUIRE(id);
    out.id = *id;
    CHECK(net.run_until([&] { return done; }, std::chrono::seconds(30)));
    return out;
  }
  Answer more(std::size_t node, service::Finder::SearchId id, std::size_t limit) {
    Answer out;
    bool done = false;
    auto went_on =
        at(node).search.finder().more(id, limit, std::chrono::seconds(20), collect(out, done));
    REQUIRE(went_on);
    CHECK(net.run_until([&] { return done; }, std::chrono::seconds(30)));
    return out;
  }

  /// The first key that a question of one branch may be asked under.
  service::Id key_of(const std::string& text) const {
    auto branch = profile::parse_query(schema, text)->branches.front();
    return service::Id{profile::accesses(schema, {}, branch).front().probes.front().key};
  }

  std::set<service::UserId> truth(const std::string& text) const {
    std::set<service::UserId> out;
    for (const auto& [id, person] : people) {
      const profile::Schema& theirs = schema_at(hosts.at(id));
      auto query = profile::parse_question(theirs, text);
      REQUIRE(query.has_value());
      if (profile::matches(theirs, person, *query)) out.insert(id);
    }
    return out;
  }

  const profile::Schema& schema = profile::Schema::built_in();
  FastSigner signer{};
  service::AuthorItemRules author_rules{test_overlay, signer};
  service::GenuineRecords genuine{{}, signer};
  service::IndexRules index_rules{genuine};
  service::RuleBook book{};
  service::ReplicaOptions replica_options{};
  service::Search::Options options{};
  std::vector<service::Id> places{};
  std::map<service::Id, const profile::Schema*> spoken{};  // changed ones count from the next start
  std::map<service::UserId, profile::Profile> people{};
  std::map<service::UserId, std::size_t> hosts{};
  FakeNet net;

 private:
  service::Finder::Listener collect(Answer& out, bool& done) {
    return {.hit =
                [&out](const service::Person& person) {
                  (person.verified ? out.verified : out.unverified).insert(person.callee.id());
                  out.persons.push_back(person);
                },
            .done =
                [&out, &done](const service::FindReport& report) {
                  out.report = report;
                  done = true;
                }};
  }

  std::shared_ptr<void> boot(FakeNode& node) {
    auto parts = std::make_shared<SearchNode>(node, spoken_by(node.self().id), book, signer,
                                              genuine, replica_options, options);
    auto* raw = parts.get();
    for (int type = 0x21; type < 0x30; type += 2) {
      node.on(static_cast<std::uint8_t>(type),
              [raw](const service::Request& r) { raw->replicas.handle(r); });
    }
    for (int type = 0x31; type < 0x40; type += 2) {
      node.on(static_cast<std::uint8_t>(type),
              [raw](const service::Request& r) { raw->search.handle(r); });
    }
    node.on_ring_change([raw] {
      raw->replicas.ring_changed();
      raw->search.ring_changed();
    });
    REQUIRE(raw->users.load());
    raw->replicas.start();
    raw->search.joined();
    return parts;
  }
};

}  // namespace beckon::test
