// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace beckon::config {

using Path = std::filesystem::path;
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

std::optional<std::string> process_environment(const std::string& name);

/// Where one instance of Beckon keeps its files. With a home (flag or BECKON_HOME) everything is
/// below it; without, the XDG folders are used. Both programs compute the same from the same
/// environment, which is how the client finds the daemon.
struct Paths {
  Path home{};         // empty when the XDG folders are used
  Path config_file{};  // config.toml, written by people and `beckon config set`
  Path state_dir{};    // keys, database, log; private to the user
  Path runtime_dir{};  // socket and lock; private to the user

  Path socket() const { return runtime_dir / "api.sock"; }
  Path lock_file() const { return runtime_dir / "beckond.lock"; }
  Path log_file() const { return state_dir / "beckond.log"; }
  Path node_key() const { return state_dir / "node.key"; }
  Path overlay_file() const { return state_dir / "overlay.json"; }
  Path credential_file() const { return state_dir / "credential"; }
  Path puzzle_file() const { return state_dir / "puzzle"; }
  Path revocations_file() const { return state_dir / "revocations"; }
  Path authority_node_file() const { return state_dir / "authority.node"; }
  Path authority_dir() const { return state_dir / "authority"; }
  Path last_start() const { return state_dir / "last_start.toml"; }
  Path database() const { return state_dir / "beckon.db"; }
};

/// Fails when neither a home nor HOME is known, when the home is a file, or when the socket's path
/// would be longer than the system allows (107 bytes).
Result<Paths> find_paths(const std::string& home_flag, const Environment& environment);

/// Makes the state and runtime folders, mode 0700, and refuses one that others may enter.
Result<void> make_private_folders(const Paths& paths);

}  // namespace beckon::config
