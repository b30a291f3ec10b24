// SPDX-License-Identifier: MIT
// overlay.json: an accepted file written again is the same overlay, with the same id.
#include "node/service/admission/overlay.h"

#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto overlay = parse_overlay(as_text({data, size}));
  if (!overlay) return 0;
  std::string text = overlay_json(*overlay);
  if (text.size() > max_overlay_file) return 0;  // indented it may be longer than a file may be
  auto again = parse_overlay(text);
  ENSURE(again.has_value() && *again == *overlay && again->id() == overlay->id());
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  auto bytes = [](const std::string& text) { return Bytes(text.begin(), text.end()); };
  std::string closed =
      R"({"version":2,"name":"club","admission":"closed","authority":")" + std::string(64, 'a') +
      R"(","salt":"00000000000000000000000000000001","limits":{"replicas":3},)"
      R"("schema":{"fold":"1","attributes":[{"name":"a","type":"text"}]},"schema_signature":")" +
      std::string(128, '0') + "\"}";
  return {bytes(overlay_json(builtin_overlay())), bytes(closed)};
}
