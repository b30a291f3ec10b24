#include "node/service/admission/enrolment.h"

namespace beckon::service {

namespace {

constexpr std::uint8_t layout_version = 1;

}  // namespace

Bytes EnrolRequest::encode() const {
  ByteWriter out;
  out.u8(layout_version);
  out.u8(static_cast<std::uint8_t>(kind));
  if (kind == Kind::join) out.raw(secret);
  return out.take();
}

Result<EnrolRequest> EnrolRequest::decode(ByteView body) {
  ByteReader in(body);
  if (in.u8() != layout_version) return invalid("enrolment request has an unknown version");
  EnrolRequest out;
  std::uint8_t kind = in.u8();
  if (kind > static_cast<std::uint8_t>(Kind::join))
    return invalid("enrolment request of an unknown kind");
  out.kind = static_cast<Kind>(kind);
  if (out.kind == Kind::join) out.secret = in.array<16>();
  if (auto end = in.finish("enrolment request"); !end) return end.error();
  return out;
}

Bytes Enrolment::encode() const {
  ByteWriter out;
  out.u8(layout_version);
  out.u8(credential ? 1 : 0);
  if (credential) out.raw(credential->encode());
  out.counted32(as_bytes(overlay_json(overlay)));
  out.counted32(revocations ? revocations->encode() : Bytes());
  return out.take();
}

Result<Enrolment> Enrolment::decode(ByteView body) {
  ByteReader in(body);
  if (in.u8() != layout_version) return invalid("enrolment has an unknown version");
  Enrolment out;
  std::uint8_t has_credential = in.u8();
  if (has_credential > 1) in.fail();
  ByteView credential = has_credential == 1 ? in.raw(Credential::size) : ByteView();
  ByteView file = in.counted32();
  ByteView list = in.counted32();
  if (auto end = in.finish("enrolment"); !end) return end.error();
  auto overlay = parse_overlay(as_text(file));
  if (!overlay) return overlay.error();
  out.overlay = std::move(*overlay);
  if (as_text(file) != overlay_json(out.overlay))
    return invalid("enrolment: overlay file is not in canonical form");
  if (has_credential == 1) {
    auto decoded = Credential::decode(credential);
    if (!decoded) return decoded.error();
    out.credential = *decoded;
  }
  if (!list.empty()) {
    auto decoded = Revocations::decode(list);
    if (!decoded) return decoded.error();
    out.revocations = std::move(*decoded);
  }
  return out;
}

}  // namespace beckon::service
