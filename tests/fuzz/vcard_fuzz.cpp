// SPDX-License-Identifier: MIT
// A vCard from anybody: refused, or a profile within its limits.
#include "profile/person/profile_json.h"
#include "profile/person/vcard.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::profile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Schema& schema = Schema::built_in();
  auto card = parse_vcard(schema, as_text(ByteView(data, size)), 20'000);
  if (!card) return 0;
  ENSURE(card->left_out.size() <= 64);
  ENSURE(parse_profile(schema, profile_json(schema, card->profile)).has_value());
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::string_view text =
      "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Alice Lin\r\nN:Lin;Alice;;;\r\nHOBBY;LEVEL=high:reading\\, "
      "writing\r\nINTEREST:che\r\n ss\r\n"
      "GEO:geo:25.05,121.53;u=10\r\nBDAY:20000502\r\nIMPP;TYPE=\"a:b\":sip:alice@example."
      "net\r\nADR:;;;Taipei;;;\r\nEND:VCARD\r\n";
  return {Bytes(text.begin(), text.end())};
}
