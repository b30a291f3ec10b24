// SPDX-License-Identifier: MIT
#include "base/status.h"

#include <array>

namespace beckon {

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

constexpr std::array<ErrorKind, 6> kinds = {{
    {Status::malformed, 400, "Bad request"},         // ErrorCode::invalid
    {Status::not_found, 404, "Not found"},           // not_found
    {Status::forbidden, 403, "Refused"},             // refused
    {Status::unavailable, 503, "Not possible now"},  // unavailable
    {Status::too_old, 409, "Conflict"},              // conflict
    {Status::storage, 500, "Internal error"},        // internal
}};
static_assert(static_cast<std::size_t>(ErrorCode::internal) + 1 == kinds.size());

constexpr Meaning of_later_versions{"a status that this version does not know",
                                    ErrorCode::unavailable};

const Meaning& meaning(Status status) {
  auto index = static_cast<std::size_t>(status);
  return index < meanings.size() ? meanings[index] : of_later_versions;
}

}  // namespace

const char* to_text(Status status) { return meaning(status).text; }

Error to_error(Status status) {
  ENSURE(status != Status::ok);
  return {meaning(status).code, meaning(status).text};
}

const ErrorKind& kind_of(ErrorCode code) { return kinds[static_cast<std::size_t>(code)]; }

}  // namespace beckon
