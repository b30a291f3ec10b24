// SPDX-License-Identifier: MIT
#include "cli/session/last_find.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "base/text.h"

namespace beckon::cli {

namespace {

constexpr std::size_t max_file = 16 * 1024 * 1024;

/// "pts-3" for /dev/pts/3; commands of one script without a terminal belong together.
std::string terminal_name() {
  std::array<char, 128> name{};
  for (int fd : {STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO}) {
    if (::ttyname_r(fd, name.data(), name.size()) != 0) continue;
    std::string text(name.data());
    if (text.starts_with("/dev/")) text.erase(0, 5);
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '-');
    return text;
  }
  return "none";
}

Error file_error(const char* what, const config::Path& path) {
  return {ErrorCode::internal,
          fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno))};
}

Json to_json(const FoundRow& row) {
  return {{"id", row.id},     {"name", row.name},
          {"key", row.key},   {"message_key", row.message_key},
          {"host", row.host}, {"address", row.address},
          {"ways", row.ways}};
}

FoundRow row_from(const Json& json) {
  auto text = [&](const char* name) { return json.value(name, std::string()); };
  return {.id = text("id"),
          .name = text("name"),
          .key = text("key"),
          .message_key = text("message_key"),
          .host = text("host"),
          .address = text("address"),
          .ways = json.value("ways", std::vector<std::string>())};
}

Result<void> write_private(const config::Path& path, const std::string& text) {
  config::Path fresh = path;
  fresh += fmt::format(".{}", ::getpid());
  int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return file_error("write", fresh);
  std::size_t done = 0;
  while (done < text.size()) {
    ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  bool closed = ::close(fd) == 0;
  if (done == text.size() && closed && ::rename(fresh.c_str(), path.c_str()) == 0) return {};
  Error error = file_error("write", path);
  ::unlink(fresh.c_str());
  return error;
}

}  // namespace

config::Path last_find_file(const config::Paths& paths) {
  return paths.state_dir / "last_find" / (terminal_name() + ".json");
}

Result<void> save_last_find(const config::Paths& paths, const LastFind& found) {
  config::Path path = last_find_file(paths);
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  if (failed) return Error{ErrorCode::internal, "cannot make " + path.parent_path().string()};
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(found.rows.size(), LastFind::max_rows); ++i)
    rows.push_back(to_json(found.rows[i]));
  Json all{{"query", found.query}, {"rows", rows}};
  return write_private(path, all.dump() + "\n");
}

Result<LastFind> load_last_find(const config::Paths& paths) {
  std::ifstream file(last_find_file(paths));
  if (!file) {
    return Error{ErrorCode::not_found,
                 "@N means a row of the last find in this terminal, and there was none"};
  }
  std::string text(max_file + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  Error broken = invalid(last_find_file(paths).string() + " cannot be read; run beckon find again");
  if (text.size() > max_file) return broken;
  const Json all = json_or_null(text);
  if (!all["query"].is_string() || !all["rows"].is_array()) return broken;
  LastFind out{.query = all["query"].text()};
  for (const Json& row : all["rows"]) {
    if (!row.is_object()) return broken;
    out.rows.push_back(row_from(row));
  }
  return out;
}

Result<FoundRow> row_named(const LastFind& found, std::string_view name) {
  std::size_t number = 0;
  const char* end = name.data() + name.size();
  bool formed = name.starts_with("@") && name.size() > 1;
  if (formed) {
    auto [stop, problem] = std::from_chars(name.data() + 1, end, number);
    formed = problem == std::errc{} && stop == end;
  }
  if (!formed) {
    return invalid(
        fmt::format("'{}' names no row; the rows of a find are @1, @2, ...", printable(name, 40)));
  }
  if (number == 0 || number > found.rows.size()) {
    return invalid(fmt::format("the last find here ({}) has {} rows, no {}",
                               printable(found.query, 200), found.rows.size(),
                               printable(name, 40)));
  }
  return found.rows[number - 1];
}

}  // namespace beckon::cli
