// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/paths.h"

namespace beckon::cli {

/// Somebody a find turned up, as far as a later command needs it: all hexadecimal but name and
/// address. The key is the identity; the rest are hints that may be out of date.
struct FoundRow {
  std::string id{};
  std::string name{};               // empty when they show none
  std::string key{};                // Ed25519 public key, 64 digits
  std::string message_key{};        // X25519 public key, 64 digits
  std::string host{};               // node id, 40 digits
  std::string address{};            // of that node
  std::vector<std::string> ways{};  // sip:, tel: and mailto: addresses on their card
  friend bool operator==(const FoundRow&, const FoundRow&) = default;
};

/// What the last find of a terminal listed, so that @N means row N of it (counted from 1).
struct LastFind {
  static constexpr std::size_t max_rows = 10'000;
  std::string query{};  // canonical
  std::vector<FoundRow> rows{};
};

/// Kept as JSON below the state folder, one file a terminal; commands without a terminal share one.
/// Written whole or not at all, readable by this user only.
Result<void> save_last_find(const config::Paths& paths, const LastFind& found);
Result<LastFind> load_last_find(const config::Paths& paths);  // not_found: no find here yet

/// The row that "@3" names. Invalid: not of that form, or no such row.
Result<FoundRow> row_named(const LastFind& found, std::string_view name);

config::Path last_find_file(const config::Paths& paths);

}  // namespace beckon::cli
