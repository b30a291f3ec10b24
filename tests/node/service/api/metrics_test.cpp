// SPDX-License-Identifier: MIT
#include "node/service/api/metrics.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

TEST_SUITE("service/metrics") {
  TEST_CASE("a histogram counts what took as long as a bound with that bound") {
    Histogram times;
    for (Duration took : {Duration(0us), Duration(1ms), Duration(1001us), Duration(100ms),
                          Duration(30s), Duration(31s), Duration(1h)}) {
      times.observe(took);
    }
    auto counts = times.cumulative();
    CHECK(counts.front() == 2);  // up to 1 ms
    CHECK(counts[1] == 3);
    CHECK(counts[6] == 4);  // up to 0.1 s
    CHECK(counts.back() == 5);
    CHECK(times.count() == 7);
    CHECK(times.sum() == doctest::Approx(3661.102001));
  }

  TEST_CASE("the text has help and type of each metric, and buckets that end with all") {
    Histogram times;
    times.observe(3ms);
    Metrics metrics;
    metrics.counter("things_total", "things so far", [] { return 12345678.0; });
    metrics.gauge("things", "things now", [] { return 2.5; });
    metrics.histogram("thing_duration_seconds", "time a thing took", times);
    std::string text = metrics.prometheus();
    CHECK(text.find("# HELP beckon_things_total things so far\n"
                    "# TYPE beckon_things_total counter\n"
                    "beckon_things_total 12345678\n"
                    "# HELP beckon_things things now\n"
                    "# TYPE beckon_things gauge\n"
                    "beckon_things 2.5\n"
                    "# HELP beckon_thing_duration_seconds time a thing took\n"
                    "# TYPE beckon_thing_duration_seconds histogram\n"
                    "beckon_thing_duration_seconds_bucket{le=\"0.001\"} 0\n"
                    "beckon_thing_duration_seconds_bucket{le=\"0.0025\"} 0\n"
                    "beckon_thing_duration_seconds_bucket{le=\"0.005\"} 1\n") == 0);
    CHECK(
        text.ends_with("beckon_thing_duration_seconds_bucket{le=\"30\"} 1\n"
                       "beckon_thing_duration_seconds_bucket{le=\"+Inf\"} 1\n"
                       "beckon_thing_duration_seconds_sum 0.003\n"
                       "beckon_thing_duration_seconds_count 1\n"));
    CHECK(metrics.json() ==
          "{\"things_total\":12345678,\"things\":2.5,\"thing_duration_seconds_count\":1,"
          "\"thing_duration_seconds_sum\":0.003}");
  }
}
