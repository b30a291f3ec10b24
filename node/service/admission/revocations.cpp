// SPDX-License-Identifier: MIT
#include "node/service/admission/revocations.h"

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/revocations/1";
}  // namespace

Bytes Revocations::signed_part() const {
  ByteWriter out;
  out.raw(as_bytes(domain));
  FieldWriter f(out);
  signed_fields(f, *this);
  return out.take();
}

bool Revocations::signed_by(const PublicKey& authority, const Signer& signer) const {
  return signer.verify(authority, signed_part(), signature);
}

}  // namespace beckon::service
