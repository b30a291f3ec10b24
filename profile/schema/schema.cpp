// SPDX-License-Identifier: MIT
#include "profile/schema/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "profile/schema/default_classes.h"
#include "profile/schema/schema_json.h"
#include "profile/values/unit.h"

namespace beckon::profile {

namespace {

constexpr std::array type_names{"text", "int", "decimal", "date", "ip", "hybrid", "any"};
constexpr std::array visibility_names{"public", "match", "private"};

bool is_name(std::string_view name, std::size_t limit) {
  if (name.empty() || name.size() > limit) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool is_reserved(std::string_view name) {
  return name == "near" || name == "has" || name == "visibility" || name == "id";
}

/// What every x-... attribute is: numbers keep three decimals and have a ladder made for the
/// unknown.
Attribute user_attribute() {
  constexpr std::int64_t bound = 1'000'000'000'000'000;
  return {.name = "x-...",
          .type = Type::any,
          .scale = 3,
          .min = -bound,
          .max = bound,
          .ladder = {1U << 14, 1U << 22, 1U << 30},
          .queried_width = 10'000,
          .point_group = 100};
}

/// Levenshtein distance; names are short.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

Result<void> check_ladder(const Attribute& a) {
  if (a.ladder.size() > 3) return invalid(a.name + ": a ladder has at most 3 widths");
  for (std::size_t i = 0; i < a.ladder.size(); ++i) {
    if (a.ladder[i] == 0) return invalid(a.name + ": a ladder width is at least 1");
    if (i > 0 && a.ladder[i] <= a.ladder[i - 1])
      return invalid(a.name + ": ladder widths must grow");
  }
  return {};
}

Result<void> check_number(const Attribute& a) {
  if (a.prefix_keys) return invalid(a.name + ": prefix keys are for text");
  if (a.type != Type::ip && a.min >= a.max) return invalid(a.name + ": the scope is empty");
  constexpr std::int64_t bound = 1'000'000'000'000'000'000;
  if (a.min < -bound || a.max > bound)
    return invalid(a.name + ": the scope must lie in -10^18..10^18");
  if (a.scale > 9) return invalid(a.name + ": scale must be 0..9");
  constexpr std::int64_t exact = 999'999'999'999'999;  // what every reader of JSON keeps
  if (a.scale > 0 && (a.min < -exact || a.max > exact))
    return invalid(a.name + ": with a scale the ends of the scope have at most 15 digits");
  if (a.scale > 0 && a.type != Type::decimal)
    return invalid(a.name + ": only decimals have a scale");
  if (!a.unit.empty() && unit_named(a.unit) == nullptr)
    return invalid(a.name + ": unit must be one of mm, cm, m, km, in, ft, mi, g, kg, t, lb");
  if (a.point_group == 0 || a.published_width == 0 || a.queried_width == 0) {
    return invalid(a.name + ": widths and groups are at least 1");
  }
  bool plain = a.type == Type::integer || a.type == Type::decimal;
  if ((a.circular || a.axis != Axis::none || !a.unit.empty()) && !plain) {
    return invalid(a.name + ": only an int or a decimal may be circular, an axis or have a unit");
  }
  if (a.axis != Axis::none && a.max_values != 1) return invalid(a.name + ": an axis has one value");
  return check_ladder(a);
}

Result<void> check_attribute(const Attribute& a) {
  if (!is_name(a.name, 32) || a.name.starts_with("x-") || a.name[0] < 'a') {
    return invalid(fmt::format(
        "'{}' is no attribute name (a-z first, then a-z 0-9 _ -, at most 32; x- is for users)",
        a.name.substr(0, 40)));
  }
  if (is_reserved(a.name)) return invalid(a.name + ": this name is reserved");
  if (a.type == Type::any) return invalid(a.name + ": type any is for x-... attributes");
  if (a.max_values < 1 || a.max_values > 16) return invalid(a.name + ": max_values must be 1..16");
  if (a.is_numeric()) return check_number(a);
  if (a.circular || a.axis != Axis::none || !a.ladder.empty()) {
    return invalid(a.name + ": text has no ladder, axis or circle");
  }
  return {};
}

/// Gives the class the shapes it does not speak of, and its name.
Result<void> complete(LayoutClass& layout, const std::vector<Attribute>& attributes) {
  if (layout.k < 1 || layout.k > Schema::max_k) return invalid("a layout class has k 1..40");
  layout.slots.resize(Schema::slot_count);
  for (std::size_t i = 0; i < Schema::slot_count; ++i) {
    SlotLayout& slot = layout.slots[i];
    bool said = (layout.said >> i & 1) != 0;
    if (said && (slot.group < 1 || slot.fresh < 1 || slot.fresh > layout.k)) {
      return invalid("a slot has group >= 1 and fresh 1..k");
    }
    if (said) continue;
    if (i < attributes.size()) slot = default_shape(attributes[i], layout.k);
    if (i == Schema::user_slot) slot = default_user_shape;
  }
  layout.name = class_name(layout, attributes);
  return {};
}

Result<void> complete(std::vector<LayoutClass>& classes, const std::vector<Attribute>& attributes) {
  if (classes.empty() || classes.size() > Schema::max_classes) {
    return invalid(fmt::format("a schema has 1..{} layout classes", Schema::max_classes));
  }
  std::set<std::uint32_t> names;
  for (LayoutClass& layout : classes) {
    if (auto good = complete(layout, attributes); !good) return good;
    if (!names.insert(layout.name).second) return invalid("a layout class occurs twice");
  }
  return {};
}

/// The first member that keys or filters depend on and that differs; empty if none does.
std::string_view difference(const Attribute& a, const Attribute& b) {
  if (a.type != b.type) return "type";
  if (a.prefix_keys != b.prefix_keys) return "prefix_keys";
  if (a.scale != b.scale) return "scale";
  if (a.unit != b.unit) return "unit";
  if (a.min != b.min) return "min";
  if (a.max != b.max) return "max";
  if (a.circular != b.circular) return "circular";
  if (a.axis != b.axis) return "axis";
  if (a.ladder != b.ladder) return "ladder";
  if (a.published_width != b.published_width) return "published_width";  // of default shapes
  if (a.queried_width != b.queried_width) return "queried_width";
  if (a.point_group != b.point_group) return "point_group";
  return "";
}

}  // namespace

std::string_view name_of(Type type) { return type_names.at(static_cast<std::size_t>(type)); }
std::string_view name_of(Visibility v) { return visibility_names.at(static_cast<std::size_t>(v)); }

std::optional<Type> type_named(std::string_view name) {
  for (std::size_t i = 0; i + 1 < type_names.size(); ++i) {  // `any` cannot be asked for
    if (name == type_names[i]) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::optional<Visibility> visibility_named(std::string_view name) {
  for (std::size_t i = 0; i < visibility_names.size(); ++i) {
    if (name == visibility_names[i]) return static_cast<Visibility>(i);
  }
  return std::nullopt;
}

bool is_user_attribute(std::string_view name) {
  return name.starts_with("x-") && is_name(name.substr(2), 30);
}

Result<Schema> Schema::make(std::uint32_t number, std::vector<Attribute> attributes,
                            std::vector<LayoutClass> classes) {
  if (number == 0) return invalid("a schema's number is 1 or more");
  if (attributes.empty() || attributes.size() > max_attributes) {
    return invalid(
        fmt::format("a schema has 1..{} attributes, got {}", max_attributes, attributes.size()));
  }
  Schema schema;
  std::set<std::string> names;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const Attribute& a = attributes[i];
    if (auto good = check_attribute(a); !good) return good.error();
    if (!names.insert(a.name).second) return invalid(a.name + ": the attribute occurs twice");
    if (a.axis == Axis::none) continue;
    auto& axis = a.axis == Axis::longitude ? schema.longitude_ : schema.latitude_;
    if (axis) return invalid(a.name + ": the axis occurs twice");
    axis = static_cast<std::uint8_t>(i);
  }
  if (schema.longitude_.has_value() != schema.latitude_.has_value()) {
    return invalid("longitude and latitude come together");
  }
  if (schema.longitude_ &&
      attributes[*schema.longitude_].ladder != attributes[*schema.latitude_].ladder) {
    return invalid("longitude and latitude need the same ladder: their cells are squares");
  }
  if (auto good = complete(classes, attributes); !good) return good.error();
  schema.number_ = number;
  schema.user_ = user_attribute();
  schema.attributes_ = std::move(attributes);
  schema.classes_ = std::move(classes);
  return schema;
}

std::optional<std::uint8_t> Schema::slot(std::string_view name) const {
  if (is_user_attribute(name)) return user_slot;
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    if (attributes_[i].name == name) return static_cast<std::uint8_t>(i);
  }
  return std::nullopt;
}

const Attribute& Schema::at(std::uint8_t slot) const {
  if (slot == user_slot) return user_;
  ENSURE(slot < attributes_.size());
  return attributes_[slot];
}

std::uint8_t Schema::class_named(std::uint32_t name) const {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].name == name) return static_cast<std::uint8_t>(i);
  }
  return unknown_class;
}

