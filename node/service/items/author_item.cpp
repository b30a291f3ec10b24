// SPDX-License-Identifier: MIT
#include "node/service/items/author_item.h"

#include <algorithm>
#include <optional>

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/record/v1";
constexpr std::size_t signature_size = std::tuple_size_v<Signature>;

struct Split {
  ByteView body;
  Signature signature{};
};

std::optional<Split> split(ByteView bytes) {
  if (bytes.size() < signature_size) return {};
  Split parts{.body = bytes.first(bytes.size() - signature_size)};
  std::ranges::copy(bytes.last(signature_size), parts.signature.begin());
  return parts;
}

Result<AuthorItem> decode_body(ByteView body, const OverlayId& overlay) {
  ByteReader in(body);
  bool ours = as_text(in.raw(domain.size())) == domain;
  auto named = in.array<std::tuple_size_v<OverlayId>>();
  AuthorItem record;
  read_fields(in, record);
  if (auto whole = in.finish("author record"); !whole) return whole.error();
  if (!ours) return invalid("not an author record");
  if (named != overlay) return Error{ErrorCode::refused, "a record of another overlay"};
  return record;
}

}  // namespace

Id author_record_key(const OverlayId& overlay, std::uint8_t topic, const PublicKey& author) {
  return Id::of_digest(sha256({as_bytes("key"), overlay, ByteView(&topic, 1), author}));
}

Bytes sign_author_record(const AuthorItem& record, const OverlayId& overlay, const SecretSeed& seed,
                         const Signer& signer) {
  ENSURE(record.author == signer.public_key(seed));
  ENSURE(record.payload.size() <= AuthorItemRules::max_payload);
  ENSURE(!record.tombstone || record.payload.empty());
  ByteWriter out;
  out.raw(as_bytes(domain));
  out.raw(overlay);
  write_fields(out, record);
  out.raw(signer.sign(seed, out.bytes()));
  return out.take();
}

Result<AuthorItem> decode_author_record(ByteView bytes, const OverlayId& overlay) {
  auto parts = split(bytes);
  if (!parts) return invalid("author record is too short");
  return decode_body(parts->body, overlay);
}

std::uint64_t next_seq(std::uint64_t last_durable, WallTime now) {
  return std::max(last_durable + 1,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(0, to_ms(now))));
}

AuthorItem tombstone_for(const AuthorItem& record, std::uint64_t seq, WallTime now) {
  // Rounded up: one second too long does no harm, one too short lets the record come back.
  auto left = std::chrono::ceil<std::chrono::seconds>(record.expiry() - now);
  AuthorItem grave{.topic = record.topic, .author = record.author, .seq = seq, .issued = now};
  grave.life = std::clamp(left, std::chrono::seconds(60), AuthorItemRules::max_life);
  grave.tombstone = true;
  return grave;
}

ItemLimits AuthorItemRules::limits() const {
  return {.max_bytes = 64 * 1024,
          .max_life = max_life,
          .per_author_items = 16,
          .per_author_bytes = 256 * 1024};
}

Result<ItemInfo> AuthorItemRules::read(const Id& ring, ByteView bytes) const {
  auto record = decode_author_record(bytes, overlay_);
  if (!record) return record.error();
  if (author_record_key(overlay_, record->topic, record->author) != ring) {
    return Error{ErrorCode::refused, "author record under another key than its author's"};
  }
  Id author = Id::of_digest(sha256(record->author));
  return ItemInfo{.sub = author,
                  .seq = record->seq,
                  .issued = record->issued,
                  .expiry = record->expiry(),
                  .tombstone = record->tombstone,
                  .author = author};
}

bool AuthorItemRules::genuine(ByteView bytes) const {
  auto parts = split(bytes);
  if (!parts) return false;
  auto record = decode_body(parts->body, overlay_);
  return record && signer_.verify(record->author, parts->body, parts->signature);
}

}  // namespace beckon::service
