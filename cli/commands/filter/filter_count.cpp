// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/filter/filter.h"
#include "cli/commands/filter/line_counter.h"
#include "cli/commands/filter/line_source.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"

namespace beckon::cli {

namespace {

constexpr double crowded = 0.05;  // from this share of wrong counts on we say so

struct Options {
  std::string file{};
  LineCounterOptions counter{};
  std::optional<std::uint64_t> top{};
  std::string save{};
};

Json as_json(const LineCounter& counter, const LineCounterOptions& options) {
  Json out{{"lines", counter.lines()},       {"method", options.method},
           {"counters", counter.counters()}, {"k", options.k},
           {"crowding", counter.crowding()}, {"complete", !counter.overflowed()}};
  Json rows = Json::array();
  for (const LineCounter::Row& row : counter.rows()) {
    Json entry{{"count", row.count}, {"line", row.line}};
    if (options.exact) entry["exact"] = row.exact;
    rows.push_back(std::move(entry));
  }
  out["answers"] = std::move(rows);
  if (auto exactness = counter.exactness()) {
    out["exactness"] = {{"distinct", exactness->distinct},
                        {"wrong", exactness->wrong},
                        {"below", exactness->below},
                        {"rms_error", exactness->rms_error},
                        {"predicted_wrong_share", exactness->predicted_wrong}};
  }
  return out;
}

/// A pipe gets the lines as they are; a terminal gets nothing that could steer it.
void print_table(const LineCounter& counter, bool exact) {
  bool terminal = isatty(STDOUT_FILENO) == 1;
  using Align = Table::Align;
  std::vector<Table::Column> columns{{"count", Align::right}};
  if (exact) {
    columns.push_back({"exact", Align::right});
    columns.push_back({"over", Align::right});
  }
  columns.push_back({"line"});
  Table table(std::move(columns));
  for (const LineCounter::Row& row : counter.rows()) {
    std::vector<std::string> cells{std::to_string(row.count)};
    if (exact) {
      cells.push_back(std::to_string(row.exact));
      cells.push_back(std::to_string(static_cast<std::int64_t>(row.count - row.exact)));
    }
    cells.push_back(terminal ? printable(row.line) : row.line);
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
}

void print_summary(const LineCounter& counter, const LineCounterOptions& options) {
  fmt::print(stderr, "{} in {} of method {}, k = {}\n", counted(counter.lines(), "line"),
             counted(counter.counters(), "counter"), options.method, options.k);
  if (auto exactness = counter.exactness()) {
    double share = exactness->distinct == 0 ? 0
                                            : 100.0 * static_cast<double>(exactness->wrong) /
                                                  static_cast<double>(exactness->distinct);
    fmt::print(stderr,
               "{}; {} wrong ({:.3f} %, minimum selection predicts {:.3f} "
               "%), {} of them too low; root mean square error {:.3f}\n",
               counted(exactness->distinct, "distinct line"), counted(exactness->wrong, "estimate"),
               share, 100 * exactness->predicted_wrong, grouped(exactness->below),
               exactness->rms_error);
  }
}

Result<void> read_all(const Globals& globals, LineSource& source, LineCounter& counter) {
  Progress progress(globals, "lines");
  for (;;) {
    auto line = source.next();
    if (!line) return line.error();
    if (line->end) break;
    auto added = counter.add(line->text);
    if (!added) return added.error();
    if (counter.lines() % 4096 == 0) {
      progress.done(counter.lines(), source.bytes_read(), source.size());
    }
  }
  counter.finish();
  return {};
}

Result<void> save(const LineCounter& counter, const std::string& path) {
  auto bytes = counter.encoded();
  if (!bytes) return bytes.error();
  std::ofstream file(path, std::ios::binary);
  file.write(as_text(*bytes).data(), static_cast<std::streamsize>(bytes->size()));
  if (!file.flush()) return invalid(fmt::format("--save: cannot write '{}'", path));
  return {};
}

int run(const Globals& globals, Options options) {
  options.counter.limit = options.top.value_or(options.counter.at_least > 0 ? 100000 : 20);
  auto counter = LineCounter::make(options.counter);
  if (!counter) return fail(globals, counter.error());
  auto source = LineSource::open(options.file);
  if (!source) return fail(globals, source.error());
  auto read = read_all(globals, *source, *counter);
  if (!read) return fail(globals, read.error());
  if (!options.save.empty()) {
    if (auto saved = save(*counter, options.save); !saved) return fail(globals, saved.error());
  }
  if (globals.json) {
    fmt::print("{}\n", as_json(*counter, options.counter).dump());
  } else {
    print_table(*counter, options.counter.exact);
    if (!globals.quiet) print_summary(*counter, options.counter);
  }
  if (double share = counter->crowding(); share > crowded) {
    fmt::print(stderr,
               "beckon: the counters are crowded: about {:.0f} % of the counts are too high; give "
               "more --bits\n",
               100 * share);
  }
  if (counter->overflowed()) {
    fmt::print(stderr, "beckon: more lines reach --at-least than --top {} keeps; raise either\n",
               options.counter.limit);
    return exit_code::incomplete;
  }
  return counter->rows().empty() ? exit_code::nothing : exit_code::ok;
}

}  // namespace

void add_filter_count(Command filter, Globals& globals) {
  auto options = std::make_shared<Options>();
  Command command = filter.add_subcommand(
      "count",
      "How often lines occur, in a spectral filter: the most frequent, or all from a threshold on");
  command.add_option("FILE", options->file, "Lines to count; - for standard input").required();
  command
      .add_option("--method", options->counter.method,
                  "ms minimum selection, mi minimal increase, rm recurring minimum, trm trapping")
      .show_default();
  command.add_option("--at-least", options->counter.at_least, "Lines that occur T times or more")
      .type_name("T");
  command.add_option("--bits", options->counter.bits, "Memory of the counters, in bits")
      .type_name("M")
      .show_default();
  command.add_option("--k", options->counter.k, "Counters of each line")
      .type_name("K")
      .show_default();
  command.add_option("--top", options->top, "Print N lines at most (20; with --at-least 100000)")
      .type_name("N");
  command.add_flag(
      "--exact", options->counter.exact,
      "Count exactly beside it and show the error; keeps every distinct line in memory");
  command
      .add_option("--save", options->save,
                  "Keep the counters, a few bits each, for `filter ask`; method ms only")
      .type_name("FILE");
  command.action(globals, [options, &globals] { return run(globals, *options); });
}

}  // namespace beckon::cli
