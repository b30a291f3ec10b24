// SPDX-License-Identifier: MIT
#include "node/service/admission/schema_document.h"

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/schema/1";
constexpr std::uint8_t layout_version = 1;

}  // namespace

Bytes SchemaDocument::encode() const {
  ByteWriter out;
  out.u8(layout_version);
  out.counted32(as_bytes(text));
  out.raw(signature);
  return out.take();
}

Result<SchemaDocument> SchemaDocument::decode(ByteView bytes) {
  ByteReader in(bytes);
  if (in.u8() != layout_version) return invalid("schema document has an unknown version");
  SchemaDocument out;
  out.text = as_text(in.counted32());
  out.signature = in.array<64>();
  if (out.text.empty() || out.text.size() > max_text) in.fail();
  if (auto end = in.finish("schema document"); !end) return end.error();
  return out;
}

Bytes SchemaDocument::signed_part(const OverlayId& overlay) const {
  ByteWriter out;
  out.raw(as_bytes(domain));
  out.raw(overlay);
  out.counted32(as_bytes(text));
  return out.take();
}

bool SchemaDocument::signed_by(const PublicKey& authority, const OverlayId& overlay,
                               const Signer& signer) const {
  return signer.verify(authority, signed_part(overlay), signature);
}

}  // namespace beckon::service
