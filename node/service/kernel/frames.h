// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/fields.h"
#include "base/status.h"

namespace beckon::service {

using beckon::decode;  // else those of this namespace would hide them
using beckon::encode;

/// Types of the frames that services exchange; the ring's own stay below 0x20 (chord/wire.h).
/// A request is odd, its reply is the next even number; `error` may answer any request.
/// 0x21-0x2f records on the ring, 0x31-0x3f index and search, 0x41-0x4f messages and calls,
/// 0x51-0x5f admission.
enum class FrameType : std::uint8_t {
  error = 0x20,
  put_req = 0x21,
  put_rep = 0x22,
  get_req = 0x23,
  get_rep = 0x24,
  replicate_req = 0x25,
  replicate_rep = 0x26,
  sync_digest_req = 0x27,
  sync_digest_rep = 0x28,
  sync_list_req = 0x29,
  sync_list_rep = 0x2a,
  sync_want_req = 0x2b,
  sync_want_rep = 0x2c,
  chain_req = 0x2d,
  chain_rep = 0x2e,
  query_req = 0x31,  // node/service/find/find_messages.h
  query_rep = 0x32,
  count_req = 0x33,
  count_rep = 0x34,
  verify_req = 0x35,
  verify_rep = 0x36,
  deliver_req = 0x41,  // node/service/mail/mail_messages.h
  deliver_rep = 0x42,
  mailbox_req = 0x43,
  mailbox_rep = 0x44,
  renew_req = 0x51,  // node/service/admission/renewal.h
  renew_rep = 0x52,
};

constexpr std::uint8_t raw(FrameType type) { return static_cast<std::uint8_t>(type); }
constexpr FrameType reply_to(FrameType request) { return static_cast<FrameType>(raw(request) + 1); }
constexpr bool is_reply(std::uint8_t type) { return type >= 0x20 && type % 2 == 0; }

inline constexpr Range any_status{};  // one that is not known counts as a failure

/// Body of an error frame.
struct ErrorBody {
  Status status{};
  std::uint32_t retry_after_ms{};
  std::string text{};  // for the log only
  static constexpr Form form = may_grow("error frame", FrameType::error);
  static void fields(auto& f, auto& m) {
    f("status", m.status, {1, 255});
    f("retry after ms", m.retry_after_ms);
    f.text8("text", m.text);
  }
};
Bytes encode(ErrorBody body);  // cuts a text that is too long

}  // namespace beckon::service
