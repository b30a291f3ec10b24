// SPDX-License-Identifier: MIT
// A stranger's card: whatever it is, what is kept of it are members of a JSON object.

#include "base/json.h"
#include "node/service/routes/card.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto card = service::read_card(profile::Schema::built_in(), as_text(ByteView(data, size)));
  for (const Json& members : {card.attrs, card.ways})
    ENSURE(members.is_object() && parse_json(members.dump()).has_value());
  ENSURE(is_utf8(card.name));
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::string_view text =
      R"({"name":["Al \"A\"","B"],"age":24,"height":1.70,"hours":{"min":9,"max":17},)"
      R"("hobby":["chess",{"min":1,"max":2}],"sip":"sip:a@b","city":null,"x-a":"tel:1"})";
  return {Bytes(text.begin(), text.end())};
}
