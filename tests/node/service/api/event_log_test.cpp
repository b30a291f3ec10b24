// SPDX-License-Identifier: MIT
#include "node/service/api/event_log.h"

#include <doctest/doctest.h>

using namespace beckon::service;

TEST_SUITE("service/event_log") {
  TEST_CASE("a listener that comes back sees what it missed, once") {
    EventLog log(4);
    for (int i = 0; i < 3; ++i) log.add({"ring", std::to_string(i)});
    auto missed = log.after(1);
    CHECK(missed.lost == 0);
    REQUIRE(missed.events.size() == 2);
    CHECK(missed.events.front().id == 2);
    CHECK(missed.events.back().event.json == "2");
    CHECK(log.after(3).events.empty());
  }

  TEST_CASE("what fell out of the log is counted as lost") {
    EventLog log(4);
    for (int i = 0; i < 10; ++i) log.add({"ring", "{}"});
    auto missed = log.after(2);
    CHECK(missed.lost == 4);  // 3, 4, 5, 6
    CHECK(missed.events.front().id == 7);
    CHECK(log.after(6).lost == 0);
    CHECK(log.after(5).lost == 1);
  }

  TEST_CASE("an id from an earlier life of the node means a loss") {
    EventLog log(4);
    log.add({"ring", "{}"});
    auto missed = log.after(900);
    CHECK(missed.lost >= 1);
    CHECK(missed.events.size() == 1);
  }

  TEST_CASE("numbers of two lives are never taken for each other") {
    EventLog second(4, 1001);
    for (int i = 0; i < 3; ++i) second.add({"ring", "{}"});
    CHECK(second.last_id() == 1003);
    for (std::uint64_t old : {1, 3, 999}) {
      CAPTURE(old);
      CHECK(second.after(old).lost >= 1);
      CHECK(second.after(old).events.size() == 3);
    }
    CHECK(second.after(1001).lost == 0);
    CHECK(second.after(1001).events.size() == 2);
    CHECK(second.after(1000).lost == 0);  // the last number before this life's first event
    CHECK(second.after(0).lost == 0);     // from the beginning
    CHECK(second.after(0).events.size() == 3);
  }

  TEST_CASE("an event is lines that cannot be torn apart by its text") {
    CHECK(sse_text(NumberedEvent{7, {"hit", "{\"a\":\n1}"}}) ==
          "id: 7\nevent: hit\ndata: {\"a\": 1}\n\n");
  }
}
