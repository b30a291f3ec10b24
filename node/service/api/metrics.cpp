#include "node/service/api/metrics.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

namespace beckon::service {

namespace {

std::string number(double value) {
  bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

}  // namespace

void Metrics::counter(std::string name, std::string help, std::function<double()> read) {
  metrics_.push_back({std::move(name), std::move(help), Kind::counter, std::move(read)});
}

void Metrics::gauge(std::string name, std::string help, std::function<double()> read) {
  metrics_.push_back({std::move(name), std::move(help), Kind::gauge, std::move(read)});
}

std::string Metrics::prometheus() const {
  std::string out;
  for (const Metric& metric : metrics_) {
    const char* kind = metric.kind == Kind::counter ? "counter" : "gauge";
    out += fmt::format("# HELP beckon_{0} {1}\n# TYPE beckon_{0} {2}\nbeckon_{0} {3}\n",
                       metric.name, metric.help, kind, number(metric.read()));
  }
  return out;
}

std::string Metrics::json() const {
  std::string out = "{";
  for (const Metric& metric : metrics_) {
    out +=
        fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", metric.name, number(metric.read()));
  }
  return out + "}";
}

}  // namespace beckon::service
