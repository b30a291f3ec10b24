#pragma once

#include <optional>
#include <vector>

#include "node/service/mail/letter.h"

namespace beckon::service {

/// Bodies of the frames that carry letters; byte layouts in docs/protocol.md.
inline constexpr std::size_t max_fetch_bytes = 200 * 1024;

/// Asks a node for the letters it keeps for a user. Signed by the user for this one node and
/// moment, so that an overheard request is worth nothing elsewhere or later.
struct FetchRequest {
  PublicKey user{};
  WallTime time{};
  std::optional<Id> after{};  // continue behind this entry
  Signature signature{};
};
struct FetchReply {
  bool more = false;
  std::vector<Bytes> envelopes{};
};

/// What the callee's host answers to an envelope handed to it.
enum class Delivery : std::uint8_t {
  delivered = 0,  // durable there
  refused = 1,
  not_here =
      2,  // this node does not host the user, or no longer has the key: look for a newer locator
  later = 3,  // welcome, but not now: the sender writes faster than the callee's host takes
};

Bytes fetch_signed_bytes(const FetchRequest& m, const Digest& overlay, const Id& asked);

Bytes encode(const FetchRequest& m);
Bytes encode(const FetchReply& m);
Bytes encode(Delivery outcome);
Result<FetchRequest> decode_fetch_request(ByteView body);
Result<FetchReply> decode_fetch_reply(ByteView body);
Result<Delivery> decode_delivery(ByteView body);

}  // namespace beckon::service
