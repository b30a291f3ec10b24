#pragma once

#include "node/service/context.h"
#include "node/service/rate_limit.h"

namespace beckon::service {

/// A RateLimit at a door for peers. Counts what it turns away and tells the log, but at most once
/// in `quiet`: a flood of requests must not become a flood of lines. This node's own requests
/// always pass.
class Gate {
 public:
  static constexpr Duration quiet = std::chrono::minutes(1);

  Gate(Context& context, const char* what, RateLimit::Options options)
      : context_(context), what_(what), rate_(options) {}

  bool admit(const Id& peer, double amount = 1);
  /// What it sent was dearer than it looked, a forgery for one: it waits the longer.
  void charge(const Id& peer, double amount);

  std::uint64_t refused() const { return refused_; }

 private:
  Context& context_;
  const char* what_;  // plural, for the log
  RateLimit rate_;
  std::uint64_t refused_ = 0;
  std::optional<Time> told_{};
};

}  // namespace beckon::service
