#pragma once

#include <functional>
#include <string>
#include <vector>

namespace beckon::service {

/// Numbers worth watching, each read when asked for. Shown as `beckon net stats` and /metrics.
class Metrics {
 public:
  enum class Kind { counter, gauge };
  struct Metric {
    std::string name{};  // snake_case, unit last; a counter ends in _total
    std::string help{};
    Kind kind{};
    std::function<double()> read{};
  };

  void counter(std::string name, std::string help, std::function<double()> read);
  void gauge(std::string name, std::string help, std::function<double()> read);

  const std::vector<Metric>& all() const { return metrics_; }
  std::string prometheus() const;  // text exposition format 0.0.4, names behind "beckon_"
  std::string json() const;        // {"name": number, ...}

 private:
  std::vector<Metric> metrics_{};
};

}  // namespace beckon::service
