// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/session/client.h"

namespace beckon::bench {

/// Says why, kills the nodes that run, and ends the bench.
[[noreturn]] void give_up(const std::string& why);
double percentile(std::vector<double> samples, double share);

/// Real nodes on loopback, one process each, in a folder of their own; ended with this object. A
/// node that fails ends the bench with the reason.
class Overlay {
 public:
  explicit Overlay(std::size_t count);  // returns when the ring is closed
  ~Overlay();
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  Json ask(std::size_t node, const cli::Call& call);
  std::string text(std::size_t node, const cli::Call& call);
  std::size_t size() const { return clients_.size(); }
  const std::filesystem::path& folder() const { return folder_; }
  double cpu_seconds() const;          // that all nodes have had
  std::vector<double> memory() const;  // MiB that each node keeps resident

 private:
  void wait_for_ring();

  std::filesystem::path folder_;
  std::vector<std::string> homes_;
  std::vector<std::unique_ptr<cli::Client>> clients_;
};

}  // namespace beckon::bench
