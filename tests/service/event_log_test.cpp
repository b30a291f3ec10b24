#include "node/service/event_log.h"

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

  TEST_CASE("an event is lines that cannot be torn apart by its text") {
    CHECK(sse_text(NumberedEvent{7, {"hit", "{\"a\":\n1}"}}) ==
          "id: 7\nevent: hit\ndata: {\"a\": 1}\n\n");
  }
}
