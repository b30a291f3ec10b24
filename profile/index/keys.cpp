// SPDX-License-Identifier: MIT
#include "profile/index/keys.h"

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "profile/query/matches.h"
#include "profile/values/text_fold.h"

namespace beckon::profile {

namespace {

constexpr std::size_t prefix_length = 3;  // code points

/// Types as keys spell them; 0 is for keys of no attribute.
std::uint8_t type_code(Type type) {
  switch (type) {
    case Type::text:
      return 1;
    case Type::integer:
      return 2;
    case Type::decimal:
      return 3;
    case Type::date:
      return 4;
    case Type::ip:
      return 5;
    case Type::hybrid:
      return 6;
    case Type::any:
      return 7;
  }
  return 0;
}

/// K = SHA-256("ix2" | salt | kind | type code | fold number | name, counted | payload), cut to the
/// ring's width. It covers what a key depends on and no more: another attribute in the schema moves
/// no key, other folding rules move those with texts in them.
class KeyMaker {
 public:
  explicit KeyMaker(const Salt& salt) : salt_(salt) {}

  RingKey text(Type type, std::string_view name, std::string_view value) const {
    return make('T', type_code(type), fold_number, name, as_bytes(value));
  }
  RingKey prefix(Type type, std::string_view name, std::string_view start) const {
    return make('P', type_code(type), fold_number, name, as_bytes(start));
  }
  RingKey number(Type type, std::string_view space, const Bucket& bucket) const {
    bool hybrid = type == Type::hybrid;  // its template is a text in the name of its space
    ByteWriter payload;
    payload.u8(bucket.level);
    payload.u64(bucket.x);
    return make(hybrid ? 'H' : 'N', type_code(type), hybrid ? fold_number : 0, space,
                payload.bytes());
  }
  RingKey cell(Type type, const Bucket& bucket) const {
    ByteWriter payload;
    payload.u8(bucket.level);
    payload.u64(bucket.x);
    payload.u64(bucket.y);
    return make('G', type_code(type), 0, "geo", payload.bytes());
  }
  RingKey shard(std::uint8_t number) const { return make('A', 0, 0, "", ByteView(&number, 1)); }
  RingKey directory(Type type, std::string_view name) const {
    return make('D', type_code(type), 0, name, {});
  }

 private:
  RingKey make(char kind, std::uint8_t type, std::uint8_t fold, std::string_view name,
               ByteView payload) const {
    ByteWriter head;
    head.raw(as_bytes("ix2"));
    head.raw(salt_);
    head.u8(static_cast<std::uint8_t>(kind));
    head.u8(type);
    head.u8(fold);
    head.counted8(as_bytes(name));
    Digest digest = sha256({head.bytes(), payload});
    RingKey key{};
    std::copy_n(digest.begin(), key.size(), key.begin());
    return key;
  }

  const Salt& salt_;
};

/// The first three characters, or nothing if there are fewer.
std::optional<std::string> first_characters(std::string_view text) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_character && seen++ == prefix_length) return std::string(text.substr(0, i));
  }
  if (seen < prefix_length) return std::nullopt;
  return std::string(text);
}

PlaceSpace place_space(const Schema& schema) {
  const Attribute& x = schema.at(*schema.longitude());
  const Attribute& y = schema.at(*schema.latitude());
  return {number_space(x, x.name, {}), number_space(y, y.name, {})};
}

bool is_axis(const Schema& schema, std::uint8_t slot) { return schema.at(slot).axis != Axis::none; }

/// What is stored under one key when several values meet there.
Marks generous(const Marks& a, const Marks& b) {
  Marks out{a.home || b.home, a.first_x || b.first_x, a.first_y || b.first_y,
            std::min(a.span, b.span)};
  if (a.first_x != b.first_x) out.span = a.first_x ? a.span : b.span;
  return out;
}