bool Schema::knows(std::uint8_t slot) const {
  return slot == user_slot || slot < attributes_.size();
}

std::string Schema::nearest(std::string_view name) const {
  if (name.size() > 64) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const Attribute& a : attributes_) {
    std::size_t distance = edit_distance(name, a.name);
    bool begins = name.size() >= 3 && a.name.starts_with(name);
    if (begins) distance = 1;
    if (distance < best_distance) {
      best = a.name;
      best_distance = distance;
    }
  }
  return best;
}

Result<void> extends(const Schema& newer, const Schema& older) {
  if (newer.number() <= older.number()) {
    return invalid(fmt::format("its number must be greater than {}, the present one; it is {}",
                               older.number(), newer.number()));
  }
  for (std::size_t i = 0; i < older.attributes().size(); ++i) {
    const Attribute& was = older.attributes()[i];
    if (i >= newer.attributes().size() || newer.attributes()[i].name != was.name) {
      return invalid(
          fmt::format("attribute {} must be {}, as it is now; new ones follow behind the old ones",
                      i + 1, was.name));
    }
    const Attribute& is = newer.attributes()[i];
    if (auto what = difference(was, is); !what.empty())
      return invalid(fmt::format("{}: {} cannot change", was.name, what));
    if (is.max_values < was.max_values) {
      return invalid(
          fmt::format("{}: max_values must be {} or more, or profiles with as many "
                      "values could not be published again",
                      was.name, was.max_values));
    }
  }
  for (std::size_t i = 0; i < older.classes().size(); ++i) {
    if (newer.class_named(older.classes()[i].name) == Schema::unknown_class)
      return invalid(fmt::format("class {} is gone; old records need it", i + 1));
  }
  return {};
}

}  // namespace beckon::profile
