// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "node/service/admission/schema_document.h"
#include "profile/schema/schema.h"

namespace beckon::service {

using OverlaySalt = std::array<std::uint8_t, 16>;

enum class Admission : std::uint8_t { open = 0, closed = 1 };

/// Where an overlay's schema comes from, and so whether it can grow.
enum class SchemaKind : std::uint8_t {
  built_in = 0,  // grows with releases of Beckon
  fixed = 1,     // its own, without an authority: part of the overlay's id, so it never changes
  granted = 2    // its own, signed by the authority: grows by documents with greater numbers
};

/// What all nodes of one ring agree on: the content of overlay.json. Two overlays are the same if
/// and only if their ids are: the id is a hash over everything else in the file but a granted
/// schema, which the authority has signed. So a node that was given an id can take the file from
/// anybody. A closed overlay has an authority; in an open one it only signs schemas.
struct Overlay {
  std::string name{};  // 1..64 of a-z 0-9 - . _
  OverlaySalt salt{};  // keeps filters and keys of different overlays apart
  Admission admission = Admission::open;
  std::optional<PublicKey> authority{};
  std::uint8_t puzzle{};  // open overlays: zero bits a node id's puzzle must show; 0..40
  std::map<std::string, std::uint64_t> limits{};  // at most 32, names of a-z and _
  SchemaDocument schema{};  // no text: the built-in one; a signature if it is granted

  OverlayId id() const;
  SchemaKind schema_kind() const;
  std::uint64_t limit(std::string_view what, std::uint64_t otherwise) const;
  friend bool operator==(const Overlay&, const Overlay&) = default;
};

inline constexpr std::size_t max_overlay_file = 128 * 1024;

/// The open overlay every build knows.
const Overlay& builtin_overlay();

/// overlay.json, strictly: unknown or missing or doubled fields, wrong types, more than 128 KiB or
/// 16 levels and an "id" that is not the file's own are errors that name the field. Whether a
/// granted schema was signed is for check_schema.
Result<Overlay> parse_overlay(std::string_view json);
std::string overlay_json(const Overlay& overlay);  // canonical, with the id; ends with a newline

/// An overlay made by hand, held to the same rules as a file; its schema comes out canonical.
Result<Overlay> canonical(Overlay draft);

profile::Schema schema_of(const Overlay& overlay);

/// A schema (JSON) in its canonical text, still to be signed.
Result<SchemaDocument> draft_schema(std::string_view json);

/// That a granted schema is signed by the authority. Nothing to check in others.
Result<void> check_schema(const Overlay& overlay, const Signer& signer);

/// Whether a document may replace the overlay's present one: the overlay's schema can grow, the
/// authority signed it, the text is canonical and extends the present schema. The error says which
/// failed.
Result<void> check_growth(const Overlay& overlay, const SchemaDocument& next, const Signer& signer);

}  // namespace beckon::service
