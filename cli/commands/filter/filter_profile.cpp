// SPDX-License-Identifier: MIT
#include "cli/commands/filter/filter_profile.h"

#include <fmt/core.h>

#include <fstream>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/filter/filter_inspect.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "profile/index/record.h"
#include "profile/person/profile_json.h"

namespace beckon::cli {

namespace {

using namespace profile;

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return invalid(fmt::format("--profile: cannot open '{}'", path));
  std::string text(max_profile_json + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// All that is known of the record before anybody signs it.
struct Preview {
  Record record{};
  Elements elements{};
  double fpr = 1;
  std::size_t keys = 0;
  Disclosure disclosure{};
};

Preview preview(const Schema& schema, const Profile& profile) {
  Preview out;
  out.elements = elements(schema, Salt{}, profile);
  out.record = build_record(schema, Salt{}, profile, {.host = {.address = "host:port"}});
  out.keys = placements(schema, Salt{}, profile, OwnerId{}).size();
  out.disclosure = disclosure(schema, profile);
  double fill = static_cast<double>(out.record.filter.count()) /
                static_cast<double>(out.record.filter.size());
  out.fpr = total_fpr(schema, out.elements, schema.classes()[schema.class_named(out.record.layout)],
                      fill);
  return out;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "nothing" : out;
}

/// What one value of the profile puts into the filter.
struct Cost {
  std::string name{};
  std::string value{};
  bool number = false;
  std::uint64_t positions = 0;
  std::uint64_t group = 1;  // numbers only: values in a group, fresh positions of a group
  std::uint64_t fresh = 0;
};

Cost cost_of(const Schema& schema, const LayoutClass& layout, const std::string& name,
             const Value& value) {
  std::uint8_t slot = *schema.slot(name);
  Cost out{.name = name,
           .value = printable(value_text(schema.at(slot), value)),
           .number = value.number.has_value()};
  Profile alone;
  if (!alone.set(schema, name, std::vector<std::string>{value.shown})) return out;
  Elements found = elements(schema, Salt{}, alone);
  out.positions = found.texts.size() * layout.k;
  if (!value.number) return out;
  bool point = value.number->is_point();
  auto kind = point ? filters::Kind::point : filters::Kind::range;
  for (const NumberElement& element : found.numbers) {
    out.positions += group_row(schema, layout, element, kind).length();
  }
  out.group = point ? schema.at(slot).point_group : layout.slots[slot].group;
  out.fresh = point ? layout.k : layout.slots[slot].fresh;
  return out;
}

std::vector<Cost> costs(const Schema& schema, const Profile& profile, const LayoutClass& layout) {
  std::vector<Cost> out;
  for (const std::string& name : ordered_names(schema, profile)) {
    for (const Value& value : profile.searchable(schema, name)) {
      out.push_back(cost_of(schema, layout, name, value));
    }
  }
  return out;
}

std::string number_table(const std::vector<Cost>& all) {
  using enum Table::Align;
  Table table(
      {{"NUMBER"}, {"VALUE"}, {"POSITIONS", right}, {"GROUPS OF", right}, {"FRESH", right}});
  bool any = false;
  for (const Cost& cost : all) {
    if (!cost.number) continue;
    any = true;
    table.add({cost.name, cost.value, std::to_string(cost.positions), std::to_string(cost.group),
               std::to_string(cost.fresh)});
  }
  return any ? "\n" + table.text() : "";
}

std::string text_of(const Schema& schema, const Profile& profile, const Preview& p) {
  const filters::BitArray& bits = p.record.filter;
  const LayoutClass& layout = schema.classes()[schema.class_named(p.record.layout)];
  double fill = 100.0 * static_cast<double>(bits.count()) / static_cast<double>(bits.size());
  std::string out = fmt::format("{} bits, {} set ({:.1f} %), layout class {:08x}, k = {}\n",
                                bits.size(), bits.count(), fill, p.record.layout, layout.k);
  out += fmt::format("{}, {}; mistaken for somebody else's values with chance {:.2g} in all\n\n",
                     counted(p.elements.texts.size(), "text"),
                     counted(p.elements.numbers.size(), "number"), p.fpr);
  out += draw_bits(bits);
  out += number_table(costs(schema, profile, layout));
  out += fmt::format("\nRecord: {} under {}.\n", counted(encode(p.record).size(), "byte"),
                     counted(p.keys, "key"));
  out += fmt::format("Others see: {}.\nOnly matches: {}.\nStays here: {}.\n",
                     joined(p.disclosure.shown), joined(p.disclosure.matched),
                     joined(p.disclosure.hidden));
  return out;
}

Json attributes_json(const std::vector<Cost>& all) {
  auto out = Json::array();
  for (const Cost& cost : all) {
    Json entry{{"name", cost.name},
               {"value", cost.value},
               {"kind", cost.number ? "number" : "text"},
               {"positions", cost.positions}};
    if (cost.number) {
      entry["d"] = cost.group;
      entry["s"] = cost.fresh;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

std::string json_of(const Schema& schema, const Profile& profile, const Preview& p) {
  const LayoutClass& layout = schema.classes()[schema.class_named(p.record.layout)];
  Json out{{"bits", p.record.filter.size()},
           {"set_bits", p.record.filter.count()},
           {"class", fmt::format("{:08x}", p.record.layout)},
           {"k", layout.k},
           {"total_fpr", p.fpr},
           {"texts", p.elements.texts.size()},
           {"numbers", p.elements.numbers.size()},
           {"attributes", attributes_json(costs(schema, profile, layout))},
           {"open_slots", p.record.open},
           {"record_bytes", encode(p.record).size()},
           {"keys", p.keys},
           {"public", p.disclosure.shown},
           {"match", p.disclosure.matched},
           {"private", p.disclosure.hidden},
           {"hex", to_hex(p.record.filter.bytes())}};
  return out.dump() + "\n";
}

}  // namespace

int inspect_profile(const Globals& globals, const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(globals, text.error());
  const Schema& schema = Schema::built_in();
  auto profile = parse_profile(schema, *text);
  if (!profile) return fail(globals, invalid(fmt::format("'{}': {}", path, profile.error().text)));
  Preview found = preview(schema, *profile);
  fmt::print("{}",
             globals.json ? json_of(schema, *profile, found) : text_of(schema, *profile, found));
  return exit_code::ok;
}

}  // namespace beckon::cli
