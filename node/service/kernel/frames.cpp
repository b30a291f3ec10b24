#include "node/service/kernel/frames.h"

#include <algorithm>
#include <array>

namespace beckon::service {

namespace {

struct Meaning {
  const char* text;
  ErrorCode code;
};

constexpr std::array<Meaning, last_status + 1> meanings = {{
    {"done", ErrorCode::internal},
    {"malformed", ErrorCode::invalid},
    {"not a member of the ring", ErrorCode::unavailable},
    {"leaving the ring", ErrorCode::unavailable},
    {"too large", ErrorCode::invalid},
    {"a newer version is stored", ErrorCode::conflict},
    {"another version is stored than the one expected", ErrorCode::conflict},
    {"the signature does not fit", ErrorCode::invalid},
    {"does not belong under this key", ErrorCode::invalid},
    {"expired", ErrorCode::invalid},
    {"the quota is used up", ErrorCode::refused},
    {"too many requests", ErrorCode::unavailable},
    {"not responsible for this key", ErrorCode::unavailable},
    {"not allowed", ErrorCode::refused},
    {"not supported", ErrorCode::refused},
    {"the disk failed", ErrorCode::internal},
    {"not found", ErrorCode::not_found},
    {"not available now", ErrorCode::unavailable},
    {"dated in the future; check the clock", ErrorCode::invalid},
    {"the node responsible is full", ErrorCode::unavailable},
}};

const Meaning& meaning(Status status) {
  auto index = static_cast<std::size_t>(status);
  ENSURE(index < meanings.size());
  return meanings[index];
}

}  // namespace

const char* to_text(Status status) { return meaning(status).text; }

Error to_error(Status status) {
  ENSURE(status != Status::ok);
  return {meaning(status).code, meaning(status).text};
}

Status to_status(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid:
      return Status::malformed;
    case ErrorCode::not_found:
      return Status::not_found;
    case ErrorCode::refused:
      return Status::forbidden;
    case ErrorCode::unavailable:
      return Status::unavailable;
    case ErrorCode::conflict:
      return Status::too_old;
    case ErrorCode::internal:
      return Status::storage;
  }
  return Status::storage;
}

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
