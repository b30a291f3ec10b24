// SPDX-License-Identifier: MIT
#include "node/service/items/item.h"

#include <algorithm>

namespace beckon::service {

namespace {

constexpr std::uint8_t row_format = 1;
constexpr std::size_t row_check_size = 8;

RuleBook::Judged refused(Status status) { return {.status = status}; }

}  // namespace

void RuleBook::add(const ItemRules& rules) {
  bool fresh = rules_.emplace(rules.kind(), &rules).second;
  ENSURE(fresh);
}

const ItemRules* RuleBook::find(ItemKind kind) const {
  auto found = rules_.find(kind);
  return found == rules_.end() ? nullptr : found->second;
}

RuleBook::Judged RuleBook::judge(RawItem raw_item, WallTime now) const {
  const ItemRules* rules = find(raw_item.kind);
  if (!rules) return refused(Status::unsupported);
  if (raw_item.bytes.size() > rules->limits().max_bytes) return refused(Status::too_large);
  auto info = rules->read(raw_item.ring, raw_item.bytes);
  if (!info) {
    return refused(info.error().code == ErrorCode::refused ? Status::wrong_key : Status::malformed);
  }
  if (Status s = judge_times(*info, rules->limits(), now); s != Status::ok) return refused(s);
  Digest digest = sha256(rules->signed_part(raw_item.bytes));
  return {.status = Status::ok,
          .item = {.key = {raw_item.ring, raw_item.kind, info->sub},
                   .info = *info,
                   .bytes = std::move(raw_item.bytes),
                   .digest = digest}};
}

Status RuleBook::judge_times(const ItemInfo& info, const ItemLimits& limits, WallTime now) const {
  if (info.issued > now + options_.skew) return Status::too_new;
  if (info.expiry < info.issued || info.expiry - info.issued > limits.max_life) {
    return Status::malformed;
  }
  if (info.expiry <= now) return Status::expired;
  // A sequence number far ahead of every clock could never be overtaken by its author.
  if (info.seq >
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, to_ms(now + options_.seq_ahead)))) {
    return Status::too_new;
  }
  return Status::ok;
}

bool RuleBook::genuine(const Item& item) const {
  const ItemRules* rules = find(item.key.kind);
  return rules && rules->genuine(item.bytes);
}

RuleBook::Judged RuleBook::judge_fully(RawItem raw_item, WallTime now) const {
  Judged judged = judge(std::move(raw_item), now);
  if (judged.status == Status::ok && !genuine(judged.item)) return refused(Status::bad_signature);
  return judged;
}

Bytes encode_row(const Item& item) {
  ByteWriter out;
  out.u8(row_format);
  out.raw(ByteView(sha256(item.bytes)).first(row_check_size));
  out.raw(item.bytes);
  return out.take();
}

Result<Item> decode_row(ByteView key, ByteView value, const RuleBook& rules) {
  auto place = decode<ItemKey>(key);
  if (!place) return place.error();
  Item item{.key = *place};

  ByteReader in(value);
  auto format = in.u8();
  auto check = in.raw(row_check_size);
  if (!in.ok() || format != row_format) return invalid("row of an unknown format");
  item.bytes.assign(in.rest().begin(), in.rest().end());
  Digest whole = sha256(item.bytes);
  if (!std::equal(check.begin(), check.end(), whole.begin())) {
    return invalid("row was changed on disk");
  }
  const ItemRules* rule = rules.find(item.key.kind);
  if (!rule) return invalid("row of an unknown kind");
  auto info = rule->read(item.key.ring, item.bytes);
  if (!info) return info.error();
  if (info->sub != item.key.sub) return invalid("row under the wrong key");
  item.info = *info;
  item.digest = sha256(rule->signed_part(item.bytes));
  return item;
}

}  // namespace beckon::service
