// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace beckon::cli {

/// What the process returns; scripts rely on these.
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int nothing = 1;  // nothing found, not delivered, did not work
inline constexpr int usage = 2;    // wrong usage or query
inline constexpr int no_daemon = 3;
inline constexpr int incomplete = 4;    // a partial answer was printed
inline constexpr int refused = 5;       // also: the callee declined
inline constexpr int busy = 10;         // calls: in another call
inline constexpr int no_answer = 11;    // calls: it rang in vain
inline constexpr int dropped = 12;      // calls: the link was lost
inline constexpr int unreachable = 13;  // calls: their node cannot be reached in time
inline constexpr int bug = 70;
inline constexpr int interrupted = 130;
}  // namespace exit_code

/// The flags every command shares, and the action that the chosen subcommand leaves behind for
/// main.
struct Globals {
  std::string home{};
  std::string as{};
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";
  std::function<int()> action{};
};

/// Tells a failure the one way all commands do: the sentence (and the cure, if there is one) on
/// stderr, with --json also {"error":{code,message,hint}} on stdout. Returns `exit`.
int fail(const Globals& globals, int exit, const std::string& message,
         const std::string& hint = {});

/// The same for an Error of the code below: invalid -> usage, refused -> refused, else nothing.
int fail(const Globals& globals, const Error& error);

}  // namespace beckon::cli
