// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "config/paths.h"

namespace beckon::config {

enum class Kind { text, address, reachable, addresses, duration, level, size, count, speed, flag };

/// One thing a user may set, in config.toml as `name = "value"` (a dot in the name is a table), or
/// in the environment as BECKON_NAME with dots as underscores.
struct Key {
  std::string_view name{};
  Kind kind = Kind::text;
  std::string_view standard{};  // the default
  std::string_view help{};
  std::uint64_t least{};  // of sizes and speeds in bytes, of durations in milliseconds
  std::uint64_t most{};   // none: no limit
};

const std::vector<Key>& keys();
const Key* find_key(std::string_view name);
std::string env_name(const Key& key);

/// What the key accepts, in few words: "1M..64G".
std::string range_text(const Key& key);

/// The value in its canonical spelling, or an error that says what is wanted. Lists are separated
/// by commas.
Result<std::string> check_value(const Key& key, std::string_view value);

struct Setting {
  std::string value{};
  std::string origin{};  // "--listen", "BECKON_LISTEN", a file name or "default"
};

/// All settings of one instance. Precedence: flags, environment, user's file, /etc, what
/// remember_start() kept, defaults.
class Settings {
 public:
  using Flags = std::map<std::string, std::string>;  // key name -> value

  static Result<Settings> load(const Paths& paths, const Environment& environment,
                               const Flags& flags,
                               const Path& system_file = "/etc/beckon/config.toml");

  const Setting& get(std::string_view name) const;  // a name of keys()
  const std::string& text(std::string_view name) const { return get(name).value; }
  std::vector<std::string> list(std::string_view name) const;
  Duration duration(std::string_view name) const;
  std::uint64_t size(std::string_view name) const;   // bytes
  std::uint64_t speed(std::string_view name) const;  // bytes a second; 0: off
  std::uint64_t count(std::string_view name) const;
  bool flag(std::string_view name) const;

 private:
  std::map<std::string, Setting, std::less<>> values_{};
};

/// Keeps where a node was told to listen by flags, so that a start without them listens there again
/// and not, say, on all addresses. A new --listen also forgets the --advertise of the old one.
Result<void> remember_start(const Paths& paths, const Settings::Flags& flags);

}  // namespace beckon::config
