#include "node/service/kernel/frames.h"

namespace beckon::service {

Bytes encode(const ErrorBody& body) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(body.status));
  out.u32(body.retry_after_ms);
  std::string_view text = body.text;
  text = text.substr(0, 255);
  while (!is_utf8(text)) text.remove_suffix(1);  // do not cut inside a character
  out.counted8(as_bytes(text));
  return out.take();
}

Result<ErrorBody> decode_error_body(ByteView bytes) {
  ByteReader in(bytes);
  ErrorBody body;
  auto status = in.u8();
  body.retry_after_ms = in.u32();
  body.text = as_text(in.counted8());
  if (status == 0 || status > last_status || !is_utf8(body.text)) in.fail();
  body.status = static_cast<Status>(status);
  if (auto done = in.finish("error frame"); !done) return done.error();
  return body;
}

}  // namespace beckon::service
