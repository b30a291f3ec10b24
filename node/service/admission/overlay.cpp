// SPDX-License-Identifier: MIT
#include "node/service/admission/overlay.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/json.h"
#include "profile/schema/schema_json.h"

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/overlay/2";
constexpr int file_version = 2;
constexpr std::string_view built_in_schema = "default";
constexpr std::size_t max_depth = 16;
constexpr std::size_t max_limits = 32;
constexpr std::uint64_t max_limit_value = std::uint64_t{1}
                                          << 53;  // what every JSON reader keeps exact
constexpr std::uint8_t max_puzzle = 40;

bool made_of(std::string_view text, std::string_view extra, bool digits) {
  for (char c : text) {
    bool fine = (c >= 'a' && c <= 'z') || (digits && c >= '0' && c <= '9') ||
                extra.find(c) != std::string_view::npos;
    if (!fine) return false;
  }
  return true;
}

Result<Json> read_file(std::string_view text) {
  auto json = parse_json(text, {.bytes = max_overlay_file, .depth = max_depth});
  if (!json) return invalid("overlay file: " + json.error().text);
  return json;
}

Error bad(std::string_view field, std::string_view wanted) {
  return invalid(fmt::format("overlay file: \"{}\" must be {}", field, wanted));
}

template <std::size_t N>
Result<std::array<std::uint8_t, N>> hex_field(const Json& json, const char* name) {
  std::array<std::uint8_t, N> out{};
  Error error = bad(name, fmt::format("{} hexadecimal digits, lower case", 2 * N));
  if (!json.contains(name) || !json[name].is_string()) return error;
  const auto& text = json[name].text();
  auto bytes = from_hex(text);
  if (!bytes || bytes->size() != N || to_hex(*bytes) != text) return error;
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out;
}

/// Files of the first protocol have no version. Their overlays have other ids now, and nobody
/// speaks that protocol any more.
Result<void> read_version(const Json& json, Overlay&) {
  if (json.contains("version") && json["version"].is_number_unsigned() &&
      json["version"].get<std::uint64_t>() == file_version)
    return {};
  return invalid(
      "overlay file: \"version\" must be 2. A file without it is of an overlay that was founded "
      "before protocol version 2; found it again (beckon overlay create NAME) or ask for a new "
      "invite, with another --home DIR");
}

Result<void> read_name(const Json& json, Overlay& out) {
  Error error = bad("name", "1 to 64 characters of a-z 0-9 - . _");
  if (!json.contains("name") || !json["name"].is_string()) return error;
  out.name = json["name"].get<std::string>();
  if (out.name.empty() || out.name.size() > 64 || !made_of(out.name, "-._", true)) return error;
  return {};
}

Result<void> read_admission(const Json& json, Overlay& out) {
  Error error = bad("admission", "\"open\" or \"closed\"");
  if (!json.contains("admission") || !json["admission"].is_string()) return error;
  const auto& text = json["admission"].text();
  if (text != "open" && text != "closed") return error;
  out.admission = text == "open" ? Admission::open : Admission::closed;
  if (out.admission == Admission::open && !json.contains("authority")) return {};
  auto key = hex_field<32>(json, "authority");
  if (!key) return key.error();
  out.authority = *key;
  return {};
}

Result<void> read_puzzle(const Json& json, Overlay& out) {
  if (!json.contains("puzzle")) return {};
  const Json& value = json["puzzle"];
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max_puzzle) {
    return bad("puzzle", "a whole number from 0 to 40");
  }
  out.puzzle = value.get<std::uint8_t>();
  if (out.puzzle > 0 && out.admission == Admission::closed) {
    return bad("puzzle", "0 or absent in a closed overlay");
  }
  return {};
}

Result<void> read_limits(const Json& json, Overlay& out) {
  if (!json.contains("limits")) return {};
  const Json& limits = json["limits"];
  if (!limits.is_object() || limits.size() > max_limits) {
    return bad("limits", "an object of at most 32 numbers");
  }
  for (const auto& [name, value] : limits.items()) {
    bool named = !name.empty() && name.size() <= 64 && made_of(name, "_", false);
    if (!named) return bad("limits", "an object whose names are 1 to 64 characters of a-z _");
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max_limit_value) {
      return bad("limits." + name, "a whole number from 0 to 2^53");
    }
    out.limits[name] = value.get<std::uint64_t>();
  }
  return {};
}

Result<void> only_known_fields(const Json& json) {
  static const std::set<std::string> known = {
      "name",      "id",     "salt",   "admission", "version",
      "authority", "puzzle", "limits", "schema",    "schema_signature"};
  for (const auto& [name, value] : json.items()) {
    if (!known.contains(name)) return invalid("overlay file: unknown field \"" + name + "\"");
  }
  return {};
}

/// The signature is there exactly when it is needed; drafts get theirs afterwards.
Result<void> read_schema(const Json& json, Overlay& out) {
  if (!json.contains("schema")) return bad("schema", "present");
  const Json& value = json["schema"];
  if (!value.is_string() || value.text() != built_in_schema) {
    auto schema = draft_schema(value.dump());
    if (!schema) return bad("schema", "\"default\" or a schema: " + schema.error().text);
    out.schema.text = std::move(schema->text);
  }
  bool granted = out.schema_kind() == SchemaKind::granted;
  if (granted != json.contains("schema_signature")) {
    return bad("schema_signature", granted ? "present: the authority signs the overlay's own schema"
                                           : "absent: only an authority signs an own schema");
  }
  if (!granted) return {};
  auto signature = hex_field<64>(json, "schema_signature");
  if (!signature) return signature.error();
  out.schema.signature = *signature;
  return {};
}

