// SPDX-License-Identifier: MIT
#include "config/toml_file.h"

#include <fmt/core.h>

#include <toml++/toml.h>
#include <fstream>
#include <sstream>
#include <vector>

namespace beckon::config {

namespace {

constexpr std::uintmax_t largest_file = 1 << 20;
using Values = std::map<std::string, std::string>;

Result<std::string> text_of(const toml::node& node, const std::string& name) {
  if (auto text = node.value<std::string>()) return *text;
  if (auto number = node.value<std::int64_t>()) return fmt::format("{}", *number);
  if (const toml::array* array = node.as_array()) {
    std::string out;
    for (const toml::node& item : *array) {
      auto text = item.value<std::string>();
      if (!text) return invalid(fmt::format("{}: a list of texts is wanted", name));
      out += (out.empty() ? "" : ",") + *text;
    }
    return out;
  }
  return invalid(fmt::format("{}: a text, a number or a list of texts is wanted", name));
}

Result<void> collect(const toml::table& table, const std::string& prefix, int depth, Values& out) {
  if (depth > 4) return invalid("tables are nested too deeply");
  for (const auto& [key, node] : table) {
    std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      auto collected = collect(*inner, name + ".", depth + 1, out);
      if (!collected) return collected;
      continue;
    }
    auto text = text_of(node, name);
    if (!text) return text.error();
    out[name] = *text;
  }
  return {};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string trimmed(const std::string& line) {
  auto first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

bool assigns(const std::string& line, std::string_view key) {
  std::string text = trimmed(line);
  if (text.compare(0, key.size(), key) != 0) return false;
  auto next = text.find_first_not_of(" \t", key.size());
  return next != std::string::npos && text[next] == '=';
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string toml_list(std::string_view joined) {
  std::string out = "[";
  while (!joined.empty()) {
    auto comma = std::min(joined.find(','), joined.size());
    out += (out.size() > 1 ? ", " : "") + toml_text(joined.substr(0, comma));
    joined.remove_prefix(std::min(comma + 1, joined.size()));
  }
  return out + "]";
}

Result<std::string> slurp(const Path& file) {
  std::error_code problem;
  auto size = std::filesystem::file_size(file, problem);
  if (problem == std::errc::no_such_file_or_directory) return std::string();
  std::ifstream in(file);
  if (problem || !in) {
    return Error{ErrorCode::internal, fmt::format("cannot read {}: {}", file.string(),
                                                  problem ? problem.message() : "no permission")};
  }
  if (size > largest_file) return invalid(fmt::format("{} is larger than 1 MiB", file.string()));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<void> replace_file(const Path& file, const std::string& text) {
  std::error_code problem;
  if (std::filesystem::create_directories(file.parent_path(), problem)) {  // it may be a home
    std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all, problem);
  }
  Path fresh = file.string() + ".new";
  std::ofstream out(fresh, std::ios::trunc);
  out << text;
  out.close();
  if (out) std::filesystem::rename(fresh, file, problem);
  if (out && !problem) return {};
  return Error{ErrorCode::internal, fmt::format("cannot write {}", file.string())};
}

}  // namespace

Result<Values> parse_toml(std::string_view text, const std::string& name) {
  Values out;
  try {
    auto collected = collect(toml::parse(text), "", 0, out);
    if (!collected) return invalid(name + ": " + collected.error().text);
  } catch (const toml::parse_error& error) {
    return invalid(fmt::format("{}, line {}: {}", name, error.source().begin.line,
                               std::string(error.description())));
  }
  return out;
}

Result<Values> read_toml(const Path& file) {
  auto text = slurp(file);
  if (!text) return text.error();
  return parse_toml(*text, file.string());
}

std::string edit_toml(std::string_view text, std::string_view dotted_name,
                      std::optional<std::string_view> value) {
  auto dot = dotted_name.rfind('.');
  bool in_table = dot != std::string_view::npos;
  std::string header = in_table ? fmt::format("[{}]", dotted_name.substr(0, dot)) : "";
  std::string key(in_table ? dotted_name.substr(dot + 1) : dotted_name);
  auto lines = lines_of(text);

  bool inside = !in_table;
  std::optional<std::size_t> insert_at = in_table ? std::nullopt : std::optional<std::size_t>(0);
  std::optional<std::size_t> existing;
  for (std::size_t i = 0; i < lines.size() && !existing; ++i) {
    std::string line = trimmed(lines[i]);
    bool is_header = !line.empty() && line[0] == '[';
    if (is_header) inside = in_table && line.compare(0, header.size(), header) == 0;
    if (is_header && inside) insert_at = i + 1;
    if (!is_header && inside && assigns(lines[i], key)) existing = i;
    if (!is_header && inside && !line.empty()) insert_at = i + 1;
  }
  std::string fresh = value ? fmt::format("{} = {}", key, *value) : "";
  auto at = [&](std::size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); };
  if (existing && value) lines[*existing] = fresh;
  if (existing && !value) lines.erase(at(*existing));
  if (!existing && value && insert_at) lines.insert(at(*insert_at), fresh);
  if (!existing && value && !insert_at) {
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(header);
    lines.push_back(fresh);
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

Result<void> write_toml_value(const Path& file, const std::string& dotted_name,
                              const std::string& value, bool is_list) {
  auto text = slurp(file);
  if (!text) return text.error();
  std::string edited = edit_toml(*text, dotted_name, is_list ? toml_list(value) : toml_text(value));
  auto values = parse_toml(edited, file.string());
  if (!values || (*values)[dotted_name] != value) {
    return Error{ErrorCode::conflict,
                 fmt::format("cannot set {} in {} without harm to the rest. Edit the file by hand",
                             dotted_name, file.string())};
  }
  return replace_file(file, edited);
}

}  // namespace beckon::config
