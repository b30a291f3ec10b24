// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "node/service/kernel/histogram.h"

namespace beckon::service {

/// Numbers worth watching, each read when asked for. Shown as `beckon net stats` and /metrics.
/// Names follow Prometheus: snake_case, base units (seconds, bytes) last, then _total for a
/// counter. A name that does not is a bug.
class Metrics {
 public:
  enum class Kind { counter, gauge, histogram };
  struct Metric {
    std::string name{};
    std::string help{};
    Kind kind{};
    std::function<double()> read{};
    const Histogram* histogram = nullptr;  // of that kind; outlives the metrics
  };

  void counter(std::string name, std::string help, std::function<double()> read);
  void gauge(std::string name, std::string help, std::function<double()> read);

  void histogram(std::string name, std::string help, const Histogram& times);

  const std::vector<Metric>& all() const { return metrics_; }
  std::string prometheus() const;  // text exposition format 0.0.4, names behind "beckon_"
  std::string json() const;        // {"name": number, ...}; of a histogram NAME_count and NAME_sum

 private:
  void add(Metric metric);

  std::vector<Metric> metrics_{};
};

}  // namespace beckon::service
