// SPDX-License-Identifier: MIT
#include "cli/session/find_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "cli/render/numbers.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "cli/render/value_text.h"

namespace beckon::cli {

namespace {

constexpr std::size_t cell_limit = 36;

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool is_numeric(const Json& people, const std::string& attribute) {
  bool any = false;
  for (const Json& person : people) {
    const Json& attrs = person["attrs"];
    if (!attrs.contains(attribute)) continue;
    const Json& value = attrs[attribute];
    if (!value.is_number() && !value.is_object()) return false;
    any = true;
  }
  return any;
}

std::string name_of(const Json& person) {
  std::string name = person.value("name", "");
  if (!name.empty()) return value_text(name, cell_limit);
  return person.value("id", "").substr(0, 8) + " (no name shown)";
}

std::string brief(const Json& json, const char* name) {
  return printable(json.value(name, "").substr(0, 8));
}

std::string indented(const std::string& text, std::size_t by) {
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    out += std::string(by, ' ') + std::string(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return out;
}

std::uint64_t count(const Json& json, const char* name) {
  return json.value(name, std::uint64_t{0});
}

/// What a newcomer should know first: there was nobody to ask.
std::string ring_remark(const Json& answer) {
  Json ring = answer.value("ring", Json::object());
  if (ring.value("state", "joined") != "joined")
    return "This node has not joined a ring yet, so nobody elsewhere was asked. See: beckon "
           "status\n";
  if (ring.value("degraded", false))
    return "This node is alone: none of the peers it knows answers, so only people on it can be "
           "found. It goes on looking for them; ask again later. See: beckon net peers\n";
  if (ring.value("peers", 1) > 0 || !answer["people"].empty()) return "";
  return "This node is alone: only people on it can be found. To join others: beckon down, then "
         "beckon up --join HOST:PORT\n";
}

std::string plan_table(const Json& ways) {
  Table table({{""}, {"WAY"}, {"KEYS", Table::Align::right}, {"RECORDS", Table::Align::right}});
  std::size_t branch = 0;
  for (const Json& way : ways) {
    std::size_t of = count(way, "branch");
    if (of != branch) table.add({"", "or", "", ""});
    branch = of;
    table.add({way.value("chosen", false) ? "->" : "", value_text(way["way"], 60),
               std::to_string(count(way, "probes")),
               way["listed"].is_number() ? grouped(count(way, "listed")) : "not counted"});
  }
  return table.text();
}

std::string reads_table(const Json& reads) {
  Table table({{"KEY"},
               {"NODE"},
               {"ADDRESS"},
               {"RECORDS", Table::Align::right},
               {"MAY MATCH", Table::Align::right}});
  for (const Json& read : reads) {
    table.add({brief(read, "key"), brief(read, "node"), printable(read.value("address", "")),
               grouped(count(read, "listed")), grouped(count(read, "passed"))});
  }
  return table.text();
}

}  // namespace

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
}

std::vector<std::string> split_fields(std::string_view fields) {
  std::vector<std::string> out;
  while (!fields.empty()) {
    std::size_t comma = std::min(fields.find(','), fields.size());
    std::string_view name = fields.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) out.emplace_back(name);
    fields.remove_prefix(std::min(comma + 1, fields.size()));
  }
  return out;
}

std::vector<std::string> find_columns(const Json& answer, const std::string& fields) {
  std::vector<std::string> out;
  if (!fields.empty()) {
    for (std::string& name : split_fields(fields)) {
      if (name != "name") out.push_back(std::move(name));
    }
    return out;
  }
  for (const Json& name : answer["attributes"]) {
    if (name != "name") out.push_back(name.get<std::string>());
  }
  if (out.empty()) out = {"city", "hobby"};
  return out;
}

namespace {

std::vector<bool> numeric_columns(const Json& people, const std::vector<std::string>& columns) {
  std::vector<bool> out;
  for (const std::string& name : columns) out.push_back(is_numeric(people, name));
  return out;
}

Table table_of(const Json& people, const std::vector<std::string>& columns,
               const std::vector<bool>& numeric, std::size_t first) {
  std::vector<Table::Column> heads{{"#", Table::Align::right}, {"NAME"}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    heads.push_back(
        {upper(printable(columns[i], 40)), numeric[i] ? Table::Align::right : Table::Align::left});
  }
  heads.push_back({"SEEN"});
  Table table(heads);
  for (const Json& person : people) {
    std::vector<std::string> cells{fmt::format("@{}", first++), name_of(person)};
    for (const std::string& name : columns)
      cells.push_back(value_text(person["attrs"].value(name, Json()), cell_limit));
    cells.push_back(person.value("online", false) ? "now" : "away, unverified");
    table.add(cells);
  }
  return table;
}

}  // namespace

