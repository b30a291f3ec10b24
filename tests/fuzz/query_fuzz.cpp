// SPDX-License-Identifier: MIT
// A query from anybody, in either language: read or refused, never both; what is read has a
// canonical form that reads back as the same query, keeps to the limits, and can be sent blind.
#include "profile/index/predicate.h"
#include "profile/language/query_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/profile/query/extreme_queries.h"

using namespace beckon;
using namespace beckon::profile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Schema& schema = Schema::built_in();
  std::string_view text = as_text(ByteView(data, size));
  QueryReading reading = read_query(schema, text);
  ENSURE(reading.query.has_value() == reading.problems.empty());
  for (const Problem& problem : reading.problems)
    ENSURE(!problem.text.empty() && problem.offset <= text.size());
  if (!reading.query) return picture(text, reading.problems).empty() ? 1 : 0;
  ENSURE(reading.query->branches.size() <= Query::max_branches);
  std::string once = canonical(schema, *reading.query);
  auto again = parse_query(schema, once);
  ENSURE(again.has_value() && *again == *reading.query);
  for (const Branch& branch : reading.query->branches) {
    Predicates predicates = blind(schema, Salt{}, branch);
    ENSURE(*decode_predicates(encode(predicates)) == predicates);
    ENSURE(!accesses(schema, Salt{}, branch).empty());
  }
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> out;
  for (std::string_view text :
       {"hobby=chess,go age=20..30&has=sip city!=rome", "near=25.05,121.53,5km name~=\"al b\"",
        "room=EC-300..399 course=CS2008", "ip=10.0.0.0/8,2001:db8::/32 born=2008-07 hours:=22..6",
        "(&(hobby=chess)(|(age>=20)(!(cn=al*)))(sip=*))",
        "x-a=1.5|!near=1,1,5m&age=..30|income=40k..1.5M", "(room=EC-*)", "(hours:=9..17)",
        "(hobby=a\\2ab)"}) {
    out.emplace_back(text.begin(), text.end());
  }
  Rng rng(8);
  for (int i = 0; i < 24; ++i) {
    std::string text = profile::test::extreme_query(rng);
    out.emplace_back(text.begin(), text.end());
  }
  return out;
}
