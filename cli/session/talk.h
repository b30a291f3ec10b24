// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/json.h"
#include "cli/args/globals.h"
#include "cli/session/client.h"

namespace beckon::cli {

/// A call in this terminal: what the others say comes out on stdout, what is typed goes to them
/// line by line, the end of the input or Ctrl-C hangs up. Three threads: this one listens to the
/// daemon's events, one reads stdin once somebody has joined, one waits for Ctrl-C.
class Talk {
 public:
  /// `call` is the daemon's answer to an invitation or an acceptance.
  Talk(const Globals& globals, const Json& call);
  ~Talk();
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  int run();  // until the call has ended; the exit code

 private:
  bool heard(const ServerEvent& event);  // false: the call is over
  void tell(const Json& event);
  void begin_reading();
  void read_lines();
  void wait_for_signal();
  bool patch(const std::string& action, const std::string& text = {});
  bool look_again();  // after a gap in the events; false: over
  int end() const;

  const Globals& globals_;
  std::string id_;
  std::string user_;
  std::string since_;
  bool active_ = false;  // somebody has joined
  std::string why_{};
  std::atomic<bool> over_ = false;
  std::atomic<bool> interrupted_ = false;
  std::thread reader_{};
  std::thread signals_{};
};

}  // namespace beckon::cli
