// SPDX-License-Identifier: MIT
#include "node/daemon.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signature_rule.h"
#include "config/disk.h"
#include "config/settings.h"
#include "node/driver.h"
#include "node/home.h"
#include "node/io/file_lock.h"
#include "node/io/sqlite_store.h"
#include "node/log_routes.h"
#include "node/overlay_routes.h"

namespace beckon {

namespace {

using config::Paths;
using config::Settings;

Settings::Flags flags_of(const DaemonOptions& options) {
  Settings::Flags flags;
  if (!options.listen.empty()) flags["listen"] = options.listen;
  if (!options.advertise.empty()) flags["advertise"] = options.advertise;
  if (!options.log_level.empty()) flags["log.level"] = options.log_level;
  for (const std::string& address : options.join) {
    flags["join"] += (flags["join"].empty() ? "" : ",") + address;
  }
  return flags;
}

Result<void> check_wish(const DaemonOptions& options) {
  bool joins = !options.join.empty() || !options.invite.empty();
  if (!options.create || !joins) return {};
  return invalid(fmt::format("--create founds a new ring, {} joins one: say one of them",
                             options.join.empty() ? "--invite" : "--join"));
}

Result<io::FileLock> lock_home(const Paths& paths) {
  auto folders = config::make_private_folders(paths);
  if (!folders) return folders.error();
  auto lock = io::FileLock::take(paths.lock_file().string());
  if (lock || lock.error().code != ErrorCode::unavailable) return lock;
  return Error{ErrorCode::conflict,
               "beckond runs already for this home. See: beckon status. Stop it: beckon down"};
}

service::ServiceOptions to_options(const Settings& settings, const std::string& version) {
  service::ServiceOptions out;
  chord::Options& ring = out.kernel.ring;
  ring.stabilize_every = settings.duration("ring.stabilize");
  ring.probe_every = settings.duration("ring.probe");
  ring.finger_every = settings.duration("ring.finger");
  ring.found_again_after = 4 * ring.stabilize_every;
  out.replicas.sync_period = settings.duration("store.sync");
  out.replicas.max_bytes = settings.size("store.size");
  auto rate = [&](const char* name) { return static_cast<double>(settings.count(name)); };
  out.kernel.requests.per_second = rate("limits.requests");
  out.kernel.requests.burst = 2 * rate("limits.requests");
  out.replicas.put_rate = rate("limits.records");
  out.replicas.put_burst = 20 * rate("limits.records");
  if (settings.flag("metered")) {  // repair after a change stays as quick as it is
    out.replicas.sync_period *= 10;
    ring.probe_every *= 4;
    ring.finger_every *= 6;
  }
  out.version = version;
  return out;
}

io::TransportOptions transport_options(const Settings& settings) {
  io::TransportOptions out;
  out.max_connections = settings.count("limits.connections");
  out.max_accepted = out.max_connections / 4 * 3;
  out.max_accepted_per_address = settings.count("limits.connections_per_address");
  out.max_accepted_loopback = std::max(out.max_accepted_loopback, out.max_accepted_per_address);
  out.handshakes_per_second = static_cast<double>(settings.count("limits.handshakes"));
  out.upload_per_second = static_cast<double>(settings.speed("limits.upload"));
  return out;
}

/// Each connection is an open file; so many others are the database, the log, the API and spare.
Result<void> allow_connections(std::uint64_t connections) {
  constexpr rlim_t others = 256;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= connections + others) return {};
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, connections + others);
  if (files.rlim_cur == connections + others && ::setrlimit(RLIMIT_NOFILE, &files) == 0) return {};
  return Error{ErrorCode::internal,
               fmt::format("limits.connections is {}, but this system allows a process {} open "
                           "files: raise that (ulimit -n, LimitNOFILE=) or lower the setting",
                           connections, files.rlim_max)};
}

service::Seeds fresh_seeds() {
  service::Seeds out;
  std::array<std::uint8_t, 8> chance{};
  io::fill_random(chance);
  io::fill_random(out.secrets);
  out.chance = ByteReader(chance).u64();
  return out;
}

