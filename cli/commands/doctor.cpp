// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <ctime>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/daemon.h"
#include "cli/render/paint.h"
#include "cli/session/launch.h"
#include "cli/session/session.h"
#include "config/settings.h"

namespace beckon::cli {

namespace {

enum class Health { fine, note, wrong };
struct Check {
  Health health{};
  std::string name{};
  std::string detail{};
  std::string cure{};
};

Check check_config(const config::Paths& paths, const Result<config::Settings>& settings) {
  if (!settings) return {Health::wrong, "config", settings.error().text, "mend that line"};
  struct stat info {};
  std::string file = paths.config_file.string();
  if (::stat(file.c_str(), &info) != 0)
    return {Health::fine, "config", "defaults: there is no file " + file};
  return {Health::fine, "config", file};
}

Check check_folder(const std::string& name, const config::Path& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0)
    return {Health::note, name, folder.string() + " does not exist yet"};
  if (info.st_uid != ::geteuid())
    return {Health::wrong, name, folder.string() + " belongs to another user"};
  if ((info.st_mode & 077) != 0) {
    return {Health::wrong, name, "others may enter " + folder.string(),
            "chmod 700 " + folder.string()};
  }
  return {Health::fine, name, folder.string()};
}

Check check_key(const config::Path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0)
    return {Health::note, "node key", "made at the first start"};
  if ((info.st_mode & 077) != 0) {
    return {Health::wrong, "node key", "others may read " + file.string(),
            "chmod 600 " + file.string()};
  }
  if (::access(file.c_str(), R_OK) != 0)
    return {Health::wrong, "node key", "cannot read " + file.string()};
  return {Health::fine, "node key", file.string()};
}

Check check_space(const config::Path& folder, const Result<config::Settings>& settings) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return {Health::note, "disk", "no state folder yet"};
  auto mib = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize / (1024 * 1024);
  Check check{Health::fine, "disk", fmt::format("{} MiB free", mib)};
  if (mib < 128)
    check = {Health::wrong, "disk", check.detail,
             "make room: records of the ring may take " +
                 (settings ? settings->text("store.size") : std::string("512M"))};
  return check;
}

Check check_clock() {
  std::time_t now = std::time(nullptr);
  constexpr std::time_t year_2024 = 1704067200;
  if (now > year_2024) return {Health::fine, "clock", "plausible"};
  return {Health::wrong, "clock", "says it is before 2024",
          "set the time: records and certificates carry dates"};
}

Check check_program() {
  auto beckond = find_program("beckond");
  if (!beckond) return {Health::wrong, "beckond", beckond.error().text};
  return {Health::fine, "beckond", beckond->string()};
}

Check check_ring(const Json& self) {
  std::string state = self.value("state", "");
  if (state == "joined" && self.value("degraded", false)) {
    return {Health::wrong, "ring",
            fmt::format("alone: none of the peers it knows ({}) answers",
                        self.value("known_peers", std::uint64_t{})),
            "start one of them (beckon net peers lists them); this node goes on looking"};
  }
  if (state == "joined") return {Health::fine, "ring", state};
  if (state == "expelled")
    return {Health::wrong, "ring", state,
            "beckon down; with a new invite beckon up --invite STRING"};
  if (state != "joining") return {Health::wrong, "ring", state, "beckon up, once it has ended"};
  return {Health::wrong, "ring", state,
          "start one of its peers: this node goes on trying. Another way in: beckon down, then "
          "beckon up --join HOST:PORT"};
}

std::vector<Check> check_daemon(const config::Paths& paths) {
  Client client(paths.socket().string());
  auto reply = client.send({.path = "/v1/net/self", .timeout = std::chrono::seconds(5)});
  if (!reply && reply.error().code == ErrorCode::unavailable) {
    return {{Health::note, "daemon", "not running", "beckon up"}};
  }
  if (!reply)
    return {{Health::wrong, "daemon", reply.error().text, "see " + paths.log_file().string()}};
  auto self = json_or_null(reply->body);
  if (!self.is_object()) return {{Health::wrong, "daemon", "answers what is not JSON"}};
  std::vector<Check> out{
      {Health::fine, "daemon", "runs, node " + self.value("id", "").substr(0, 8)}};
  out.push_back(check_ring(self));
  for (const Json& trouble : self["troubles"]) {
    out.push_back(
        {Health::note, "peer", trouble.value("address", "") + ": " + trouble.value("error", "")});
  }
  return out;
}

const char* word(Health health) {
  return health == Health::fine ? "ok" : health == Health::note ? "note" : "wrong";
}

int doctor(const Globals& globals) {
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  auto settings = config::Settings::load(*paths, config::process_environment, {});
  std::vector<Check> checks{check_program(),
                            check_config(*paths, settings),
                            check_folder("state", paths->state_dir),
                            check_folder("runtime", paths->runtime_dir),
                            check_key(paths->node_key()),
                            check_space(paths->state_dir, settings),
                            check_clock()};
  for (Check& check : check_daemon(*paths)) checks.push_back(std::move(check));
  Json json = Json::array();
  bool well = true;
  for (const Check& check : checks) {
    well = well && check.health != Health::wrong;
    json.push_back({{"name", check.name},
                    {"state", word(check.health)},
                    {"detail", check.detail},
                    {"cure", check.cure}});
    if (globals.json) continue;
    auto colour = check.health == Health::fine   ? Colour::green
                  : check.health == Health::note ? Colour::yellow
                                                 : Colour::red;
    fmt::print("{}  {:<9} {}{}\n",
               paint(globals, colour, fmt::format("{:<5}", word(check.health)), stdout), check.name,
               printable(check.detail),
               check.cure.empty() ? "" : ". Cure: " + printable(check.cure));
  }
  if (globals.json) fmt::print("{}\n", Json{{"well", well}, {"checks", json}}.dump());
  return well ? exit_code::ok : exit_code::nothing;
}

}  // namespace

void add_doctor(Command app, Globals& globals) {
  Command command = app.add_subcommand("doctor", "Check this installation and say what to mend");
  command.action(globals, [&globals] { return doctor(globals); });
}

}  // namespace beckon::cli
