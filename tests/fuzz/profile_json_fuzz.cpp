// SPDX-License-Identifier: MIT
// A profile.json from anybody: refused, or a profile that is written and read back the same.
#include "profile/index/record.h"
#include "profile/person/profile_json.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::profile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Schema& schema = Schema::built_in();
  auto profile = parse_profile(schema, as_text(ByteView(data, size)));
  if (!profile) return 0;
  std::string once = profile_json(schema, *profile);
  auto again = parse_profile(schema, once);
  ENSURE(again.has_value());
  ENSURE(again->attributes() == profile->attributes());
  ENSURE(profile_json(schema, *again) == once);
  Elements found = elements(schema, Salt{}, *profile);
  ENSURE(make_filter(schema, found, schema.classes()[0]).size() == base_bits);
  ENSURE(!placements(schema, Salt{}, *profile, OwnerId{}).empty());
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> out;
  for (
      std::string_view text :
      {R"({"name":"Alice Lin","hobby":["chess","go"],"age":24,"income":{"min":40000,"max":60000}})",
       R"({"latitude":25.05,"longitude":121.53,"visibility":{"*":"public","income":"match","phone":"private"}})",
       R"({"room":"EC-300..399","course":["CS2008"],"ip":"10.0.0.0/8","born":"2008-07","hours":"22..6","x-a":1.5,"x-b":"r"})"}) {
    out.emplace_back(text.begin(), text.end());
  }
  return out;
}
