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

Bytes encode(ErrorBody body) {
  if (body.text.size() > 255) body.text.resize(255);
  while (!is_utf8(body.text)) body.text.pop_back();  // do not cut inside a character
  return beckon::encode(body);
}

}  // namespace beckon::service
