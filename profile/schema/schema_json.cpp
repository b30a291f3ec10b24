// SPDX-License-Identifier: MIT
#include "profile/schema/schema_json.h"

#include <fmt/core.h>

#include <charconv>

#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "profile/schema/default_classes.h"
#include "profile/values/date.h"
#include "profile/values/decimal.h"
#include "profile/values/text_fold.h"

namespace beckon::profile {

namespace {

using Kind = Json::Kind;

constexpr JsonLimits limits{.bytes = 64 * 1024, .depth = 6, .members = 64};

/// Reads the members of one object, remembering the first problem and which members nobody asked
/// for.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is(Kind::object)) fail("must be an object");
  }

  const Json* get(std::string_view name, Kind kind) {
    const Json* found = object_.find(name);
    if (found == object_.end()) return nullptr;
    ++used_;
    if (!found->is(kind)) return fail(fmt::format("{} must be {}", name, name_of(kind))), nullptr;
    return found;
  }
  std::string text(std::string_view name) {
    const Json* found = get(name, Kind::string);
    return found != nullptr ? found->text() : std::string();
  }
  bool flag(std::string_view name) {
    const Json* found = get(name, Kind::boolean);
    return found != nullptr && found->yes();
  }
  template <typename Int>
  Int number(std::string_view name, Int otherwise) {
    const Json* found = get(name, Kind::number);
    return found != nullptr ? digits<Int>(found->text(), name) : otherwise;
  }
  template <typename Int>
  Int digits(const std::string& text, std::string_view name) {
    Int value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return value;
    fail(fmt::format("{} must be a whole number in bounds, got {}", name, printable(text, 40)));
    return {};
  }
  void fail(std::string why) {
    if (problem_.empty()) problem_ = where_ + ": " + std::move(why);
  }
  Result<void> finish() {
    if (problem_.empty() && used_ != object_.size()) {
      fail(fmt::format("has a member that is not known (of {})", object_.size()));
    }
    if (!problem_.empty()) return invalid(problem_);
    return {};
  }

 private:
  const Json& object_;
  std::string where_;
  std::string problem_{};
  std::size_t used_ = 0;
};

std::string bound_text(const Attribute& a, std::int64_t value) {
  return a.type == Type::date ? "\"" + date_text(value) + "\"" : fixed_text(value, a.scale);
}

std::int64_t read_bound(Fields& fields, const Attribute& a, std::string_view name,
                        std::int64_t otherwise) {
  if (a.type == Type::date) {
    std::string text = fields.text(name);
    if (text.empty()) return otherwise;
    auto span = parse_date(text);
    if (!span) fields.fail(span.error().text);
    return span ? span->first : 0;
  }
  const Json* found = fields.get(name, Kind::number);
  if (found == nullptr) return otherwise;
  auto number = parse_decimal(found->text());
  auto low =
      number ? to_fixed(*number, a.scale, Rounding::down) : Result<std::int64_t>(number.error());
  auto high = number ? to_fixed(*number, a.scale, Rounding::up) : low;
  if (!low || !high || *low != *high) {
    fields.fail(fmt::format("{} is no number with {} decimals", name, a.scale));
    return 0;
  }
  return *low;
}

void read_number(Fields& fields, Attribute& a) {
  a.scale = fields.number<std::uint8_t>("scale", 0);
  if (a.scale > 9) return fields.fail("scale must be 0..9");
  a.unit = fields.text("unit");
  bool hybrid = a.type == Type::hybrid;
  a.min = read_bound(fields, a, "min", 0);
  a.max = read_bound(fields, a, "max", hybrid ? 999'999'999 : 0);
  a.circular = fields.flag("circular");
  a.published_width = fields.number<std::uint64_t>("published_width", 1);
  a.queried_width = fields.number<std::uint64_t>("queried_width", 1);
  a.point_group = fields.number<std::uint64_t>("point_group", 1);
  std::string axis = fields.text("axis");
  if (axis == "longitude") a.axis = Axis::longitude;
  if (axis == "latitude") a.axis = Axis::latitude;
  if (!axis.empty() && a.axis == Axis::none) fields.fail("axis must be longitude or latitude");
  const Json* ladder = fields.get("ladder", Kind::array);
  if (ladder == nullptr) return;
  if (ladder->size() > 3) return fields.fail("a ladder has at most 3 widths");
  for (const Json& width : *ladder) {
    if (!width.is(Kind::number)) return fields.fail("ladder must hold numbers");
    a.ladder.push_back(fields.digits<std::uint64_t>(width.text(), "ladder"));
  }
}

Result<Attribute> read_attribute(const Json& json, std::size_t index) {
  const Json* name = json.find("name");
  std::string where = name != json.end() && name->is(Kind::string)
                          ? printable(name->text(), 40)
                          : fmt::format("attribute {}", index + 1);
  Fields fields(json, where);
  Attribute a;
  a.name = fields.text("name");
  std::string type = fields.text("type");
  if (auto known = type_named(type)) {
    a.type = *known;
  } else {
    fields.fail("type must be text, int, decimal, date, ip or hybrid");
  }
  std::string visibility = fields.text("visibility");
  if (auto known = visibility_named(visibility.empty() ? "public" : visibility)) {
    a.visibility = *known;
  } else {
    fields.fail("visibility must be public, match or private");
  }
  a.max_values = fields.number<std::uint8_t>("max_values", a.is_numeric() ? 1 : 8);
  if (a.is_numeric()) {
    read_number(fields, a);
  } else {
    a.prefix_keys = fields.flag("prefix_keys");
  }
  if (auto good = fields.finish(); !good) return good.error();
  return a;
}

