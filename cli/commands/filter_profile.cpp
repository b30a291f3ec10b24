#include "cli/commands/filter_profile.h"

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "cli/commands/filter_inspect.h"
#include "cli/render.h"
#include "profile/json.h"
#include "profile/record.h"

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
  out.record = build_record(schema, Salt{}, profile, {.address = "host:port"});
  out.keys = placements(schema, Salt{}, profile, OwnerId{}).size();
  out.disclosure = disclosure(schema, profile);
  double fill = static_cast<double>(out.record.filter.count()) /
                static_cast<double>(out.record.filter.size());
  out.fpr = total_fpr(schema, out.elements, schema.classes()[out.record.layout], fill);
  return out;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "nothing" : out;
}

std::string number_table(const Schema& schema, const Profile& profile, const LayoutClass& layout) {
  using enum Table::Align;
  Table table(
      {{"NUMBER"}, {"VALUE"}, {"POSITIONS", right}, {"GROUPS OF", right}, {"FRESH", right}});
  bool any = false;
  for (const std::string& name : ordered_names(schema, profile)) {
    std::uint8_t slot = *schema.slot(name);
    for (const Value& value : profile.searchable(schema, name)) {
      if (!value.number) continue;
      any = true;
      bool point = value.number->is_point();
      Profile alone;
      if (!alone.set(schema, name, std::vector<std::string>{value.shown})) continue;
      std::uint64_t positions = 0;
      for (const NumberElement& element : elements(schema, Salt{}, alone).numbers) {
        positions +=
            group_row(schema, layout, element, point ? filters::Kind::point : filters::Kind::range)
                .length();
      }
      const SlotLayout& how = layout.slots[slot];
      table.add({name, printable(value_text(schema.at(slot), value)), std::to_string(positions),
                 std::to_string(point ? schema.at(slot).point_group : how.group),
                 std::to_string(point ? layout.k : how.fresh)});
    }
  }
  return any ? "\n" + table.text() : "";
}

std::string text_of(const Schema& schema, const Profile& profile, const Preview& p) {
  const filters::BitArray& bits = p.record.filter;
  const LayoutClass& layout = schema.classes()[p.record.layout];
  double fill = 100.0 * static_cast<double>(bits.count()) / static_cast<double>(bits.size());
  std::string out = fmt::format("{} bits, {} set ({:.1f} %), layout class {}, k = {}\n",
                                bits.size(), bits.count(), fill, p.record.layout, layout.k);
  out += fmt::format(
      "{} texts, {} numbers; mistaken for somebody else's values with chance {:.2g} in all\n\n",
      p.elements.texts.size(), p.elements.numbers.size(), p.fpr);
  out += draw_bits(bits);
  out += number_table(schema, profile, layout);
  out += fmt::format("\nRecord: {} bytes under {} keys.\n", encode(p.record).size(), p.keys);
  out += fmt::format("Others see: {}.\nOnly matches: {}.\nStays here: {}.\n",
                     joined(p.disclosure.shown), joined(p.disclosure.matched),
                     joined(p.disclosure.hidden));
  return out;
}

std::string json_of(const Schema& schema, const Preview& p) {
  nlohmann::ordered_json out{{"bits", p.record.filter.size()},
                             {"set_bits", p.record.filter.count()},
                             {"class", p.record.layout},
                             {"k", schema.classes()[p.record.layout].k},
                             {"total_fpr", p.fpr},
                             {"texts", p.elements.texts.size()},
                             {"numbers", p.elements.numbers.size()},
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
  fmt::print("{}", globals.json ? json_of(schema, found) : text_of(schema, *profile, found));
  return exit_code::ok;
}

}  // namespace beckon::cli
