// SPDX-License-Identifier: MIT
#include "cli/commands/filter/filter_inspect.h"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <memory>

#include "base/json.h"
#include "cli/commands/filter/filter.h"
#include "cli/commands/filter/filter_profile.h"
#include "cli/render/render.h"
#include "filters/go/go_codec.h"

namespace beckon::cli {

namespace {

using namespace filters;

constexpr std::size_t max_file = 1 << 20;

/// Each further value of a range costs s/d positions on average, after k for the first.
double per_value(const GoAttribute& attribute) {
  return static_cast<double>(attribute.range.s) / static_cast<double>(attribute.range.d);
}

/// Chance that a value far from all published ones is taken for published, at the present fill: it
/// may be found among the points or among the ranges.
double far_rate(const GoFilter& filter, const GoAttribute& attribute) {
  double one = std::pow(filter.fill(), attribute.k);
  return one + one - one * one;
}

Result<GoFilter> read_filter(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::invalid, fmt::format("FILE: cannot open '{}'", path)};
  std::string text(max_file + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > max_file)
    return invalid(fmt::format("FILE: '{}' is larger than any filter", path));
  auto filter = decode_go_filter(as_bytes(text));
  if (!filter) return invalid(fmt::format("FILE: '{}': {}", path, filter.error().text));
  return filter;
}

std::string shape_text(const Grouping& grouping) {
  return fmt::format("{}/{}", grouping.d, grouping.s);
}

std::string attribute_table(const GoFilter& filter) {
  using enum Table::Align;
  Table table({{"ATTRIBUTE"},
               {"SCOPE", right},
               {"K", right},
               {"RANGES D/S", right},
               {"POINTS D/S", right},
               {"A POINT", right},
               {"A FURTHER VALUE", right},
               {"MISTAKEN", right}});
  for (const GoAttribute& attribute : filter.layout().attributes()) {
    std::string name = attribute.name.empty()
                           ? fmt::format("{:016x}", static_cast<std::uint64_t>(attribute.seed))
                           : attribute.name;
    table.add({name, fmt::format("{}..{}", attribute.scope.lo, attribute.scope.hi),
               std::to_string(attribute.k), shape_text(attribute.range),
               shape_text(attribute.point), std::to_string(attribute.k),
               fmt::format("{:.3g}", per_value(attribute)),
               fmt::format("{:.2g}", far_rate(filter, attribute))});
  }
  return table.text();
}

}  // namespace

std::string draw_bits(const BitArray& bits, std::size_t bits_per_row) {
  // Dots of a Braille cell in reading order, row by row, as offsets of U+2800.
  constexpr unsigned dots[8] = {0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
  std::string out;
  for (std::size_t at = 0; at < bits.size(); at += 8) {
    unsigned cell = 0x2800;
    for (std::size_t i = 0; i < 8 && at + i < bits.size(); ++i)
      cell += bits.test(at + i) ? dots[i] : 0;
    out += {static_cast<char>(0xe0 | cell >> 12), static_cast<char>(0x80 | ((cell >> 6) & 0x3f)),
            static_cast<char>(0x80 | (cell & 0x3f))};
    if ((at + 8) % bits_per_row == 0 || at + 8 >= bits.size()) out += '\n';
  }
  return out;
}

std::string inspect_text(const GoFilter& filter) {
  std::string out = fmt::format("{} bits", filter.bits().size());
  if (filter.bits().size() != filter.layout().bits())
    out += fmt::format(", folded from {}", filter.layout().bits());
  out += fmt::format(", {} set ({:.1f} %)\n\n", filter.bits().count(), 100 * filter.fill());
  out += draw_bits(filter.bits());
  std::uint32_t k = filter.layout().k();
  out += fmt::format("\nA text costs {} positions and is mistaken with chance {:.2g}.\n", k,
                     std::pow(filter.fill(), k));
  if (!filter.layout().attributes().empty()) out += "\n" + attribute_table(filter);
  return out;
}

std::string inspect_json(const GoFilter& filter) {
  std::uint32_t k = filter.layout().k();
  Json out{{"bits", filter.bits().size()},
           {"base_bits", filter.layout().bits()},
           {"set_bits", filter.bits().count()},
           {"fill", filter.fill()},
           {"k", k},
           {"text", {{"positions", k}, {"fpr", std::pow(filter.fill(), k)}}},
           {"hex", to_hex(filter.bits().bytes())}};
  auto grouping = [](const Grouping& g) { return Json{{"d", g.d}, {"s", g.s}}; };
  auto list = Json::array();
  for (const GoAttribute& a : filter.layout().attributes()) {
    list.push_back({{"name", a.name},
                    {"seed", fmt::format("{:016x}", static_cast<std::uint64_t>(a.seed))},
                    {"scope", {{"lo", a.scope.lo}, {"hi", a.scope.hi}}},
                    {"k", a.k},
                    {"ranges", grouping(a.range)},
                    {"points", grouping(a.point)},
                    {"positions_per_point", a.k},
                    {"positions_per_further_value", per_value(a)},
                    {"fpr", far_rate(filter, a)}});
  }
  out["attributes"] = list;
  return out.dump() + "\n";
}

void add_filter_inspect(Command filter, Globals& globals) {
  struct Paths {
    std::string filter{};
    std::string profile{};
  };
  auto paths = std::make_shared<Paths>();  // lives as long as the callback below
  Command command = filter.add_subcommand(
      "inspect",
      "Draw a filter, encoded or of a profile: bits, fill, layout, what each attribute costs");
  Argument file = command.add_option("FILE", paths->filter, "An encoded filter");
  Argument profile =
      command.add_option("--profile", paths->profile, "A profile.json").type_name("FILE");
  file.excludes(profile);
  command.action(globals, [paths, &globals] {
    if (!paths->profile.empty()) return inspect_profile(globals, paths->profile);
    if (paths->filter.empty())
      return fail(globals, exit_code::usage, "FILE or --profile FILE is needed");
    auto read = read_filter(paths->filter);
    if (!read) return fail(globals, read.error());
    fmt::print("{}", globals.json ? inspect_json(*read) : inspect_text(*read));
    return exit_code::ok;
  });
}

}  // namespace beckon::cli