/// What is read under one key when several items meet there: never less than each would read.
Wanted generous(const Wanted& a, const Wanted& b) {
  return {a.home_only && b.home_only, a.first_x || b.first_x, a.first_y || b.first_y,
          std::max(a.back, b.back)};
}

class Placer {
 public:
  Placer(const Schema& schema, const Salt& salt) : schema_(schema), key_(salt) {}

  void put(const RingKey& key, const Marks& marks = {}) {
    auto [place, fresh] = placed_.try_emplace(key, marks);
    if (!fresh) place->second = generous(place->second, marks);
  }

  void put_value(const std::string& name, const Attribute& attribute, const Value& value) {
    Type type = attribute.type;
    if (!value.text.empty() && type != Type::ip) put(key_.text(type, name, value.text));
    if (attribute.prefix_keys) {
      if (auto start = first_characters(value.text)) put(key_.prefix(type, name, *start));
    }
    if (!value.number || attribute.axis != Axis::none) return;
    NumberSpace space = number_space(attribute, name, value);
    for (const StoredBucket& s : stored_buckets(space, *value.number)) {
      put(key_.number(type, space.name, s.bucket), s.marks);
    }
  }

  void put_place(const Value& longitude, const Value& latitude) {
    Type type = schema_.at(*schema_.longitude()).type;
    for (const StoredBucket& s :
         stored_cells(place_space(schema_), {*longitude.number, *latitude.number})) {
      put(key_.cell(type, s.bucket), s.marks);
    }
  }

  void put_owner(const OwnerId& owner) {
    put(key_.shard(static_cast<std::uint8_t>(owner[0] / (256 / all_shards))));
  }

  std::vector<Placement> take() const {
    std::vector<Placement> out;
    for (const auto& [key, marks] : placed_) out.push_back({key, marks});
    return out;
  }

 private:
  const Schema& schema_;
  KeyMaker key_;
  std::map<RingKey, Marks> placed_;
};

class Prober {
 public:
  Prober(const Schema& schema, const Salt& salt) : schema_(schema), key_(salt) {}

  /// Probes of one item; none if it gives no key.
  std::optional<std::vector<Probe>> item(const Term& term, const Value& item) const {
    const Attribute& attribute = schema_.at(term.slot);
    if (term.op == Op::starts) {
      auto start = attribute.prefix_keys ? first_characters(item.text) : std::nullopt;
      if (!start) return std::nullopt;
      return std::vector<Probe>{{key_.prefix(attribute.type, term.attr, *start), {}}};
    }
    if (!item.number)
      return std::vector<Probe>{{key_.text(attribute.type, term.attr, item.text), {}}};
    if (is_axis(schema_, term.slot)) return std::nullopt;
    NumberSpace space = number_space(attribute, term.attr, item);
    auto asked = asked_buckets(space, *item.number,
                               term.op == Op::covers ? Relation::covers : Relation::overlaps);
    if (!asked) return std::nullopt;
    std::vector<Probe> out;
    for (const AskedBucket& a : *asked)
      out.push_back({key_.number(attribute.type, space.name, a.bucket), a.wanted});
    return out;
  }

  std::optional<std::vector<Probe>> box(const Box& box) const {
    auto asked = asked_cells(place_space(schema_), box);
    if (!asked) return std::nullopt;
    Type type = schema_.at(*schema_.longitude()).type;
    std::vector<Probe> out;
    for (const AskedBucket& a : *asked) out.push_back({key_.cell(type, a.bucket), a.wanted});
    return out;
  }

 private:
  const Schema& schema_;
  KeyMaker key_;
};

/// Adds the access unless it needs too many keys; probes of the same key become one.
void add_access(std::vector<Access>& out, std::string label, const std::vector<Probe>& probes) {
  std::map<RingKey, Wanted> merged;
  for (const Probe& probe : probes) {
    auto [place, fresh] = merged.try_emplace(probe.key, probe.wanted);
    if (!fresh) place->second = generous(place->second, probe.wanted);
  }
  if (merged.empty() || merged.size() > max_probes) return;
  Access access{.label = std::move(label)};
  for (const auto& [key, wanted] : merged) access.probes.push_back({key, wanted});
  out.push_back(std::move(access));
}

