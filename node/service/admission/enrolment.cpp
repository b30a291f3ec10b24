// SPDX-License-Identifier: MIT
#include "node/service/admission/enrolment.h"

namespace beckon::service {

Bytes OverlayCodec::encode(const Overlay& overlay) {
  std::string file = overlay_json(overlay);
  return {file.begin(), file.end()};
}

Result<Overlay> OverlayCodec::decode(ByteView bytes) {
  auto overlay = parse_overlay(as_text(bytes));
  if (overlay && as_text(bytes) != overlay_json(*overlay)) return invalid("not in canonical form");
  return overlay;
}

Result<RevocationsCodec::Value> RevocationsCodec::decode(ByteView bytes) {
  if (bytes.empty()) return Value{};
  auto list = beckon::decode<Revocations>(bytes);
  if (!list) return list.error();
  return Value{*std::move(list)};
}

}  // namespace beckon::service
