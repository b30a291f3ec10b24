// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beckon::profile {

/// `any` belongs to users' own attributes (x-...): a number if the value reads as one, else text.
enum class Type : std::uint8_t { text, integer, decimal, date, ip, hybrid, any };

/// shown: searchable and on the card; match: searchable only; hidden: never leaves the node.
/// Written "public", "match" and "private", which C++ keeps for itself.
enum class Visibility : std::uint8_t { shown, match, hidden };

std::string_view name_of(Type type);
std::string_view name_of(Visibility visibility);
std::optional<Type> type_named(std::string_view name);
std::optional<Visibility> visibility_named(std::string_view name);

/// The two axes of a place share one kind of key (square cells) besides being numbers of their own.
enum class Axis : std::uint8_t { none, longitude, latitude };

/// What the overlay has agreed on for one attribute. Numbers are fixed point: scope, ladder and
/// widths count units of 10^-scale (dates: days since 1970-01-01).
struct Attribute {
  std::string name{};
  Type type = Type::text;
  Visibility visibility = Visibility::shown;  // unless the profile says otherwise
  std::uint8_t max_values = 8;
  bool prefix_keys = false;  // text: also a key of the first three characters, for ~=
  bool circular = false;     // the scope's end meets its start; 22..6 is a range
  Axis axis = Axis::none;
  std::uint8_t scale = 0;
  std::string unit{};  // what numbers count; values in units of its kind are converted
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<std::uint64_t> ladder{};  // bucket widths of the index, finest first; empty: no key
  std::uint64_t published_width = 1;    // typical, for the design of layouts
  std::uint64_t queried_width = 1;
  std::uint64_t point_group = 1;  // neighbouring points that the filter does not tell apart

  bool is_numeric() const { return type != Type::text; }
};

/// How a number's groups are laid into the filter by one layout class (docs/filters.md).
struct SlotLayout {
  std::uint64_t group = 1;  // d
  std::uint8_t fresh = 1;   // s
  friend bool operator==(const SlotLayout&, const SlotLayout&) = default;
};

/// Every record names one of the schema's classes: k positions an element, one layout a slot. What
/// a class does not say of a slot follows from k and the attribute (default_shape), so a class
/// keeps its name when a schema gets more attributes.
struct LayoutClass {
  std::uint8_t k = 1;
  std::vector<SlotLayout> slots{};  // by slot; those of text attributes are not used
  std::uint32_t said{};             // a bit for each slot that the class itself speaks of
  std::uint32_t name{};             // the start of the hash of its text; Schema::make fills it in
};

/// The attributes of an overlay and the layouts of its records. Immutable. An attribute's slot is
/// its place in the list and its bit in a record's presence map; all x-... attributes share the
/// last slot. A schema grows by a document with a greater number that `extends` it; nodes that
/// hold different numbers find each other's people by the attributes that both know.
class Schema {
 public:
  static constexpr std::size_t max_attributes = 31;
  static constexpr std::uint8_t user_slot = 31;
  static constexpr std::size_t slot_count = 32;
  static constexpr std::size_t max_classes = 16;
  static constexpr std::uint8_t max_k = 40;
  static constexpr std::uint8_t unknown_class = 255;

  static Result<Schema> make(std::uint32_t number, std::vector<Attribute> attributes,
                             std::vector<LayoutClass> classes);
  static const Schema& built_in();

  std::uint32_t number() const { return number_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const std::vector<LayoutClass>& classes() const { return classes_; }
  std::uint8_t class_named(std::uint32_t name) const;  // its index, or unknown_class
  bool knows(std::uint8_t slot) const;

  std::optional<std::uint8_t> slot(std::string_view name) const;  // a good x-... name has one too
  const Attribute& at(std::uint8_t slot) const;                   // user_slot: what all x-... share
  std::string nearest(std::string_view name) const;  // for "did you mean"; empty if none is near
  std::optional<std::uint8_t> longitude() const { return longitude_; }
  std::optional<std::uint8_t> latitude() const { return latitude_; }

 private:
  Schema() = default;

  std::uint32_t number_ = 1;
  std::vector<Attribute> attributes_;
  std::vector<LayoutClass> classes_;
  Attribute user_;
  std::optional<std::uint8_t> longitude_;
  std::optional<std::uint8_t> latitude_;
};

/// Whether a schema may follow an older one: a greater number, the same attributes in the same
/// slots as far as keys and filters depend on them, and all classes; more of both may follow. So
/// every ring key, record and class name that the older one made stays good. The error names what
/// is in the way.
Result<void> extends(const Schema& newer, const Schema& older);

bool is_user_attribute(std::string_view name);  // x- and 1 to 30 of a-z 0-9 - _

}  // namespace beckon::profile