std::string people_table(const Json& people, const std::vector<std::string>& columns,
                         std::size_t first) {
  return table_of(people, columns, numeric_columns(people, columns), first).text();
}

PeopleRows::PeopleRows(std::vector<std::string> columns) : columns_(std::move(columns)) {
  constexpr std::size_t number_room = 4;  // @999
  constexpr std::size_t name_room = 20;
  constexpr std::size_t value_room = 12;
  widths_ = {number_room, name_room};
  widths_.resize(2 + columns_.size(), value_room);
}

std::string PeopleRows::add(const Json& people) {
  bool is_first = count_ == 0;
  if (is_first) numeric_ = numeric_columns(people, columns_);
  std::string out = table_of(people, columns_, numeric_, count_ + 1).text(widths_);
  count_ += people.size();
  if (!is_first) out.erase(0, out.find('\n') + 1);
  return out;
}

std::string find_summary(const Json& answer, bool unverified_shown) {
  const Json& stats = answer["stats"];
  std::size_t found = answer["people"].size();
  std::uint64_t asked = count(stats, "asked");
  std::uint64_t answered = count(stats, "answered");
  std::string replies = answer.value("limited", false) ? "until there were enough"
                        : answered < asked || !answer.value("complete", true)
                            ? fmt::format("{} answered", answered)
                            : "all answered";
  std::string out = fmt::format("{}. Asked {}, {}, {} ms.\n",
                                found == 0 ? "Nobody" : counted(found, "person", "people"),
                                counted(asked, "node", "nodes"), replies,
                                static_cast<std::uint64_t>(stats.value("elapsed_ms", 0.0) + 0.5));
  out += ring_remark(answer);
  std::uint64_t slow = count(stats, "slow");
  std::uint64_t away = count(stats, "offline") - slow;
  if (away > 0 && !unverified_shown) {
    out += fmt::format(
        "{} may match too, but their nodes do not answer; --unverified shows them.\n", away);
  }
  if (slow > 0) {
    out += fmt::format(
        "{} may match too, but their nodes are slow and did not answer in time; ask again.\n",
        slow);
  }
  if (answer.value("limited", false)) out += "There may be more: say --limit N.\n";
  if (!answer.value("complete", true)) {
    out += "The answer is not complete: not everybody who had to be asked answered in time.\n";
  }
  return out;
}

std::string explain_view(const Json& answer) {
  const Json& stats = answer["stats"];
  const Json& explain = answer["explain"];
  std::uint64_t refuted = count(stats, "false_positives");
  std::string out = fmt::format(
      "Query       {}\nPlan        the way with the fewest keys, then the "
      "fewest records\n",
      printable(answer.value("query", "")));
  out += indented(plan_table(explain["ways"]), 12);
  out += "Read        blind: nodes see hashes and bounds, no words\n";
  out += indented(reads_table(explain["reads"]), 12);
  out += fmt::format(
      "Candidates  {} passed a filter; {} refuted by {} own node ({}); {} "
      "not confirmed: no answer from their nodes\n",
      count(stats, "candidates"), refuted, refuted == 1 ? "its" : "their",
      counted(refuted, "false positive", "false positives"), count(stats, "offline"));
  out += fmt::format(
      "Cost        {}, {:.2f} hops each; {}, {}; {} scanned; {:.1f} ms\n",
      counted(count(explain, "lookups"), "lookup", "lookups"), stats.value("hops_mean", 0.0),
      counted(count(stats, "messages"), "message", "messages"),
      counted(count(stats, "bytes"), "byte", "bytes"),
      counted(count(explain, "scanned"), "record", "records"), stats.value("elapsed_ms", 0.0));
  return out;
}

namespace {

/// Addresses that other programs can open; a scheme is put in front where there is none.
std::vector<std::string> ways_in(const Json& contact) {
  static const std::map<std::string, std::string> schemes{
      {"sip", "sip:"}, {"phone", "tel:"}, {"mail", "mailto:"}};
  std::vector<std::string> out;
  for (const auto& [attr, value] : contact.items()) {
    bool ours = attr == "key" || attr == "message_key" || attr == "host" || attr == "address";
    if (ours) continue;
    auto scheme = schemes.find(attr);
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
      if (!one.is_string()) continue;
      std::string text = one.get<std::string>();
      bool whole = text.find(':') != std::string::npos;
      if (whole || scheme != schemes.end()) out.push_back(whole ? text : scheme->second + text);
    }
  }
  return out;
}

}  // namespace

FoundRow found_row(const Json& person) {
  const Json& contact = person["contact"];
  return {.id = person.value("id", ""),
          .name = person.value("name", ""),
          .key = contact.value("key", ""),
          .message_key = contact.value("message_key", ""),
          .host = contact.value("host", ""),
          .address = contact.value("address", ""),
          .ways = ways_in(contact)};
}

}  // namespace beckon::cli
