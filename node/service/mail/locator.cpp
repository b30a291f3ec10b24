#include "node/service/mail/locator.h"

namespace beckon::service {

namespace {
constexpr std::uint8_t version = 1;
}

Bytes encode(const Locator& locator) {
  ByteWriter w;
  w.u8(version);
  w.raw(locator.host.id.bytes);
  w.counted8(as_bytes(locator.host.address));
  w.raw(locator.message_key);
  return w.take();
}

Result<Locator> decode_locator(ByteView payload) {
  ByteReader r(payload);
  Locator out;
  std::uint8_t found = r.u8();
  out.host.id.bytes = r.array<chord::Id::size>();
  out.host.address = as_text(r.counted8());
  out.message_key = r.array<32>();
  if (found != version || out.host.address.size() > chord::max_address_size ||
      !is_utf8(out.host.address))
    r.fail();
  if (auto done = r.finish("a locator"); !done) return done.error();
  return out;
}

}  // namespace beckon::service
