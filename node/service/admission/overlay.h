#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/hash.h"

namespace beckon::service {

using OverlayId = Digest;
using OverlaySalt = std::array<std::uint8_t, 16>;

enum class Admission : std::uint8_t { open = 0, closed = 1 };

/// What all nodes of one ring agree on: the content of overlay.json. Two overlays are the same if
/// and only if their ids are: the id is a hash over everything else in the file, so a node that was
/// given an id can take the file from anybody. `authority` is present exactly when admission is
/// closed. The schema is kept as JSON text in canonical form and not looked into here.
struct Overlay {
  std::string name{};  // 1..64 of a-z 0-9 - . _
  OverlaySalt salt{};  // keeps filters and keys of different overlays apart
  Admission admission = Admission::open;
  std::optional<PublicKey> authority{};
  std::uint8_t puzzle{};  // open overlays: zero bits a node id's puzzle must show; 0..40
  std::map<std::string, std::uint64_t> limits{};  // at most 32, names of a-z and _
  std::string schema = "\"default\"";             // JSON

  OverlayId id() const;
  std::uint64_t limit(std::string_view what, std::uint64_t otherwise) const;
  friend bool operator==(const Overlay&, const Overlay&) = default;
};

inline constexpr std::size_t max_overlay_file = 64 * 1024;

/// The open overlay every build knows.
const Overlay& builtin_overlay();

/// overlay.json, strictly: unknown or missing or doubled fields, wrong types, more than 64 KiB or
/// 16 levels and an "id" that is not the file's own are errors that name the field.
Result<Overlay> parse_overlay(std::string_view json);
std::string overlay_json(const Overlay& overlay);  // canonical, with the id; ends with a newline

/// An overlay made by hand, held to the same rules as a file; its schema comes out canonical.
Result<Overlay> canonical(Overlay draft);

}  // namespace beckon::service
