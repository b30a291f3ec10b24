// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/filter/filter.h"
#include "cli/render/render.h"
#include "filters/spectral/spectral_codec.h"

namespace beckon::cli {

namespace {

struct Options {
  std::string file{};
  std::vector<std::string> lines{};
};

/// A regular file only: its length is known before it is read.
Result<std::string> read_file(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem))
    return invalid(fmt::format("FILE: '{}' is no file that can be read", path));
  std::string bytes(std::filesystem::file_size(path, problem), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) return invalid(fmt::format("FILE: cannot read '{}'", path));
  return bytes;
}

int run(const Globals& globals, const Options& options) {
  auto bytes = read_file(options.file);
  if (!bytes) return fail(globals, bytes.error());
  auto counted = filters::SpectralView::open(as_bytes(*bytes));
  if (!counted)
    return fail(globals,
                invalid(fmt::format("FILE: '{}': {}", options.file, counted.error().text)));
  Json answers = Json::array();
  Table table({{"count", Table::Align::right}, {"line"}});
  for (const std::string& line : options.lines) {
    std::uint64_t count = counted->estimate(counted->shape().element(line));
    answers.push_back({{"count", count}, {"line", line}});
    table.add({std::to_string(count), printable(line)});
  }
  Json out{{"lines", counted->total()},
           {"counters", counted->shape().counters},
           {"k", counted->shape().k},
           {"bytes", bytes->size()},
           {"answers", answers}};
  fmt::print("{}", globals.json ? out.dump() + "\n" : table.text());
  if (!globals.json && !globals.quiet)
    fmt::print(stderr, "Of {} lines, in {} counters kept in {} bytes. A count may be too high.\n",
               counted->total(), counted->shape().counters, bytes->size());
  return exit_code::ok;
}

}  // namespace

void add_filter_ask(Command filter, Globals& globals) {
  auto options = std::make_shared<Options>();  // kept by the action
  Command command = filter.add_subcommand(
      "ask", "How often lines occurred, from what `filter count --save` kept");
  command.add_option("FILE", options->file, "What --save wrote").required();
  command.add_option("LINE", options->lines, "Lines to ask for").required();
  command.action(globals, [options, &globals] { return run(globals, *options); });
}

}  // namespace beckon::cli
