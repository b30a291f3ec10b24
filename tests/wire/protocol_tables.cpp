// SPDX-License-Identifier: MIT
// The layouts of all messages, printed from their lists of fields into the documents:
//   protocol_tables FILE...          rewrites what stands between `<!-- fields: NAME -->` and
//                                    `<!-- end of fields -->`
//   protocol_tables --check FILE...  fails if that would change a file, or a table stands nowhere
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "chord/frame.h"
#include "tests/wire/all_messages.h"
#include "tests/wire/field_table.h"

using namespace beckon;
using namespace beckon::test;

namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t name_column = 22;
constexpr std::string_view begin_mark = "<!-- fields: ";
constexpr std::string_view end_mark = "<!-- end of fields -->";

/// Fields behind the name, wrapped between fields or, in a long one, between words.
std::string laid_out(std::string line, std::string_view fields) {
  std::string out;
  line.resize(std::max(name_column, line.size() + 1), ' ');
  std::string indent(name_column, ' ');
  while (line.size() + fields.size() > columns) {
    std::size_t room = columns - line.size();
    std::size_t cut = fields.rfind(" | ", room);
    if (cut == std::string_view::npos || cut == 0) cut = fields.rfind("; ", room) + 1;
    if (cut == 0) cut = fields.rfind(' ', room);
    out += line + std::string(fields.substr(0, cut)) + "\n";
    fields.remove_prefix(cut + 1);
    line = indent;
  }
  return out + line + std::string(fields) + "\n";
}

std::string size_text(const FieldTable& table, bool grows) {
  const char* end = grows ? ", may grow" : " in all";
  if (table.most > chord::max_frame_body)
    return fmt::format("{} or more{}", table.least, grows ? end : "");
  if (table.least == table.most) return fmt::format("{}{}", table.most, end);
  return fmt::format("{} to {}{}", table.least, table.most, end);
}

std::map<std::string, std::string> all_tables() {
  std::map<std::string, std::string> out;
  each_message([&](auto listed) {
    using M = typename decltype(listed)::Message;
    FieldTable table = table_of<M>();
    std::string head = M::form.frame != 0 ? fmt::format("0x{:02x} {}", M::form.frame, listed.name)
                                          : fmt::format("     {}", listed.name);
    out[listed.table] +=
        laid_out(head, fmt::format("{}  ({})", table.text, size_text(table, M::form.grows)));
  });
  out.erase("");
  return out;
}

/// The document with its tables as they should be.
std::string renewed(const std::string& text, const std::map<std::string, std::string>& tables,
                    std::set<std::string>& seen) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t mark; (mark = text.find(begin_mark, at)) != std::string::npos;) {
    std::size_t name_at = mark + begin_mark.size();
    std::string name = text.substr(name_at, text.find(" -->", name_at) - name_at);
    std::size_t body = text.find('\n', name_at) + 1;
    std::size_t end = text.find(end_mark, body);
    if (!tables.contains(name) || end == std::string::npos) {
      std::fprintf(stderr, "there is no table '%s', or its end is missing\n", name.c_str());
      std::exit(2);
    }
    seen.insert(name);
    out += text.substr(at, body - at) + "\n```\n" + tables.at(name) + "```\n\n";
    at = end;
  }
  return out + text.substr(at);
}

}  // namespace

int main(int argc, char** argv) {
  bool check = argc > 1 && std::string_view(argv[1]) == "--check";
  auto tables = all_tables();
  std::set<std::string> seen;
  bool same = true;
  for (int i = check ? 2 : 1; i < argc; ++i) {
    std::ifstream in(argv[i]);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    std::string wanted = renewed(text, tables, seen);
    if (wanted == text) continue;
    same = false;
    if (check) {
      std::fprintf(stderr, "%s differs from the lists of fields; run scripts/protocol_tables\n",
                   argv[i]);
    } else {
      std::ofstream(argv[i]) << wanted;
    }
  }
  for (const auto& [name, text] : tables) {
    if (seen.contains(name)) continue;
    std::fprintf(stderr, "no document has the table '%s':\n%s", name.c_str(), text.c_str());
    return 1;
  }
  return check && !same ? 1 : 0;
}
