#include "node/service/admission/revocations.h"

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/revocations/1";
constexpr std::uint8_t layout_version = 1;
constexpr std::size_t entry_size = chord::Id::size + 8;

void write_fields(ByteWriter& out, const Revocations& list) {
  out.u8(layout_version);
  out.raw(list.overlay);
  out.u64(list.version);
  out.u32(static_cast<std::uint32_t>(list.expelled.size()));
  for (const auto& [id, until] : list.expelled) {
    out.raw(id.bytes);
    out.i64(to_ms(until));
  }
}

}  // namespace

Bytes Revocations::encode() const {
  ByteWriter out;
  write_fields(out, *this);
  out.raw(signature);
  return out.take();
}

Bytes Revocations::signed_part() const {
  ByteWriter out;
  out.raw(as_bytes(domain));
  write_fields(out, *this);
  return out.take();
}

bool Revocations::signed_by(const PublicKey& authority, const Signer& signer) const {
  return signer.verify(authority, signed_part(), signature);
}

Result<Revocations> Revocations::decode(ByteView bytes) {
  ByteReader in(bytes);
  if (in.u8() != layout_version) return invalid("revocation list has an unknown version");
  Revocations out;
  out.overlay = in.array<32>();
  out.version = in.u64();
  std::size_t count = in.u32();
  if (count > max_entries || count > in.remaining() / entry_size) in.fail();
  for (std::size_t i = 0; in.ok() && i < count; ++i) {
    chord::Id id{in.array<chord::Id::size>()};
    WallTime until = wall_from_ms(in.i64());
    if (!out.expelled.empty() && id <= out.expelled.rbegin()->first) {
      return invalid("revocation list is not in order");
    }
    out.expelled.emplace_hint(out.expelled.end(), id, until);
  }
  out.signature = in.array<64>();
  if (auto end = in.finish("revocation list"); !end) return end.error();
  return out;
}

}  // namespace beckon::service