bool ignored(int signal) {  // as under nohup
  struct sigaction current {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

/// Tells `beckon up` that the API answers, and lets go of its stderr.
void say_ready(LogFile& log) {
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, "ready\n", 6);
  log.take_stderr();
}

/// As systemd tells it: the variable names the device and inode of the journal's stream. Children
/// of a service inherit the variable, but may have another stderr.
bool stderr_is_journal() {
  auto stream = config::process_environment("JOURNAL_STREAM");
  struct stat info {};
  return stream && ::fstat(STDERR_FILENO, &info) == 0 &&
         *stream == fmt::format("{}:{}", info.st_dev, info.st_ino);
}

Result<std::unique_ptr<LogFile>> open_log(const Paths& paths, const Settings& settings,
                                          const DaemonOptions& options) {
  auto level = parse_level(settings.text("log.level"));
  if (!level) return level.error();
  return LogFile::open(paths.log_file().string(), {.level = *level,
                                                   .to_terminal = options.log_to_terminal,
                                                   .terminal_is_journal = stderr_is_journal()});
}

Result<void> serve(const Paths& paths, const Settings& settings, const DaemonOptions& options,
                   Home& home, service::Up up) {
  auto log = open_log(paths, settings, options);
  if (!log) return log.error();
  if (auto fine = allow_connections(settings.count("limits.connections")); !fine) return fine;
  // Beside the records for others the file holds users, contacts and mail, each with limits of its
  // own.
  io::SqliteStore::Options store_options;
  store_options.max_bytes += settings.size("store.size");
  auto store = io::SqliteStore::open(paths.database().string(), store_options);
  if (!store) return store.error();
  if (auto way = service::Membership::check_way_in(**store, up); !way) return way;
  auto epoch = service::raise_epoch(**store, io::uv::wall_now());
  if (!epoch) return epoch.error();

  io::uv::Loop loop;
  auto driver = Driver::open(
      {loop, **store, **log},
      {.identity = home.identity,
       .overlay = home.overlay,
       .epoch = *epoch,
       .options = to_options(settings, options.version),
       .seeds = fresh_seeds(),
       .listen = settings.text("listen"),
       .advertise = settings.text("advertise"),
       .socket = paths.socket().string(),
       .keep_revocations =
           [&](const service::Revocations& list) {
             auto kept = keep_revocations(paths, list);
             if (!kept) {
               (*log)->write({LogLevel::error,
                              "the list of expelled nodes was not kept",
                              {{"reason", kept.error().text}}});
             }
           },
       .keep_overlay =
           [&](const service::Overlay& overlay) {
             auto kept = keep_overlay(paths, overlay);
             if (!kept) (*log)->write({LogLevel::error, kept.error().text});
           },
       .authority_node = home.authority_node,
       .keep_credential =
           [&](const service::Credential& fresh) { return keep_credential(paths, fresh); },
       .enroller = home.authority ? &*home.authority : nullptr,
       .transport = transport_options(settings)});
  if (!driver) return driver.error();
  if (auto kept = config::remember_start(paths, flags_of(options)); !kept) {
    (*log)->write({LogLevel::warning,
                   "where this node listens was not kept for its next start",
                   {{"reason", kept.error().text}}});
  }
  if (home.revocations) {
    auto set = (*driver)->transport().set_revocations(*home.revocations);
    if (!set) return set.error();
  }
  add_overlay_routes(**driver, home);
  add_log_routes((*driver)->service().api(), **log);
  (*log)->write({LogLevel::info,
                 "this node listens",
                 {{"node", (*driver)->transport().id().hex()},
                  {"overlay", home.overlay.name},
                  {"address", (*driver)->transport().addresses().front()},
                  {"version", options.version}}});
  io::uv::Signal terminate(loop, SIGTERM, [&] { (*driver)->leave(); });
  io::uv::Signal interrupt(loop, SIGINT, [&] { (*driver)->leave(); });
  std::optional<io::uv::Signal> hang_up;
  if (!ignored(SIGHUP)) hang_up.emplace(loop, SIGHUP, [&] { (*driver)->leave(); });
  if (options.detached) say_ready(**log);
  (*driver)->start(std::move(up));
  loop.run();
  return {};
}

/// A node that judges signatures by another rule would store and answer what others do not.
Result<void> check_signatures() {
  if (trusted_signature_engine()) return {};
  return Error{ErrorCode::internal,
               "neither libsodium nor OpenSSL gives the known answers to Ed25519 signatures; "
               "reinstall libsodium23 and libssl3"};
}

/// The life of the node of this home.
Result<void> run_in(const Paths& paths, const DaemonOptions& options) {
  if (auto fine = check_wish(options); !fine) return fine;
  if (auto fine = check_signatures(); !fine) return fine;
  auto settings = Settings::load(paths, config::process_environment, flags_of(options));
  if (!settings) return settings.error();
  auto lock = lock_home(paths);
  if (!lock) return lock.error();
  service::Up up{.join = settings->list("join"), .create = options.create};
  WallTime now = io::uv::wall_now();
  if (!options.invite.empty()) {
    auto addresses = accept_invite(paths, options.invite, now);
    if (!addresses) return addresses.error();
    up.join.insert(up.join.begin(), addresses->begin(), addresses->end());
  }
  auto home = load_home(paths, now);
  if (!home) {  // a file that cannot be read is no wrong usage
    Error why = home.error();
    if (why.code == ErrorCode::invalid) why.code = ErrorCode::internal;
    return why;
  }
  return serve(paths, *settings, options, *home, std::move(up));
}

}  // namespace

Result<void> run_daemon(const DaemonOptions& options) {
  auto paths = config::find_paths(options.home, config::process_environment);
  if (!paths) return paths.error();
  auto ended = run_in(*paths, options);
  if (!ended) return config::blame_disk(*paths, ended.error());
  return ended;
}

Result<MadeOverlay> found_overlay(const DaemonOptions& options, const WantedOverlay& wanted) {
  auto paths = config::find_paths(options.home, config::process_environment);
  if (!paths) return paths.error();
  auto lock = lock_home(*paths);
  if (!lock) return config::blame_disk(*paths, lock.error());
  io::Authority::NewOverlay draft{.name = wanted.name};
  if (wanted.open) draft.admission = service::Admission::open;
  if (!wanted.schema_file.empty()) {
    auto text = io::read_file(wanted.schema_file, service::SchemaDocument::max_text);
    if (!text) return text.error();
    draft.schema = as_text(*text);
  }
  auto overlay = create_overlay(*paths, draft, io::uv::wall_now());
  if (!overlay) return config::blame_disk(*paths, overlay.error());
  return MadeOverlay{overlay->name, to_hex(overlay->id()), paths->authority_dir().string()};
}

}  // namespace beckon
