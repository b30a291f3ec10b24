// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "node/service/mail/letter.h"

namespace beckon::service {

/// Bodies of the frames that carry letters.
inline constexpr std::size_t max_fetch_bytes = 200 * 1024;

/// Asks a node for the letters it keeps for a user. Signed by the user for this one node and
/// moment, so that an overheard request is worth nothing elsewhere or later.
struct FetchRequest {
  PublicKey user{};
  WallTime time{};
  std::optional<Id> after{};  // continue behind this entry
  Signature signature{};
  static constexpr Form form = exact("a mailbox request", FrameType::mailbox_req);
  static void signed_fields(auto& f, auto& m) {
    f("user", m.user);
    f("time", m.time, plausible_times);
    f("after", m.after);
  }
  static void fields(auto& f, auto& m) {
    signed_fields(f, m);
    f("signature", m.signature);
  }
};
struct FetchReply {
  bool more = false;
  std::vector<Bytes> envelopes{};
  static constexpr Form form = may_grow("letters from a mailbox", FrameType::mailbox_rep);
  static void fields(auto& f, auto& m) {
    f("more", m.more);
    f.list16("envelopes", m.envelopes, {}, [](auto& g, auto& envelope) {
      g.bytes32("envelope", envelope, {1, Envelope::max_size});
    });
  }
};

/// What the callee's host answers to an envelope handed to it.
enum class Delivery : std::uint8_t {
  delivered = 0,  // durable there
  refused = 1,
  not_here =
      2,  // this node does not host the user, or no longer has the key: look for a newer locator
  later = 3,  // welcome, but not now: the sender writes faster than the callee's host takes
};
struct DeliverReply {
  Delivery outcome{};
  static constexpr Form form = may_grow("the answer to a letter", FrameType::deliver_rep);
  static void fields(auto& f, auto& m) { f("outcome", m.outcome); }
};

Bytes fetch_signed_bytes(const FetchRequest& m, const Digest& overlay, const Id& asked);

}  // namespace beckon::service
