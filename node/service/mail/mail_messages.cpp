// SPDX-License-Identifier: MIT
#include "node/service/mail/mail_messages.h"

namespace beckon::service {

Bytes fetch_signed_bytes(const FetchRequest& m, const Digest& overlay, const Id& asked) {
  ByteWriter w;
  w.raw(as_bytes("beckon/mbox-fetch/v1"));
  w.raw(overlay);
  w.raw(asked.bytes);
  FieldWriter f(w);
  FetchRequest::signed_fields(f, m);
  return w.take();
}

}  // namespace beckon::service
