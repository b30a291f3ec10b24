#include "node/service/mail/locator.h"

namespace beckon::service {

namespace {
constexpr std::uint8_t version = 2;
}

Bytes encode(const Locator& locator) {
  ENSURE(!locator.hosts.empty() && locator.hosts.size() <= Locator::max_hosts);
  ByteWriter w;
  w.u8(version);
  w.u8(static_cast<std::uint8_t>(locator.hosts.size()));
  for (const chord::PeerRef& host : locator.hosts) {
    w.raw(host.id.bytes);
    w.counted8(as_bytes(host.address));
  }
  w.raw(locator.message_key);
  w.counted16(locator.additions);
  return w.take();
}

Result<Locator> decode_locator(ByteView payload) {
  ByteReader r(payload);
  Locator out;
  if (r.u8() != version) return invalid("a locator of an unknown version");
  std::size_t count = r.u8();
  if (count == 0 || count > Locator::max_hosts) r.fail();
  for (std::size_t i = 0; i < count && r.ok(); ++i) {
    chord::PeerRef host{.id = {r.array<chord::Id::size>()}};
    host.address = as_text(r.counted8());
    if (host.address.size() > chord::max_address_size || !is_utf8(host.address)) r.fail();
    out.hosts.push_back(std::move(host));
  }
  out.message_key = r.array<32>();
  ByteView additions = r.counted16();
  if (additions.size() > Locator::max_additions) r.fail();
  out.additions.assign(additions.begin(), additions.end());
  if (auto done = r.finish("a locator"); !done) return done.error();
  return out;
}

}  // namespace beckon::service
