// SPDX-License-Identifier: MIT
// A record from a peer: refused, or one that encodes to the same bytes and can be asked.
#include "profile/index/matcher.h"
#include "profile/index/record.h"
#include "profile/language/query_text.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::profile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Schema& schema = Schema::built_in();
  ByteView bytes(data, size);
  auto record = decode_record(bytes);
  if (!record) return 0;
  fuzz::ensure_same(encode(*record), bytes);
  static const Query query =
      *parse_query(schema, "hobby=chess age=20..30 hours:=9..17 near=25,121,5km");
  Predicates predicates = blind(schema, Salt{}, query.branches[0]);
  bool quick = Matcher(schema, predicates).may_match(*record);
  bool plain = !record->withdrawn && may_match(schema, predicates,
                                               {schema.class_named(record->layout),
                                                record->presence, record->open, record->filter});
  ENSURE(quick == plain);
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  const Schema& schema = Schema::built_in();
  Profile profile;
  std::vector<std::string> hobby{"chess"};
  std::vector<std::string> age{"20..25"};
  ENSURE(profile.set(schema, "hobby", hobby).has_value());
  ENSURE(profile.set(schema, "age", age).has_value());
  Publication publication{.host = {.address = "127.0.0.1:4000"},
                          .version = 1,
                          .expiry = wall_from_ms(1'800'000'000'000)};
  return {encode(build_record(schema, Salt{}, profile, publication)),
          encode(withdrawal(publication))};
}
