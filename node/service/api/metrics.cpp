// SPDX-License-Identifier: MIT
#include "node/service/api/metrics.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/result.h"

namespace beckon::service {

namespace {

std::string number(double value) {
  bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.9g}", value);
}

const char* kind_name(Metrics::Kind kind) {
  if (kind == Metrics::Kind::histogram) return "histogram";
  return kind == Metrics::Kind::counter ? "counter" : "gauge";
}

std::string histogram_text(const std::string& name, const Histogram& times) {
  std::string out;
  auto counts = times.cumulative();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out +=
        fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, number(Histogram::bounds[i]), counts[i]);
  }
  return out + fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name,
                           times.count(), number(times.sum()));
}

}  // namespace

void Metrics::add(Metric metric) {
  const std::string& name = metric.name;
  bool letters =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  ENSURE(!name.empty() && letters && metric.help.find_first_of("\\\n") == std::string::npos);
  ENSURE(name.ends_with("_total") == (metric.kind == Kind::counter));
  ENSURE(name.ends_with("_seconds") || metric.kind != Kind::histogram);
  for (const Metric& other : metrics_) ENSURE(other.name != name);
  metrics_.push_back(std::move(metric));
}

void Metrics::counter(std::string name, std::string help, std::function<double()> read) {
  add({std::move(name), std::move(help), Kind::counter, std::move(read)});
}

void Metrics::gauge(std::string name, std::string help, std::function<double()> read) {
  add({std::move(name), std::move(help), Kind::gauge, std::move(read)});
}

void Metrics::histogram(std::string name, std::string help, const Histogram& times) {
  add({std::move(name), std::move(help), Kind::histogram, {}, &times});
}

std::string Metrics::prometheus() const {
  std::string out;
  for (const Metric& metric : metrics_) {
    out += fmt::format("# HELP beckon_{0} {1}\n# TYPE beckon_{0} {2}\n", metric.name, metric.help,
                       kind_name(metric.kind));
    out += metric.histogram == nullptr
               ? fmt::format("beckon_{} {}\n", metric.name, number(metric.read()))
               : histogram_text("beckon_" + metric.name, *metric.histogram);
  }
  return out;
}

std::string Metrics::json() const {
  std::string out = "{";
  auto add_one = [&out](const std::string& name, double value) {
    out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", name, number(value));
  };
  for (const Metric& metric : metrics_) {
    if (metric.histogram == nullptr) {
      add_one(metric.name, metric.read());
    } else {
      add_one(metric.name + "_count", static_cast<double>(metric.histogram->count()));
      add_one(metric.name + "_sum", metric.histogram->sum());
    }
  }
  return out + "}";
}

}  // namespace beckon::service