Result<LayoutClass> read_class(const Json& json, const std::vector<Attribute>& attributes,
                               std::size_t index) {
  Fields fields(json, fmt::format("class {}", index));
  LayoutClass layout{.k = fields.number<std::uint8_t>("k", 0),
                     .slots = std::vector<SlotLayout>(Schema::slot_count)};
  const Json none = Json::object();
  const Json* found = fields.get("slots", Kind::object);
  Fields slots(found != nullptr ? *found : none, fmt::format("class {} slots", index));
  auto read = [&](std::string_view name, std::size_t slot) {
    const Json* pair = slots.get(name, Kind::array);
    if (pair == nullptr) return;
    if (pair->size() != 2 || !(*pair)[0].is(Kind::number) || !(*pair)[1].is(Kind::number))
      return slots.fail(fmt::format("{} must be [group, fresh]", name));
    layout.slots[slot] = {slots.digits<std::uint64_t>((*pair)[0].text(), name),
                          slots.digits<std::uint8_t>((*pair)[1].text(), name)};
    layout.said |= std::uint32_t{1} << slot;
  };
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].is_numeric()) read(attributes[i].name, i);
  }
  read("x-", Schema::user_slot);
  if (auto good = slots.finish(); !good) return good.error();
  if (auto good = fields.finish(); !good) return good.error();
  return layout;
}

std::string attribute_json(const Attribute& a) {
  std::string out = fmt::format(R"({{"name":"{}","type":"{}","visibility":"{}","max_values":{})",
                                a.name, name_of(a.type), name_of(a.visibility), a.max_values);
  if (a.prefix_keys) out += R"(,"prefix_keys":true)";
  if (a.is_numeric()) {
    if (a.scale > 0) out += fmt::format(R"(,"scale":{})", a.scale);
    if (!a.unit.empty()) out += fmt::format(R"(,"unit":"{}")", a.unit);
    out += fmt::format(R"(,"min":{},"max":{})", bound_text(a, a.min), bound_text(a, a.max));
    if (a.circular) out += R"(,"circular":true)";
    if (a.axis != Axis::none) {
      out += fmt::format(R"(,"axis":"{}")", a.axis == Axis::longitude ? "longitude" : "latitude");
    }
    out += R"(,"ladder":[)";
    for (std::size_t i = 0; i < a.ladder.size(); ++i)
      out += fmt::format("{}{}", i > 0 ? "," : "", a.ladder[i]);
    out += fmt::format(R"(],"published_width":{},"queried_width":{},"point_group":{})",
                       a.published_width, a.queried_width, a.point_group);
  }
  return out + "}";
}

std::string class_json(const LayoutClass& layout, const std::vector<Attribute>& attributes) {
  std::string shapes;
  auto add = [&](std::string_view name, std::size_t slot) {
    if ((layout.said >> slot & 1) == 0) return;
    const SlotLayout& shape = layout.slots[slot];
    shapes +=
        fmt::format(R"({}"{}":[{},{}])", shapes.empty() ? "" : ",", name, shape.group, shape.fresh);
  };
  for (std::size_t i = 0; i < attributes.size(); ++i) add(attributes[i].name, i);
  add("x-", Schema::user_slot);
  return fmt::format(R"({{"k":{},"slots":{{{}}}}})", layout.k, shapes);
}

}  // namespace

Result<Schema> parse_schema(std::string_view text) {
  auto json = parse_json(text, limits);
  if (!json) return json.error();
  Fields fields(*json, "schema");
  auto number = fields.number<std::uint32_t>("number", 1);
  if (fields.text("fold") != std::to_string(fold_number))
    fields.fail(fmt::format("fold must be \"{}\"", fold_number));
  const Json* attributes = fields.get("attributes", Kind::array);
  const Json* classes = fields.get("classes", Kind::array);
  if (attributes == nullptr) fields.fail("attributes are missing");
  if (auto good = fields.finish(); !good) return good.error();
  if (attributes->size() > Schema::max_attributes)
    return invalid("schema: more than 31 attributes");
  std::vector<Attribute> list;
  for (std::size_t i = 0; i < attributes->size(); ++i) {
    auto attribute = read_attribute((*attributes)[i], i);
    if (!attribute) return attribute.error();
    list.push_back(std::move(*attribute));
  }
  if (classes == nullptr) return Schema::make(number, std::move(list), default_classes());
  if (classes->size() > Schema::max_classes) return invalid("schema: more than 16 classes");
  std::vector<LayoutClass> layouts;
  for (std::size_t i = 0; i < classes->size(); ++i) {
    auto layout = read_class((*classes)[i], list, i);
    if (!layout) return layout.error();
    layouts.push_back(std::move(*layout));
  }
  return Schema::make(number, std::move(list), std::move(layouts));
}

std::string schema_json(const Schema& schema) {
  const auto& attributes = schema.attributes();
  const auto& classes = schema.classes();
  std::string out =
      fmt::format(R"({{"number":{},"fold":"{}","attributes":[)", schema.number(), fold_number);
  for (std::size_t i = 0; i < attributes.size(); ++i)
    out += (i > 0 ? ",\n" : "\n") + attribute_json(attributes[i]);
  out += "],\n\"classes\":[";
  for (std::size_t i = 0; i < classes.size(); ++i)
    out += (i > 0 ? ",\n" : "\n") + class_json(classes[i], attributes);
  return out + "]}\n";
}

std::uint32_t class_name(const LayoutClass& layout, const std::vector<Attribute>& attributes) {
  Digest digest = sha256(as_bytes(class_json(layout, attributes)));
  return ByteReader(digest).u32();
}

}  // namespace beckon::profile
