// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/result.h"

namespace beckon {

/// What became of a request or of one item in it, as a number on the wire. 1-14 as other overlays
/// number them, too; the ring protocol knows only these.
enum class Status : std::uint8_t {
  ok = 0,
  malformed = 1,
  not_member = 2,
  leaving = 3,
  too_large = 4,
  too_old = 5,       // a newer version is held
  cas_mismatch = 6,  // the version held is not the one expected
  bad_signature = 7,
  wrong_key = 8,  // the record does not belong under this key
  expired = 9,
  quota = 10,
  rate = 11,
  not_responsible = 12,
  forbidden = 13,
  unsupported = 14,
  storage = 15,  // the disk failed
  not_found = 16,
  unavailable = 17,
  too_new = 18,  // issued in the future, or a version beyond any clock
  full = 19,     // this node keeps as much for others as it may
};
inline constexpr std::uint8_t last_status = 19;  // that is known; peers may send later ones

const char* to_text(Status status);  // a few words, for people
Error to_error(Status status);

/// What an Error is for others: peers get a status, programs that use the API an HTTP status.
struct ErrorKind {
  Status status{};
  int http{};
  const char* title{};
};
const ErrorKind& kind_of(ErrorCode code);

}  // namespace beckon
