// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/kernel/context.h"
#include "node/service/kernel/rate_limit.h"

namespace beckon::service {

/// Counts what was turned away at one door and tells the log, but at most once in `quiet`: a flood
/// of requests must not become a flood of lines.
class Refusals {
 public:
  static constexpr Duration quiet = std::chrono::minutes(1);

  explicit Refusals(Context& context) : context_(context) {}

  void add(const Id& peer, const std::string& what);  // the line: a peer WHAT; refused
  std::uint64_t count() const { return count_; }

 private:
  Context& context_;
  std::uint64_t count_ = 0;
  std::optional<Time> told_{};
};

/// A RateLimit at a door for peers. This node's own requests always pass.
class Gate {
 public:
  Gate(Context& context, const char* what, RateLimit::Options options)
      : context_(context), what_(what), rate_(options), refusals_(context) {}

  bool admit(const Id& peer, double amount = 1);
  /// What it sent was dearer than it looked, a forgery for one: it waits the longer.
  void charge(const Id& peer, double amount);

  std::uint64_t refused() const { return refusals_.count(); }

 private:
  Context& context_;
  const char* what_;  // plural, for the log
  RateLimit rate_;
  Refusals refusals_;
};

}  // namespace beckon::service
