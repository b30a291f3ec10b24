// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/args/suggest.h"
#include "cli/commands/daemon.h"
#include "cli/render/render.h"
#include "cli/session/session.h"
#include "config/settings.h"
#include "config/toml_file.h"

namespace beckon::cli {

namespace {

using config::Key;

std::optional<config::Settings> load(const Globals& globals, const config::Paths& paths) {
  auto settings = config::Settings::load(paths, config::process_environment, {});
  if (settings) return std::move(*settings);
  fail(globals, settings.error());
  return std::nullopt;
}

const Key* known(const Globals& globals, const std::string& name) {
  const Key* key = config::find_key(name);
  if (key != nullptr) return key;
  std::vector<std::string> names;
  for (const Key& each : config::keys()) names.emplace_back(each.name);
  auto near = suggest(name, names);
  fail(globals, exit_code::usage, fmt::format("there is no setting '{}'", printable(name, 60)),
       near.empty() ? "See: beckon config list" : "Close: " + near.front());
  return nullptr;
}

int list(const Globals& globals) {
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  auto settings = load(globals, *paths);
  if (!settings) return exit_code::usage;
  Json json = Json::array();
  Table table({{"SETTING"}, {"VALUE"}, {"DEFAULT"}, {"RANGE"}, {"FROM"}, {"MEANING"}});
  for (const Key& key : config::keys()) {
    const config::Setting& setting = settings->get(key.name);
    json.push_back({{"name", key.name},
                    {"value", setting.value},
                    {"origin", setting.origin},
                    {"default", key.standard},
                    {"range", config::range_text(key)},
                    {"help", key.help}});
    table.add({std::string(key.name), setting.value.empty() ? "-" : printable(setting.value),
               key.standard.empty() ? "-" : std::string(key.standard), config::range_text(key),
               printable(setting.origin), std::string(key.help)});
  }
  fmt::print("{}", globals.json ? Json{{"settings", json}}.dump() + "\n" : table.text());
  return exit_code::ok;
}

int get(const Globals& globals, const std::string& name) {
  const Key* key = known(globals, name);
  auto paths = find_instance(globals);
  if (key == nullptr || !paths) return exit_code::usage;
  auto settings = load(globals, *paths);
  if (!settings) return exit_code::usage;
  const config::Setting& setting = settings->get(name);
  Json json{{"name", name}, {"value", setting.value}, {"origin", setting.origin}};
  fmt::print("{}\n", globals.json ? json.dump() : printable(setting.value));
  return exit_code::ok;
}

/// The log level is the one setting that a running node takes at once. False: none runs, or it did
/// not take it.
bool tell_node(const config::Paths& paths, const std::string& name, const std::string& value) {
  if (name != "log.level") return false;
  Client client(paths.socket().string());
  auto reply = client.send({.method = "PUT",
                            .path = "/v1/log",
                            .body = Json{{"level", value}}.dump(),
                            .timeout = std::chrono::seconds(5)});
  return reply && reply->status == 200;
}

int set(const Globals& globals, const std::string& name, const std::string& value) {
  const Key* key = known(globals, name);
  auto paths = find_instance(globals);
  if (key == nullptr || !paths) return exit_code::usage;
  auto checked = config::check_value(*key, value);
  if (!checked) return fail(globals, exit_code::usage, name + ": " + checked.error().text);
  auto written = config::write_toml_value(paths->config_file, name, *checked,
                                          key->kind == config::Kind::addresses);
  if (!written) return fail(globals, written.error());
  bool now = tell_node(*paths, name, *checked);
  if (globals.json)
    fmt::print("{}\n", Json{{"name", name}, {"value", *checked}, {"in_effect", now}}.dump());
  if (!globals.quiet) {
    fmt::print(stderr, "{} = {} in {}. {}\n", name, *checked, paths->config_file.string(),
               now ? "It takes effect now." : "A running node takes it at its next start.");
  }
  return exit_code::ok;
}

int path(const Globals& globals) {
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  Json json{{"config", paths->config_file.string()},
            {"state", paths->state_dir.string()},
            {"socket", paths->socket().string()},
            {"log", paths->log_file().string()}};
  fmt::print("{}\n", globals.json ? json.dump() : paths->config_file.string());
  return exit_code::ok;
}

}  // namespace

void add_config(Command app, Globals& globals) {
  Command command = app.add_subcommand("config", "Read and change settings");
  command.require_subcommand();
  struct Names {
    std::string name{};
    std::string value{};
  };
  auto names = std::make_shared<Names>();  // kept by the actions
  command.add_subcommand("list", "All settings, and where each value comes from")
      .action(globals, [&globals] { return list(globals); });
  Command get_command = command.add_subcommand("get", "One value");
  get_command.add_option("NAME", names->name, "The setting").required().type_name("");
  get_command.action(globals, [&globals, names] { return get(globals, names->name); });
  Command set_command = command.add_subcommand("set", "Write one value to the user's config.toml");
  set_command.add_option("NAME", names->name, "The setting").required().type_name("");
  set_command.add_option("VALUE", names->value, "Its new value; lists are separated by commas")
      .required()
      .type_name("");
  set_command.action(globals,
                     [&globals, names] { return set(globals, names->name, names->value); });
  command.add_subcommand("path", "Where the user's config.toml is").action(globals, [&globals] {
    return path(globals);
  });
}

}  // namespace beckon::cli
