// SPDX-License-Identifier: MIT
#include "config/paths.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "config/disk.h"

namespace beckon::config {

namespace {

constexpr std::size_t longest_socket_path = 107;  // sockaddr_un::sun_path with its final zero

std::string value_of(const Environment& environment, const std::string& name) {
  return environment(name).value_or("");
}

/// The XDG folder named by a variable, which must be absolute to count, or its default below HOME.
Path xdg(const Environment& environment, const std::string& name, const Path& fallback) {
  Path path = value_of(environment, name);
  return (path.is_absolute() ? path : fallback) / "beckon";
}

Result<Paths> below_home(const Path& home) {
  std::error_code problem;
  Path absolute = std::filesystem::absolute(home, problem).lexically_normal();
  if (problem) return invalid(fmt::format("--home {}: {}", home.string(), problem.message()));
  Path there = nearest_existing(absolute);
  if (!std::filesystem::is_directory(there, problem)) {
    return invalid(fmt::format("{} is a file, and --home needs a folder. Choose another --home DIR",
                               there.string()));
  }
  return Paths{.home = absolute,
               .config_file = absolute / "config.toml",
               .state_dir = absolute,
               .runtime_dir = absolute};
}

Result<Paths> in_xdg_folders(const Environment& environment) {
  Path user = value_of(environment, "HOME");
  if (!user.is_absolute()) {
    return invalid("HOME is not set, so there is no place for Beckon's files. Say one: --home DIR");
  }
  Path state = xdg(environment, "XDG_STATE_HOME", user / ".local/state");
  Path runtime = value_of(environment, "XDG_RUNTIME_DIR");
  return Paths{.config_file = xdg(environment, "XDG_CONFIG_HOME", user / ".config") / "config.toml",
               .state_dir = state,
               .runtime_dir = runtime.is_absolute() ? runtime / "beckon" : state / "run"};
}

Result<void> make_private(const Path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder.parent_path(), problem);
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) {
    return Error{ErrorCode::internal, fmt::format("cannot make the folder {}: {}", folder.string(),
                                                  std::strerror(errno))};
  }
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return Error{ErrorCode::internal, fmt::format("{} is not a folder", folder.string())};
  }
  if (info.st_uid != ::geteuid()) {
    return Error{ErrorCode::refused, fmt::format("{} belongs to another user", folder.string())};
  }
  if ((info.st_mode & 077) == 0) return {};
  return Error{ErrorCode::refused,
               fmt::format("others may enter {0}, where Beckon keeps keys. Cure: chmod 700 {0}",
                           folder.string())};
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<Paths> find_paths(const std::string& home_flag, const Environment& environment) {
  std::string home = home_flag.empty() ? value_of(environment, "BECKON_HOME") : home_flag;
  auto paths = home.empty() ? in_xdg_folders(environment) : below_home(home);
  if (paths && paths->socket().native().size() > longest_socket_path) {
    return invalid(fmt::format(
        "the path {} is too long for a socket ({} bytes at most). Choose a shorter --home",
        paths->socket().string(), longest_socket_path));
  }
  return paths;
}

Result<void> make_private_folders(const Paths& paths) {
  auto state = make_private(paths.state_dir);
  if (!state) return state;
  return make_private(paths.runtime_dir);
}

}  // namespace beckon::config
