// SPDX-License-Identifier: MIT
#include "node/service/find/index_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/index_rows");

namespace {

using Found = IndexRows::Found;

/// The same by a map, and by starting over for each row.
struct Twin {
  std::map<Id, IndexRows::Row> rows{};

  Found scan(const profile::Matcher& matcher, const Id& start, const std::optional<Id>& after,
             std::size_t credit) const {
    std::vector<const IndexRows::Row*> round;  // from start, without what was seen
    for (const auto& [owner, row] : rows) round.push_back(&row);
    std::ranges::sort(round, {}, [&](const auto* row) { return row->owner - start; });
    if (after) std::erase_if(round, [&](auto* r) { return r->owner - start <= *after - start; });
    Found out;
    for (const auto* row : round) {
      if (out.owners.size() == credit) {
        out.more = true;
        break;
      }
      ++out.scanned;
      if (matcher.may_match({row->layout, row->presence, row->open, row->filter}))
        out.owners.push_back(row->owner);
    }
    return out;
  }
};

IndexRows::Row random_row(Rng& rng) {
  IndexRows::Row row{.presence = static_cast<std::uint32_t>(rng.below(2)),
                     .filter = filters::BitArray(64)};
  row.owner.bytes[0] = static_cast<std::uint8_t>(rng.below(8));  // so that some come twice
  row.owner.bytes[19] = static_cast<std::uint8_t>(rng.below(250));
  return row;
}

bool same(const Found& a, const Found& b) {
  return a.owners == b.owners && a.scanned == b.scanned && a.more == b.more;
}

}  // namespace

TEST_CASE("rows in blocks say the same as a map, page by page from any start") {
  const profile::Schema& schema = profile::Schema::built_in();
  profile::Matcher half(schema, {profile::Clause{.slot = 0}});  // whoever has the first attribute
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    IndexRows rows;
    Twin twin;
    std::uint64_t erased = seed % 2 == 0 ? 8 : 3;  // of ten; even seeds stay small
    for (int step = 0; step < 3000; ++step) {
      IndexRows::Row row = random_row(rng);
      if (rng.below(10) < erased) {
        rows.erase(row.owner);
        twin.rows.erase(row.owner);
      } else {
        rows.put(row);
        twin.rows.insert_or_assign(row.owner, row);
      }
      REQUIRE(rows.size() == twin.rows.size());
      if (step % 50 != 0) continue;
      Id start = random_row(rng).owner;
      std::size_t credit = 1 + rng.below(200);
      std::optional<Id> after;
      for (bool more = true; more;) {
        Found found = rows.scan(half, {}, start, after, credit);
        REQUIRE(same(found, twin.scan(half, start, after, credit)));
        more = found.more;
        if (more) after = found.owners.back();
      }
    }
  }
}

TEST_SUITE_END();
