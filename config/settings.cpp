// SPDX-License-Identifier: MIT
#include "config/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/address.h"
#include "base/duration.h"
#include "config/toml_file.h"

namespace beckon::config {

namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (!item.empty()) out.emplace_back(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

Result<std::string> check_addresses(std::string_view value) {
  std::string out;
  for (const std::string& item : split(value)) {
    auto address = Address::parse(item);
    if (!address) return address.error();
    out += (out.empty() ? "" : ",") + item;
  }
  return out;
}

/// An address for others to dial.
Result<std::string> check_reachable(std::string_view value) {
  if (value.empty()) return std::string();
  auto address = Address::parse(value);
  if (!address) return address.error();
  if (address->port == 0)
    return invalid("others cannot dial port 0: wanted a port from 1 to 65535");
  if (address->unspecified()) {
    return invalid(
        fmt::format("others cannot dial {}: wanted an address of this machine", address->host));
  }
  return std::string(value);
}

Result<std::string> check_level(std::string_view value) {
  for (std::string_view level : {"debug", "info", "warning", "error"}) {
    if (value == level) return std::string(value);
  }
  return invalid(fmt::format("wanted debug, info, warning or error, got '{}'", value));
}

constexpr std::array<std::pair<char, int>, 3> size_units = {{{'G', 30}, {'M', 20}, {'K', 10}}};

Result<std::uint64_t> parse_size(std::string_view text) {
  Error unreadable =
      invalid(fmt::format("a size is written 512M or 2G, got '{}'", text.substr(0, 40)));
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [rest, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || end - rest != 1 || number > (1u << 26)) return unreadable;
  for (auto [letter, shift] : size_units) {
    if (*rest != letter) continue;
    return number << shift;
  }
  return unreadable;
}

std::string size_text(std::uint64_t bytes) {
  for (auto [letter, shift] : size_units) {
    if (bytes % (1ull << shift) == 0) return fmt::format("{}{}", bytes >> shift, letter);
  }
  return std::to_string(bytes);
}

constexpr std::string_view off = "off";

Result<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [rest, problem] = std::from_chars(text.data(), end, number);
  if (problem == std::errc{} && rest == end) return number;
  return invalid(fmt::format("wanted a whole number, got '{}'", text.substr(0, 40)));
}

Result<void> check_range(const Key& key, std::uint64_t value) {
  if (value >= key.least && (key.most == 0 || value <= key.most)) return {};
  return invalid(fmt::format("out of range, wanted {}", range_text(key)));
}

/// A size or "off" (0), for what is counted in a second.
Result<std::uint64_t> parse_speed(std::string_view text) {
  return text == off ? Result<std::uint64_t>(0) : parse_size(text);
}

Result<std::string> check_speed(const Key& key, std::string_view value) {
  auto speed = parse_speed(value);
  if (!speed) return speed.error();
  if (*speed == 0 && value == off) return std::string(off);
  if (auto fine = check_range(key, *speed); !fine) return fine.error();
  return size_text(*speed);
}

constexpr std::string_view from_last_start = "the last start that said it";

Result<void> add_file(const Path& file, std::string_view origin,
                      std::map<std::string, Setting, std::less<>>& values) {
  auto found = read_toml(file);
  if (!found) return found.error();
  for (const auto& [name, value] : *found) {
    const Key* key = find_key(name);
    if (key == nullptr) {
      return invalid(fmt::format("{}: there is no setting '{}'. See: beckon config list",
                                 file.string(), name));
    }
    auto checked = check_value(*key, value);
    if (!checked)
      return invalid(fmt::format("{}: {}: {}", file.string(), name, checked.error().text));
    values[name] = {*checked, std::string(origin)};
  }
  return {};
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> all = {
      {"listen", Kind::address, "0.0.0.0:4290",
       "where other nodes reach this one; port 0 picks a free one"},
      {"advertise", Kind::reachable, "",
       "the address told to other nodes, when it differs from listen"},
      {"join", Kind::addresses, "", "peers to join through, beside the remembered ones"},
      {"log.level", Kind::level, "info", "the least grave lines that are logged"},
      {"metered", Kind::flag, "no", "traffic costs money: do background work less often"},
      {"ring.stabilize", Kind::duration, "5s",
       "how often a node compares itself with its successor", 10},
      {"ring.probe", Kind::duration, "15s", "how often it looks for a ring that was cut off", 10},
      {"ring.finger", Kind::duration, "10s", "how often it refreshes one finger", 10},
      {"store.size", Kind::size, "512M", "how much memory the records kept for others may take",
       1u << 20, 64ull << 30},
      {"store.sync", Kind::duration, "1m", "how often it compares its records with the replicas",
       10},
      {"limits.connections", Kind::count, "512",
       "connections in all; a quarter is kept for those this node makes", 16, 32768},
      {"limits.connections_per_address", Kind::count, "128",
       "of these, from one IPv4 address or IPv6 /64; raise it for nodes behind one router", 1,
       32768},
      {"limits.handshakes", Kind::count, "400", "new connections accepted a second", 1, 10000},
      {"limits.requests", Kind::count, "4000", "requests a second from one peer", 100, 1000000},
      {"limits.records", Kind::count, "200", "records a second that one peer may store here", 10,
       100000},
      {"limits.upload", Kind::speed, "off", "bytes a second sent to peers", 16u << 10, 1u << 30},
  };
  return all;
}

const Key* find_key(std::string_view name) {
  auto found =
      std::find_if(keys().begin(), keys().end(), [&](const Key& key) { return key.name == name; });
  return found == keys().end() ? nullptr : &*found;
}

std::string env_name(const Key& key) {
  std::string out = "BECKON_";
  for (char c : key.name) out += c == '.' || c == '_' ? '_' : static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string range_text(const Key& key) {
  switch (key.kind) {
    case Kind::text:
      return "any text";
    case Kind::address:
    case Kind::reachable:
      return "HOST:PORT";
    case Kind::addresses:
      return "HOST:PORT, ...";
    case Kind::level:
      return "debug, info, warning, error";
    case Kind::duration:
      return fmt::format("{}ms or more", key.least);
    case Kind::size:
      return fmt::format("{}..{}", size_text(key.least), size_text(key.most));
    case Kind::count:
      return fmt::format("{}..{}", key.least, key.most);
    case Kind::speed:
      return fmt::format("off, {}..{}", size_text(key.least), size_text(key.most));
    case Kind::flag:
      return "yes, no";
  }
  return "";
}

Result<std::string> check_value(const Key& key, std::string_view value) {
  if (value.size() > 4096) return invalid("longer than 4096 bytes");
  switch (key.kind) {
    case Kind::text:
      return std::string(value);
    case Kind::level:
      return check_level(value);
    case Kind::addresses:
      return check_addresses(value);
    case Kind::reachable:
      return check_reachable(value);
    case Kind::address: {
      if (value.empty()) return std::string();
      auto address = Address::parse(value);
      if (!address) return address.error();
      return std::string(value);
    }
    case Kind::duration: {
      auto duration = parse_duration(value);
      if (!duration) return duration.error();
      if (*duration < std::chrono::milliseconds(key.least))
        return invalid("wanted " + range_text(key));
      return to_text(*duration);
    }
    case Kind::size: {
      auto size = parse_size(value);
      if (!size) return size.error();
      if (auto fine = check_range(key, *size); !fine) return fine.error();
      return size_text(*size);
    }
    case Kind::count: {
      auto number = parse_count(value);
      if (!number) return number.error();
      if (auto fine = check_range(key, *number); !fine) return fine.error();
      return std::to_string(*number);
    }
    case Kind::speed:
      return check_speed(key, value);
    case Kind::flag:
      if (value == "yes" || value == "no") return std::string(value);
      return invalid(fmt::format("wanted yes or no, got '{}'", value.substr(0, 40)));
  }
  return invalid("unknown kind");
}

Result<Settings> Settings::load(const Paths& paths, const Environment& environment,
                                const Flags& flags, const Path& system_file) {
  Settings out;
  for (const Key& key : keys())
    out.values_[std::string(key.name)] = {std::string(key.standard), "default"};
  if (!flags.contains("listen")) {
    auto added = add_file(paths.last_start(), from_last_start, out.values_);
    if (!added) return added.error();
  }
  for (const Path& file : {system_file, paths.config_file}) {
    auto added = add_file(file, file.string(), out.values_);
    if (!added) return added.error();
  }
  for (const Key& key : keys()) {
    auto value = environment(env_name(key));
    if (!value) continue;
    auto checked = check_value(key, *value);
    if (!checked) return invalid(fmt::format("{}: {}", env_name(key), checked.error().text));
    out.values_[std::string(key.name)] = {*checked, env_name(key)};
  }
  for (const auto& [name, value] : flags) {
    const Key* key = find_key(name);
    ENSURE(key != nullptr);
    auto checked = check_value(*key, value);
    if (!checked) return invalid(fmt::format("--{}: {}", name, checked.error().text));
    out.values_[name] = {*checked, "--" + name};
  }
  return out;
}

Result<void> remember_start(const Paths& paths, const Settings::Flags& flags) {
  bool moved = flags.contains("listen");
  for (const char* name : {"listen", "advertise"}) {
    auto flag = flags.find(name);
    if (flag == flags.end() && !moved) continue;
    std::string value = flag == flags.end() ? "" : flag->second;
    auto written = write_toml_value(paths.last_start(), name, value, false);
    if (!written) return written;
  }
  return {};
}

namespace {

template <typename Value>
Value checked(const Result<Value>& value) {
  ENSURE(value.has_value());  // by load()
  return *value;
}

}  // namespace

const Setting& Settings::get(std::string_view name) const {
  auto found = values_.find(name);
  ENSURE(found != values_.end());
  return found->second;
}

std::vector<std::string> Settings::list(std::string_view name) const { return split(text(name)); }

Duration Settings::duration(std::string_view name) const {
  return checked(parse_duration(text(name)));
}

std::uint64_t Settings::size(std::string_view name) const {
  return checked(parse_size(text(name)));
}

std::uint64_t Settings::speed(std::string_view name) const {
  return checked(parse_speed(text(name)));
}

std::uint64_t Settings::count(std::string_view name) const {
  return checked(parse_count(text(name)));
}

bool Settings::flag(std::string_view name) const { return text(name) == "yes"; }

}  // namespace beckon::config
