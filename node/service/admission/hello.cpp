#include "node/service/admission/hello.h"

#include <fmt/core.h>

namespace beckon::service {

namespace {

constexpr std::size_t max_addresses = 4;

}  // namespace

Bytes Hello::encode() const {
  ENSURE(addresses.size() <= max_addresses);
  ByteWriter out;
  out.u8(version);
  out.raw(overlay);
  out.u64(epoch);
  out.u64(revocations);
  out.u32(schema);
  out.u32(capabilities);
  out.u8(static_cast<std::uint8_t>(addresses.size()));
  for (const std::string& address : addresses) out.counted8(as_bytes(address));
  return out.take();
}

Result<Hello> Hello::decode(ByteView body) {
  if (body.size() > max_greeting_body) return invalid("HELLO is longer than 4 KiB");
  ByteReader in(body);
  Hello out;
  out.version = in.u8();
  out.overlay = in.array<32>();
  out.epoch = in.u64();
  out.revocations = in.u64();
  out.schema = in.u32();
  out.capabilities = in.u32();
  std::size_t count = in.u8();
  if (count > max_addresses) in.fail();
  for (std::size_t i = 0; in.ok() && i < count; ++i) {
    std::string address(as_text(in.counted8()));
    bool fine = !address.empty() && address.size() <= chord::max_address_size && is_utf8(address);
    if (!fine) return invalid("HELLO has an address that is empty, too long or not text");
    out.addresses.push_back(std::move(address));
  }
  if (auto end = in.finish("HELLO"); !end) return end.error();
  return out;
}

Bytes Refused::encode() const {
  ByteWriter out;
  out.u8(protocol_version);
  out.u8(static_cast<std::uint8_t>(why));
  if (why == Refusal::stale_epoch) out.counted8(as_bytes(later_at));
  return out.take();
}

Result<Refused> Refused::decode(ByteView body) {
  ByteReader in(body);
  std::uint8_t version = in.u8();
  std::uint8_t why = in.u8();
  bool known = why >= static_cast<std::uint8_t>(Refusal::malformed) &&
               why <= static_cast<std::uint8_t>(Refusal::not_authority);
  if (version != protocol_version || !known) return invalid("refusal has an unknown reason");
  Refused out{.why = static_cast<Refusal>(why)};
  if (out.why == Refusal::stale_epoch) out.later_at = as_text(in.counted8());
  if (auto end = in.finish("refusal"); !end) return end.error();
  if (out.later_at.size() > chord::max_address_size || !is_utf8(out.later_at)) {
    return invalid("refusal has an address that is too long or not text");
  }
  return out;
}

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
    auto told = Refused::decode(body);
    if (!told) return told.error();
    later_at_ = told->later_at;
    return fail(told->why, fmt::format("the peer refused us: {}", refusal_text(told->why)));
  }
  if (type != wanted) {
    return fail(Refusal::malformed, fmt::format("frame type {} came before the greeting", type));
  }
  auto hello = Hello::decode(body);
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