void add_any_of(std::vector<Access>& out, const Schema& schema, const Prober& prober,
                const Term& term) {
  std::vector<Probe> probes;
  for (const Value& item : term.items) {
    auto more = prober.item(term, item);
    if (!more) return;
    probes.insert(probes.end(), more->begin(), more->end());
  }
  add_access(out, canonical(schema, term), probes);
}

/// All items must be covered, so each alone leads to everybody who is sought.
void add_each(std::vector<Access>& out, const Schema& schema, const Prober& prober,
              const Term& term) {
  for (const Value& item : term.items) {
    auto probes = prober.item(term, item);
    if (!probes) continue;
    Term alone = term;
    alone.items = {item};
    add_access(out, canonical(schema, alone), *probes);
  }
}

/// Latitude and longitude asked for in one branch make boxes.
void add_boxes(std::vector<Access>& out, const Schema& schema, const Prober& prober,
               const Branch& branch) {
  if (!schema.longitude()) return;
  const Term* x = nullptr;
  const Term* y = nullptr;
  for (const Term& term : branch) {
    bool usable = !term.negated && (term.op == Op::equal || term.op == Op::covers);
    if (usable && term.slot == *schema.longitude()) x = &term;
    if (usable && term.slot == *schema.latitude()) y = &term;
  }
  if (x == nullptr || y == nullptr) return;
  std::vector<Probe> probes;
  for (const Value& i : x->items) {
    for (const Value& j : y->items) {
      auto more = prober.box({*i.number, *j.number});
      if (!more) return;
      probes.insert(probes.end(), more->begin(), more->end());
      if (probes.size() > 2 * max_probes) return;
    }
  }
  add_access(out, canonical(schema, *y) + "&" + canonical(schema, *x), probes);
}

}  // namespace

std::vector<Placement> placements(const Schema& schema, const Salt& salt, const Profile& profile,
                                  const OwnerId& owner) {
  Placer placer(schema, salt);
  for (const auto& [name, values] : profile.attributes()) {
    const Attribute& attribute = schema.at(*schema.slot(name));
    for (const Value& value : profile.searchable(schema, name))
      placer.put_value(name, attribute, value);
  }
  if (schema.longitude()) {
    auto x = profile.searchable(schema, schema.at(*schema.longitude()).name);
    auto y = profile.searchable(schema, schema.at(*schema.latitude()).name);
    if (!x.empty() && !y.empty()) placer.put_place(x[0], y[0]);
  }
  placer.put_owner(owner);
  return placer.take();
}

std::vector<Access> accesses(const Schema& schema, const Salt& salt, const Branch& branch) {
  Prober prober(schema, salt);
  std::vector<Access> out;
  for (const Term& term : branch) {
    if (term.negated || term.op == Op::has) continue;
    if (term.op == Op::near) {
      if (auto probes = prober.box({term.near.longitudes, term.near.latitudes})) {
        add_access(out, canonical(schema, term), *probes);
      }
    } else if (term.op == Op::covers) {
      add_each(out, schema, prober, term);
    } else {
      add_any_of(out, schema, prober, term);
    }
  }
  add_boxes(out, schema, prober, branch);
  out.push_back(everybody(salt));
  return out;
}

Access everybody(const Salt& salt) {
  KeyMaker key(salt);
  Access access{.label = "all"};
  for (std::uint8_t shard = 0; shard < all_shards; ++shard)
    access.probes.push_back({key.shard(shard), {}});
  return access;
}

RingKey directory_key(const Schema& schema, const Salt& salt, std::string_view attribute) {
  return KeyMaker(salt).directory(schema.at(*schema.slot(attribute)).type, attribute);
}

}  // namespace beckon::profile
