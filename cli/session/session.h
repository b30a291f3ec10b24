// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "base/json.h"
#include "cli/args/globals.h"
#include "cli/session/client.h"
#include "config/paths.h"

namespace beckon::cli {

/// One command's talk with the daemon: finds it, calls, and tells failures the way all commands do.
/// After a call that returned nothing, the failure is told already and exit() is what to return.
class Session {
 public:
  explicit Session(const Globals& globals);

  std::optional<std::string> call(const Call& call);  // the body of a 2xx reply
  std::optional<Json> call_json(const Call& call);
  int exit() const { return exit_; }

  /// Streams events until done; false as above. `on_event` returns false to stop.
  bool stream(const Call& call, const std::function<bool(const ServerEvent&)>& on_event);

 private:
  bool find();
  bool judge(const Result<Reply>& reply);

  const Globals& globals_;
  std::optional<Client> client_{};
  int exit_ = 0;
};

/// The sentence for a daemon that is not there; exit code no_daemon.
int tell_no_daemon(const Globals& globals, const std::string& socket_path);

/// The instance the flags and environment name; a failure is told and leaves none.
std::optional<config::Paths> find_instance(const Globals& globals);

}  // namespace beckon::cli