Result<Overlay> read_overlay(const Json& json) {
  if (!json.is_object()) return invalid("overlay file must be one JSON object");
  if (auto known = only_known_fields(json); !known) return known.error();
  Overlay out;
  for (auto read : {read_version, read_name, read_admission, read_puzzle, read_limits}) {
    if (auto done = read(json, out); !done) return done.error();
  }
  auto salt = hex_field<16>(json, "salt");
  if (!salt) return salt.error();
  out.salt = *salt;
  if (auto done = read_schema(json, out); !done) return done.error();
  if (json.contains("id")) {
    auto id = hex_field<32>(json, "id");
    if (!id) return id.error();
    if (*id != out.id()) {
      return invalid(
          "overlay file: \"id\" is not the hash of the other fields; the file was changed");
    }
  }
  return out;
}

}  // namespace

OverlayId Overlay::id() const {
  ByteWriter out;
  out.raw(as_bytes(domain));
  out.counted8(as_bytes(name));
  out.raw(salt);
  out.u8(static_cast<std::uint8_t>(admission));
  out.u8(authority ? 1 : 0);
  if (authority) out.raw(*authority);
  out.u8(puzzle);
  out.u8(static_cast<std::uint8_t>(limits.size()));
  for (const auto& [what, value] : limits) {
    out.counted8(as_bytes(what));
    out.u64(value);
  }
  out.u8(static_cast<std::uint8_t>(schema_kind()));
  if (schema_kind() == SchemaKind::fixed) out.raw(sha256(as_bytes(schema.text)));
  return sha256(out.bytes());
}

SchemaKind Overlay::schema_kind() const {
  if (schema.text.empty()) return SchemaKind::built_in;
  return authority ? SchemaKind::granted : SchemaKind::fixed;
}

std::uint64_t Overlay::limit(std::string_view what, std::uint64_t otherwise) const {
  auto found = limits.find(std::string(what));
  return found == limits.end() ? otherwise : found->second;
}

const Overlay& builtin_overlay() {
  static const Overlay overlay = [] {
    Overlay out{.name = "beckon"};
    Digest digest = sha256(as_bytes("beckon/overlay/1/builtin"));
    std::copy_n(digest.begin(), out.salt.size(), out.salt.begin());
    return out;
  }();
  return overlay;
}

Result<Overlay> parse_overlay(std::string_view text) {
  auto json = read_file(text);
  if (!json) return json.error();
  return read_overlay(*json);
}

std::string overlay_json(const Overlay& overlay) {
  Json json = {{"version", file_version},
               {"name", overlay.name},
               {"id", to_hex(overlay.id())},
               {"salt", to_hex(overlay.salt)},
               {"admission", overlay.admission == Admission::open ? "open" : "closed"},
               {"puzzle", overlay.puzzle},
               {"limits", Json::object()},
               {"schema", built_in_schema}};
  if (!overlay.schema.text.empty()) {
    auto schema = parse_json(overlay.schema.text, {.bytes = SchemaDocument::max_text});
    ENSURE(schema.has_value());
    json["schema"] = *std::move(schema);
  }
  if (overlay.schema_kind() == SchemaKind::granted)
    json["schema_signature"] = to_hex(overlay.schema.signature);
  if (overlay.authority) json["authority"] = to_hex(*overlay.authority);
  for (const auto& [what, value] : overlay.limits) json["limits"][what] = value;
  return json.sorted().dump(2) + "\n";
}

Result<Overlay> canonical(Overlay draft) {
  if (draft.name.size() > 64) return bad("name", "1 to 64 characters of a-z 0-9 - . _");
  if (draft.limits.size() > max_limits) return bad("limits", "an object of at most 32 numbers");
  if (!draft.schema.text.empty()) {
    auto schema = draft_schema(draft.schema.text);
    if (!schema) return bad("schema", "a schema: " + schema.error().text);
    draft.schema.text = std::move(schema->text);
  }
  return parse_overlay(overlay_json(draft));
}

profile::Schema schema_of(const Overlay& overlay) {
  if (overlay.schema.text.empty()) return profile::Schema::built_in();
  auto schema = profile::parse_schema(overlay.schema.text);
  ENSURE(schema.has_value());  // as parse_overlay and check_growth saw
  return *std::move(schema);
}

Result<SchemaDocument> draft_schema(std::string_view json) {
  auto schema = profile::parse_schema(json);
  if (!schema) return schema.error();
  return SchemaDocument{.text = profile::schema_json(*schema)};
}

Result<void> check_schema(const Overlay& overlay, const Signer& signer) {
  if (overlay.schema_kind() != SchemaKind::granted) return {};
  if (overlay.schema.signed_by(*overlay.authority, overlay.id(), signer)) return {};
  return invalid("the overlay's schema is not signed by its authority");
}

Result<void> check_growth(const Overlay& overlay, const SchemaDocument& next,
                          const Signer& signer) {
  if (overlay.schema_kind() == SchemaKind::built_in)
    return invalid("this overlay uses the built-in schema, which grows with releases of Beckon");
  if (overlay.schema_kind() == SchemaKind::fixed) {
    return invalid(
        "this overlay has no authority, so its schema is part of its id and cannot grow");
  }
  if (!next.signed_by(*overlay.authority, overlay.id(), signer))
    return Error{ErrorCode::refused, "the schema is not signed by the overlay's authority"};
  auto schema = profile::parse_schema(next.text);
  if (!schema) return schema.error();
  if (profile::schema_json(*schema) != next.text)
    return invalid("the schema's text is not canonical");
  return profile::extends(*schema, schema_of(overlay));
}

}  // namespace beckon::service
