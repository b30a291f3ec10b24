// SPDX-License-Identifier: MIT
#include "node/service/admission/hello.h"

#include <fmt/core.h>

namespace beckon::service {

std::string_view refusal_text(Refusal why) {
  switch (why) {
    case Refusal::malformed:
      return "it could not read our greeting";
    case Refusal::version:
      return "it speaks another version of the protocol; update the older node";
    case Refusal::overlay:
      return "it belongs to another overlay; compare `beckon overlay show` on both nodes";
    case Refusal::stale_epoch:
      return "it is linked to a later start of this node; is a copy of it running?";
    case Refusal::revoked:
      return "the overlay's authority has expelled this node";
    case Refusal::busy:
      return "it has no room for another link now";
    case Refusal::duplicate:
      return "it keeps the other of two links made at the same time";
    case Refusal::self:
      return "it is this node itself";
    case Refusal::not_invited:
      return "the invite is unknown, used or too old; ask for a new one";
    case Refusal::not_authority:
      return "it does not hold the authority's key; use an invite made on the node that does";
  }
  return "for a reason unknown to this version";
}

Result<void> Greeting::fail(Refusal why, std::string text) {
  refusal_ = why;
  return Error{ErrorCode::refused, std::move(text)};
}

Result<void> Greeting::receive(std::uint8_t type, ByteView body) {
  std::uint8_t wanted = side_ == Side::dialler ? wire::hello_ack : wire::hello;
  if (done()) return fail(Refusal::malformed, "a second greeting came");
  if (side_ == Side::dialler && type == wire::refused) {
    auto told = decode<Refused>(body);
    if (!told) return told.error();
    later_at_ = told->later_at;
    return fail(told->why, fmt::format("the peer refused us: {}", refusal_text(told->why)));
  }
  if (type != wanted) {
    return fail(Refusal::malformed, fmt::format("frame type {} came before the greeting", type));
  }
  auto hello = decode<Hello>(body);
  if (!hello) return fail(Refusal::malformed, hello.error().text);
  if (hello->version != self_.version) {
    return fail(
        Refusal::version,
        fmt::format("the peer speaks protocol version {}, we speak {}; update the older node",
                    hello->version, self_.version));
  }
  if (hello->overlay != self_.overlay) {
    return fail(Refusal::overlay,
                "the peer belongs to another overlay; compare `beckon overlay show` on both nodes");
  }
  peer_ = std::move(*hello);
  return {};
}

}  // namespace beckon::service
