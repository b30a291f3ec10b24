#include "node/service/admission/overlay.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/json.h"

namespace beckon::service {

namespace {

constexpr std::string_view domain = "beckon/overlay/1";
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
  return json->sorted();  // the overlay's id covers the schema's bytes, members by name
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
  if (out.admission == Admission::open) {
    if (json.contains("authority")) return bad("authority", "absent in an open overlay");
    return {};
  }
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
  static const std::set<std::string> known = {"name",      "id",     "salt",   "admission",
                                              "authority", "puzzle", "limits", "schema"};
  for (const auto& [name, value] : json.items()) {
    if (!known.contains(name)) return invalid("overlay file: unknown field \"" + name + "\"");
  }
  return {};
}

Result<Overlay> read_overlay(const Json& json) {
  if (!json.is_object()) return invalid("overlay file must be one JSON object");
  if (auto known = only_known_fields(json); !known) return known.error();
  Overlay out;
  for (auto read : {read_name, read_admission, read_puzzle, read_limits}) {
    if (auto done = read(json, out); !done) return done.error();
  }
  auto salt = hex_field<16>(json, "salt");
  if (!salt) return salt.error();
  out.salt = *salt;
  if (!json.contains("schema")) return bad("schema", "present");
  out.schema = json["schema"].dump();
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
  if (authority) out.raw(*authority);
  out.u8(puzzle);
  out.u8(static_cast<std::uint8_t>(limits.size()));
  for (const auto& [what, value] : limits) {
    out.counted8(as_bytes(what));
    out.u64(value);
  }
  out.counted32(as_bytes(schema));
  return sha256(out.bytes());
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
  // Written canonically, a schema can be longer than the file it was read from.
  auto schema = parse_json(overlay.schema, {.bytes = SIZE_MAX, .depth = max_depth});
  ENSURE(schema.has_value());
  Json json = {{"name", overlay.name},
               {"id", to_hex(overlay.id())},
               {"salt", to_hex(overlay.salt)},
               {"admission", overlay.admission == Admission::open ? "open" : "closed"},
               {"puzzle", overlay.puzzle},
               {"limits", Json::object()},
               {"schema", *schema}};
  if (overlay.authority) json["authority"] = to_hex(*overlay.authority);
  for (const auto& [what, value] : overlay.limits) json["limits"][what] = value;
  return json.sorted().dump(2) + "\n";
}

Result<Overlay> canonical(Overlay draft) {
  if (draft.name.size() > 64) return bad("name", "1 to 64 characters of a-z 0-9 - . _");
  if (draft.limits.size() > max_limits) return bad("limits", "an object of at most 32 numbers");
  auto schema = read_file(draft.schema);
  if (!schema) return bad("schema", "JSON");
  draft.schema = schema->dump();
  return parse_overlay(overlay_json(draft));
}

}  // namespace beckon::service
