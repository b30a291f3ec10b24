// SPDX-License-Identifier: MIT
#include "profile/index/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/hash.h"

namespace beckon::profile {

namespace {

constexpr std::uint8_t critical_withdrawn = 1;
constexpr std::uint8_t no_filter = 255;
constexpr std::string_view domain = "beckon/record/v2";

std::uint8_t length_code(std::size_t bits) {
  if (bits == 0) return no_filter;
  auto found = std::find(filter_lengths.begin(), filter_lengths.end(), bits);
  ENSURE(found != filter_lengths.end());
  return static_cast<std::uint8_t>(found - filter_lengths.begin());
}

std::uint32_t seconds_of(WallTime t) { return static_cast<std::uint32_t>(to_ms(t) / 1000); }

Bytes encode_unsigned(const Record& record) {
  ByteWriter out;
  write_fields(out, record);
  out.u8(length_code(record.filter.size()));
  out.raw(record.filter.bytes());
  out.counted16(record.additions);
  return out.take();
}

Bytes signed_message(const Salt& salt, const Record& record) {
  ByteWriter out;
  out.raw(as_bytes(domain));
  out.raw(salt);
  out.raw(encode_unsigned(record));
  return out.take();
}

/// A record that needs what this node does not know is refused by the lowest such bit.
Result<void> check_critical(std::uint8_t flags) {
  auto unknown = static_cast<std::uint8_t>(flags & ~critical_withdrawn);
  if (unknown == 0) return {};
  return invalid(fmt::format("record: needs feature bit {}, which this node does not know",
                             std::countr_zero(unknown)));
}

void decode_filter(ByteReader& in, Record& record) {
  std::uint8_t code = in.u8();
  if (record.withdrawn) {
    if (code != no_filter || record.presence != 0 || record.layout != 0) in.fail();
    return;
  }
  if (code >= filter_lengths.size()) return in.fail();
  std::size_t bits = filter_lengths[code];
  auto filter = filters::BitArray::from_bytes(bits, in.raw(bits / 8));
  if (!filter) return in.fail();
  record.filter = std::move(*filter);
}

}  // namespace

OwnerId owner_id(const PublicKey& key) {
  Digest digest = sha256(key);
  OwnerId id{};
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

Record withdrawal(const Publication& publication) {
  Record record{.owner_key = publication.owner_key,
                .message_key = publication.message_key,
                .hosts = {publication.host},
                .version = publication.version};
  record.expiry = wall_from_ms(std::int64_t{seconds_of(publication.expiry)} * 1000);
  record.withdrawn = true;
  return record;
}

Record build_record(const Schema& schema, const Salt& salt, const Profile& profile,
                    const Publication& publication) {
  Elements found = elements(schema, salt, profile);
  FilterChoice choice = choose_filter(schema, found, publication.target_fpr);
  Record record = withdrawal(publication);
  record.withdrawn = false;
  record.layout = schema.classes()[choice.layout].name;
  record.presence = found.presence;
  record.open = choice.open;
  record.filter = std::move(choice.filter);
  return record;
}

void sign_record(const Salt& salt, const Signer& signer, const SecretSeed& seed, Record& record) {
  record.signature = signer.sign(seed, signed_message(salt, record));
}

bool verify_record(const Salt& salt, const Signer& signer, const Record& record) {
  return signer.verify(record.owner_key, signed_message(salt, record), record.signature);
}

Bytes encode(const Record& record) {
  ByteWriter out;
  out.raw(encode_unsigned(record));
  out.raw(record.signature);
  return out.take();
}

Result<Record> decode_record(ByteView bytes) {
  if (bytes.size() > max_record_size) return invalid("record: too long");
  ByteReader in(bytes);
  Record record;
  if (bytes.size() < 2 || bytes[0] != record_format) return invalid("record: unknown format");
  if (auto known = check_critical(bytes[1]); !known) return known.error();
  read_fields(in, record);
  decode_filter(in, record);
  ByteView additions = in.counted16();
  record.additions.assign(additions.begin(), additions.end());
  record.signature = in.array<64>();
  if (record.additions.size() > max_additions) in.fail();
  if (auto end = in.finish("record"); !end) return end.error();
  return record;
}

}  // namespace beckon::profile
