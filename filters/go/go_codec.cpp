// SPDX-License-Identifier: MIT
#include "filters/go/go_codec.h"

#include "base/hash.h"

namespace beckon::filters {

namespace {

constexpr std::string_view magic = "BKGO";
constexpr std::uint8_t version = 1;
constexpr std::size_t checksum_bytes = 8;

void write(ByteWriter& out, const Grouping& grouping) {
  out.u64(grouping.d);
  out.u8(static_cast<std::uint8_t>(grouping.s));
}

void write(ByteWriter& out, const GoAttribute& attribute) {
  out.counted8(as_bytes(attribute.name));
  out.u64(static_cast<std::uint64_t>(attribute.seed));
  out.i64(attribute.scope.lo);
  out.i64(attribute.scope.hi);
  out.u8(static_cast<std::uint8_t>(attribute.k));
  write(out, attribute.range);
  write(out, attribute.point);
}

Grouping read_grouping(ByteReader& in) {
  std::uint64_t d = in.u64();
  std::uint32_t s = in.u8();
  if (s == 0) in.fail();  // a default only in specifications
  return {.d = d, .s = s};
}

GoAttribute read_attribute(ByteReader& in) {
  GoAttribute out;
  out.name = as_text(in.counted8());
  out.seed = AttributeSeed{in.u64()};
  out.scope.lo = in.i64();
  out.scope.hi = in.i64();
  out.k = in.u8();
  if (out.k == 0 || !is_utf8(out.name)) in.fail();
  out.range = read_grouping(in);
  out.point = read_grouping(in);
  return out;
}

GoLayout::Spec read_spec(ByteReader& in) {
  GoLayout::Spec out;
  out.bits = in.u32();
  out.k = in.u8();
  std::uint16_t count = in.u16();
  if (count > GoLayout::max_attributes) in.fail();
  for (std::uint16_t i = 0; i < count && in.ok(); ++i) out.attributes.push_back(read_attribute(in));
  return out;
}

/// The bytes between header and checksum, once both are right.
Result<ByteView> open_envelope(ByteView bytes) {
  if (bytes.size() < magic.size() || as_text(bytes.first(magic.size())) != magic) {
    return invalid("not an encoded filter: it does not begin with " + std::string(magic));
  }
  std::size_t header = magic.size() + 1;
  if (bytes.size() < header + checksum_bytes) return invalid("the encoded filter is cut short");
  if (bytes[magic.size()] != version) {
    return invalid("the encoded filter has version " + std::to_string(bytes[magic.size()]) +
                   ", this program reads version " + std::to_string(version));
  }
  ByteView covered = bytes.first(bytes.size() - checksum_bytes);
  if (ByteReader(bytes.last(checksum_bytes)).u64() != xxh3_64(covered)) {
    return invalid("the encoded filter is damaged: its checksum does not match");
  }
  return covered.subspan(header);
}

}  // namespace

Bytes encode(const GoFilter& filter) {
  ByteWriter out;
  out.raw(as_bytes(magic));
  out.u8(version);
  out.u32(filter.layout().bits());
  out.u8(static_cast<std::uint8_t>(filter.layout().k()));
  out.u16(static_cast<std::uint16_t>(filter.layout().attributes().size()));
  for (const GoAttribute& attribute : filter.layout().attributes()) write(out, attribute);
  out.u32(static_cast<std::uint32_t>(filter.bits().size()));
  out.raw(filter.bits().bytes());
  out.u64(xxh3_64(out.bytes()));
  return out.take();
}

Result<GoFilter> decode_go_filter(ByteView bytes) {
  auto body = open_envelope(bytes);
  if (!body) return body.error();
  ByteReader in(*body);
  GoLayout::Spec spec = read_spec(in);
  std::uint32_t length = in.u32();
  if (length > GoLayout::max_bits) in.fail();
  ByteView raw = in.raw((std::size_t{length} + 7) / 8);
  if (auto ok = in.finish("encoded filter"); !ok) return ok.error();

  auto layout = GoLayout::create(std::move(spec));
  if (!layout) return layout.error();
  auto bits = BitArray::from_bytes(length, raw);
  if (!bits) return bits.error();
  return GoFilter::from_bits(std::make_shared<const GoLayout>(std::move(*layout)),
                             std::move(*bits));
}

}  // namespace beckon::filters
