// SPDX-License-Identifier: MIT
#include "cli/session/client.h"

#include <doctest/doctest.h>

using namespace beckon::cli;

namespace {

std::string names(const std::string& text, std::size_t piece) {
  EventSplitter splitter;
  std::string out;
  auto keep = [&](const ServerEvent& event) {
    out += event.id + "/" + event.name + "/" + event.data + ";";
    return true;
  };
  for (std::size_t i = 0; i < text.size(); i += piece) splitter.feed(text.substr(i, piece), keep);
  return out;
}

}  // namespace

TEST_SUITE("cli/client") {
  TEST_CASE("events are the same however the bytes arrive") {
    std::string text =
        "id: 1\nevent: hit\ndata: {\"a\":1}\n\n: a comment\n\nevent: done\r\ndata:x\r\ndata: "
        "y\r\n\r\nid: 3\n";
    for (std::size_t piece : {1u, 2u, 7u, 1000u}) {
      CAPTURE(piece);
      CHECK(names(text, piece) == "1/hit/{\"a\":1};/done/x\ny;");
    }
  }

  TEST_CASE("a reader that has enough stops the stream") {
    EventSplitter splitter;
    int seen = 0;
    splitter.feed("data: 1\n\ndata: 2\n\ndata: 3\n\n",
                  [&](const ServerEvent&) { return ++seen < 2; });
    CHECK(seen == 2);
    CHECK(splitter.stopped());
  }

  TEST_CASE("an endless event is not collected for ever") {
    EventSplitter splitter;
    bool going = true;
    std::string piece(64 * 1024, 'x');
    int fed = 0;
    while (going && fed < 100) {
      going = splitter.feed(piece, [](const ServerEvent&) { return true; });
      ++fed;
    }
    CHECK(fed < 100);
  }

  TEST_CASE("a socket that is not there means: nobody listens") {
    Client client("/nonexistent/api.sock");
    auto reply = client.send({.path = "/v1/status"});
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == beckon::ErrorCode::unavailable);
  }
}
