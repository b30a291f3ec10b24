// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "profile/index/matcher.h"
#include "profile/language/query_text.h"
#include "profile/person/profile_json.h"
#include "profile/query/matches.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

const Schema& schema = Schema::built_in();

std::vector<Profile> sample_people() {
  std::ifstream file(BECKON_SAMPLES "/people.jsonl");
  std::vector<Profile> people;
  for (std::string line; std::getline(file, line);) {
    auto profile = parse_profile(schema, line);
    CAPTURE(line);
    if (!profile) FAIL(profile.error().text);
    people.push_back(std::move(*profile));
  }
  return people;
}

struct Found {
  int people = 0;
  int candidates = 0;
};

/// By the truth, and by records under every key that the first access reads.
Found find(const std::vector<Profile>& people, const char* text) {
  auto query = parse_query(schema, text);
  CAPTURE(text);
  if (!query) FAIL(query.error().text);
  Found found;
  for (const Profile& p : people) {
    Record record = build_record(schema, Salt{}, p, {.host = {.address = "h:1"}});
    bool maybe = false;
    for (const Branch& branch : query->branches) {
      maybe = maybe || Matcher(schema, blind(schema, Salt{}, branch)).may_match(record);
    }
    bool truth = matches(schema, p, *query);
    REQUIRE((!truth || maybe));
    found.people += truth ? 1 : 0;
    found.candidates += maybe ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_SUITE("profile/samples") {
  TEST_CASE("every sample person is a good profile, and the queries of docs/query.md find some") {
    auto people = sample_people();
    CHECK(people.size() == 200);
    int all = 0;
    int false_candidates = 0;
    for (const char* text :
         {"hobby=chess age=20..30", "hobby=chess,go city=taipei", "near=25.05,121.53,5km",
          "room=EC-300..399", "course=CS1800..2040", "hours:=10..16 lang=en",
          "hours=23 vocation!=student", "income=40k..60k university=nctu", "name~=ali",
          "hobby=chess has=sip", "x-height=1.6..1.8",
          "(&(hobby=chess)(|(city=berlin)(city=taipei))(!(vocation=student)))",
          "(&(age>=20)(age<=30)(hobby=go))", "city=\"são paulo\",zurich,tromsø"}) {
      Found found = find(people, text);
      CAPTURE(text);
      CHECK(found.people > 0);
      CHECK(found.people < 200);
      std::string query(text);
      bool for_owners = query.find("~=") != query.npos || query.find('!') != query.npos;
      if (for_owners || query.starts_with("near"))
        continue;  // circles are theirs to decide as well
      all += found.candidates;
      false_candidates += found.candidates - found.people;
    }
    CHECK(false_candidates * 20 <= all);
    MESSAGE(false_candidates << " of " << all << " candidates were false");
  }

  TEST_CASE("records of the sample people are as short as the design says") {
    std::size_t bytes = 0;
    std::size_t filter_bytes = 0;
    std::size_t keys = 0;
    auto people = sample_people();
    for (const Profile& p : people) {
      Record record = build_record(schema, Salt{}, p, {.host = {.address = "127.0.0.1:40001"}});
      bytes += encode(record).size();
      filter_bytes += record.filter.byte_count();
      keys += placements(schema, Salt{}, p, OwnerId{}).size();
    }
    MESSAGE("mean record " << bytes / people.size() << " B, filter " << filter_bytes / people.size()
                           << " B, "
                           << static_cast<double>(keys) / static_cast<double>(people.size())
                           << " keys");
    CHECK(filter_bytes / people.size() <=
          72);  // they have twice as many values as Table 1's profiles
    CHECK(bytes / people.size() <= 265);
  }
}
