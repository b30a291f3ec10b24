// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/node/service/find/search_world.h"
#include "tests/profile/person/people.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;
using test::FakeNet;
using test::SearchWorld;

TEST_SUITE_BEGIN("service/search against the truth");

namespace {

std::uint64_t seeds(std::uint64_t standard) {
  const char* many = std::getenv("BECKON_SEEDS");
  return many != nullptr ? std::strtoull(many, nullptr, 10) : standard;
}

struct Population {
  explicit Population(SearchWorld& world, std::uint64_t seed, std::size_t size)
      : rng(Rng(seed).split("people")) {
    for (std::size_t i = 0; i < size; ++i) {
      profile::Profile person = profile::test::random_person(rng);
      world.publish(i % world.places.size(), profile::profile_json(world.schema, person));
      persons.push_back(std::move(person));
    }
  }

  /// Conjunctions of one to five terms, near somebody's own values, with all operators; those that
  /// only a query of nothing but negations would make are drawn again.
  std::string question() {
    for (;;) {
      profile::Query query{
          .branches = {profile::test::random_branch(rng, persons[rng.below(persons.size())])}};
      std::string text = profile::canonical(profile::Schema::built_in(), query);
      if (profile::parse_query(profile::Schema::built_in(), text)) return text;
    }
  }

  Rng rng;
  std::vector<profile::Profile> persons{};
};

}  // namespace

TEST_CASE("on a quiet ring every question finds exactly the right people, whichever way it goes") {
  for (std::uint64_t seed = 1; seed <= seeds(15); ++seed) {
    CAPTURE(seed);
    SearchWorld world(3 + seed % 8, seed);
    Population population(world, seed, 40);
    for (int i = 0; i < 40; ++i) {
      std::string text = population.question();
      CAPTURE(text);
      auto answer = world.find(static_cast<std::size_t>(i) % world.places.size(), text);
      CHECK(answer.verified == world.truth(text));
      CHECK(answer.unverified.empty());
      CHECK(answer.report.complete);
      for (const FindReport::Way& way : answer.report.ways) {
        CAPTURE(way.label);
        CHECK(world.find(0, text, 10'000, way.label).verified == answer.verified);
      }
    }
  }
}

TEST_CASE("crashes of r-1 nodes between repairs lose nobody who was published") {
  for (std::uint64_t seed = 1; seed <= seeds(15); ++seed) {
    CAPTURE(seed);
    SearchWorld world(9, seed);
    Population population(world, seed, 30);
    for (int round = 0; round < 3; ++round) {
      Id first = world.places[population.rng.below(9)];
      Id second = world.places[population.rng.below(9)];
      for (const Id& id : {first, second}) {
        if (world.net.node(id).up()) world.net.crash(id);
      }
      world.net.run_for(90s);
      // People on a dead host are known but cannot be asked; all others are found.
      for (int i = 0; i < 8; ++i) {
        std::string text = population.question();
        CAPTURE(text);
        std::size_t asker = 0;
        while (!world.net.node(world.places[asker]).up()) ++asker;
        auto answer = world.find(asker, text);
        auto truth = world.truth(text);
        for (const UserId& id : truth) {
          CHECK((answer.verified.contains(id) || answer.unverified.contains(id)));
        }
        for (const UserId& id : answer.verified) CHECK(truth.contains(id));
      }
      for (const Id& id : {first, second}) {
        if (!world.net.node(id).up()) world.net.start(id);
      }
      world.net.run_for(90s);
    }
    for (int i = 0; i < 20; ++i) {
      std::string text = population.question();
      CAPTURE(text);
      CHECK(world.find(0, text).verified == world.truth(text));
    }
  }
}

TEST_SUITE_END();
