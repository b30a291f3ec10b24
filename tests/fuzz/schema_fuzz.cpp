// SPDX-License-Identifier: MIT
// A schema from an overlay file: refused, or one whose canonical text reads back with the same id.
#include "profile/schema/schema_json.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::profile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto schema = parse_schema(as_text(ByteView(data, size)));
  if (!schema) return 0;
  auto again = parse_schema(schema_json(*schema));
  ENSURE(again.has_value() && schema_json(*again) == schema_json(*schema));
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::string whole = schema_json(Schema::built_in());
  std::string_view small =
      R"({"fold":"1","attributes":[{"name":"hobby","type":"text","prefix_keys":true},)"
      R"({"name":"size","type":"decimal","scale":1,"min":-5,"max":300.5,"ladder":[16],"circular":true},)"
      R"({"name":"day","type":"date","min":"1900-01-01","max":"2100-01-01"}],"classes":[{"k":8,"slots":{"size":[1,2],"day":[2,1],"x-":[1,1]}}]})";
  return {Bytes(small.begin(), small.end()), Bytes(whole.begin(), whole.end())};
}
