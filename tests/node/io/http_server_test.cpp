// SPDX-License-Identifier: MIT
#include "node/io/http_server.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/io/unix_socket.h"
#include "tests/node/io/temp_dir.h"

using namespace beckon;
using namespace beckon::io;
using namespace beckon::service;

namespace {

/// A server whose requests are kept for the test to answer.
struct Bench final : HttpListener {
  Bench() {
    auto opened = HttpServer::open(loop, path(), *this,
                                   {.backlog = 100'000, .sweep = std::chrono::milliseconds(20)});
    REQUIRE(opened);
    server = std::move(*opened);
  }
  void http_request(ExchangeId exchange, const HttpRequest& request) override {
    requests[exchange] = request;
  }
  void http_closed(ExchangeId exchange) override { closed.push_back(exchange); }
  std::string path() const { return folder.file("api.sock"); }

  void run_until(const std::function<bool()>& done) {
    for (int i = 0; i < 2000 && !done(); ++i) loop.run_once();
    CHECK(done());
  }
  ExchangeId next_request(std::size_t count = 1) {
    run_until([&] { return requests.size() >= count; });
    return requests.rbegin()->first;
  }

  test::TempDir folder{};
  uv::Loop loop{};
  std::map<ExchangeId, HttpRequest> requests{};
  std::vector<ExchangeId> closed{};
  std::unique_ptr<HttpServer> server{};
};

/// The other end: writes raw HTTP, collects what comes.
struct Caller {
  explicit Caller(const std::string& path) : socket(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  }
  explicit Caller(Bench& bench) : socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    bench.path().copy(address.sun_path, sizeof address.sun_path - 1);
    bool connected = false;
    bench.run_until([&] {  // refused for the moment while the backlog is full
      connected = connected || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address),
                                         sizeof address) == 0;
      return connected;
    });
  }
  void say(const std::string& text) {
    CHECK(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(text.size()));
  }
  bool heard(const std::string& text) {
    char buffer[4096];
    for (ssize_t n; (n = ::recv(socket.get(), buffer, sizeof buffer, 0)) > 0;)
      all.append(buffer, static_cast<std::size_t>(n));
    return all.find(text) != std::string::npos;
  }
  Descriptor socket;
  std::string all{};
};

std::string get(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

/// A process of another user: 0 when the server closed on it without a word, 1 when it answered, 2
/// when it could not even connect.
pid_t start_stranger(const std::string& path, const std::string& request) {
  pid_t child = ::fork();
  if (child != 0) return child;
  constexpr uid_t nobody = 65534;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::setuid(nobody) != 0 ||
      ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::_exit(2);
  }
  [[maybe_unused]] ssize_t sent = ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
  char byte = 0;
  ::_exit(::recv(socket, &byte, 1, 0) > 0 ? 1 : 0);
}

}  // namespace

TEST_SUITE("io/http_server") {
  TEST_CASE("the socket is for its user alone") {
    Bench bench;
    struct stat info {};
    REQUIRE(::stat(bench.path().c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    CHECK(S_ISSOCK(info.st_mode));
  }

  TEST_CASE("another user is not served, even where the files' modes would let him in") {
    if (::geteuid() != 0) {
      MESSAGE("not tried: only root can become another user");
      return;
    }
    Bench bench;
    REQUIRE(::chmod(bench.folder.file("").c_str(), 0755) == 0);
    REQUIRE(::chmod(bench.path().c_str(), 0666) == 0);
    pid_t stranger = start_stranger(bench.path(), get("/v1/status"));
    int status = -1;
    bool ended = false;
    bench.run_until([&] {
      ended = ended || ::waitpid(stranger, &status, WNOHANG) == stranger;
      return ended;
    });
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(bench.requests.empty());
    Caller own(bench.path());
    own.say(get("/v1/status"));
    bench.next_request();
  }

  TEST_CASE("a request arrives decoded, and its answer goes back when it is there") {
    Bench bench;
    Caller caller(bench.path());
    caller.say(get("/v1/x%20y?hobby=chess%26go&age=20..30&age=1"));
    auto exchange = bench.next_request();
    const HttpRequest& request = bench.requests[exchange];
    CHECK(request.method == "GET");
    CHECK(request.path == "/v1/x y");
    REQUIRE(request.query.size() == 3);
    CHECK(request.query[0] == std::pair<std::string, std::string>{"hobby", "chess&go"});
    CHECK(request.query[2].second == "1");
    CHECK_FALSE(caller.heard("HTTP"));
    bench.server->send(
        {exchange, HttpReply{.status = 404, .type = "application/problem+json", .body = "{}"}});
    bench.run_until([&] { return caller.heard("\r\n\r\n{}"); });
    CHECK(caller.all.find("HTTP/1.1 404") == 0);
    CHECK(caller.heard("application/problem+json"));
    bench.run_until([&] { return bench.server->exchanges() == 0; });
    CHECK(bench.closed.empty());
  }

  TEST_CASE("one connection carries several requests, each with its body") {
    Bench bench;
    Caller caller(bench.path());
    for (std::size_t i = 1; i <= 3; ++i) {
      std::string body = "{\"n\":" + std::to_string(i) + "}";
      caller.say("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n" + body);
      auto exchange = bench.next_request(i);
      CHECK(bench.requests[exchange].body == body);
      bench.server->send({exchange, HttpReply{.body = "answer " + std::to_string(i)}});
      bench.run_until([&] { return caller.heard("answer " + std::to_string(i)); });
    }
  }

  TEST_CASE("a body beyond the limit is refused and never reaches a handler") {
    Bench bench;
    Caller caller(bench.path());
    std::string rest(max_http_body + 1, 'x');
    caller.say("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(rest.size()) +
               "\r\n\r\n");
    std::size_t sent = 0;
    bench.run_until([&] {
      ssize_t n = ::send(caller.socket.get(), rest.data() + sent, rest.size() - sent, MSG_NOSIGNAL);
      if (n > 0) sent += static_cast<std::size_t>(n);
      return caller.heard("413");
    });
    CHECK(bench.requests.empty());
  }

  TEST_CASE("a stream brings events as they come, and ends when told") {
    Bench bench;
    Caller caller(bench.path());
    caller.say(
        "GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nLast-Event-ID: "
        "7\r\n\r\n");
    auto exchange = bench.next_request();
    CHECK(bench.requests[exchange].wants_stream);
    CHECK(bench.requests[exchange].last_event_id == "7");
    bench.server->send({exchange, StreamBegin{}});
    bench.server->send({exchange, StreamData{"id: 8\ndata: {}\n\n"}});
    bench.run_until([&] { return caller.heard("id: 8\n"); });
    CHECK(caller.heard("text/event-stream"));
    bench.server->send({exchange, StreamData{"id: 9\ndata: {}\n\n"}});
    bench.run_until([&] { return caller.heard("id: 9\n"); });
    bench.server->send({exchange, StreamEnd{}});
    bench.run_until([&] { return caller.heard("\r\n0\r\n\r\n"); });
  }

  TEST_CASE("a listener that goes away is noticed, while it waits and while it is streamed to") {
    Bench bench;
    for (bool streaming : {false, true}) {
      CAPTURE(streaming);
      bench.requests.clear();
      bench.closed.clear();
      auto caller = std::make_unique<Caller>(bench.path());
      caller->say(get("/v1/events"));
      auto exchange = bench.next_request();
      if (streaming) bench.server->send({exchange, StreamBegin{}});
      caller.reset();
      bench.run_until([&] { return bench.closed == std::vector{exchange}; });
      bench.server->send({exchange, StreamData{"late"}});
      bench.run_until([&] { return bench.server->exchanges() == 0; });
    }
  }

  TEST_CASE("a listener that does not read is cut off, and the server lives on") {
    Bench bench;
    Caller lazy(bench.path());
    lazy.say(get("/v1/events"));
    auto exchange = bench.next_request();
    bench.server->send({exchange, StreamBegin{}});
    for (int i = 0; i < 20000; ++i)
      bench.server->send({exchange, StreamData{std::string(100, 'x')}});
    Caller other(bench.path());
    other.say(get("/healthz"));
    auto next = bench.next_request(2);
    bench.server->send({next, HttpReply{.body = "alive"}});
    bench.run_until([&] { return other.heard("alive"); });
  }

  TEST_CASE("junk on the socket harms nobody") {
    Bench bench;
    Caller junk(bench.path());
    junk.say(std::string("\x00\xff\x16\x03\x01 junk\r\n\r\n", 14));
    Caller caller(bench.path());
    caller.say(get("/x"));
    auto exchange = bench.next_request();
    bench.server->send({exchange, HttpReply{.body = "fine"}});
    bench.run_until([&] { return caller.heard("fine"); });
  }

  TEST_CASE("a burst of connections that ask nothing does not keep an honest request waiting") {
    Bench bench;
    std::vector<std::unique_ptr<Caller>> silent;
    for (int i = 0; i < 600; ++i) {
      silent.push_back(std::make_unique<Caller>(bench));
      if (i % 3 == 0) silent.back()->say("GET /half HTTP/1.1\r\nHo");
      if (i % 7 == 0) silent.erase(silent.begin());
    }
    auto asked = bench.loop.now();
    Caller caller(bench);
    caller.say(get("/x"));
    auto exchange = bench.next_request();
    bench.server->send({exchange, HttpReply{.body = "fine"}});
    bench.run_until([&] { return caller.heard("fine"); });
    CHECK(bench.loop.now() - asked < std::chrono::seconds(2));
  }

  TEST_CASE("ten thousand connections that come and go leave the socket answering") {
    Bench bench;
    for (int i = 0; i < 10'000; i += 100) {
      std::vector<std::unique_ptr<Caller>> burst;
      for (int j = 0; j < 100; ++j) burst.push_back(std::make_unique<Caller>(bench));
      burst.clear();
      bench.loop.run_ready();
      bench.loop.run_ready();
    }
    Caller caller(bench.path());
    caller.say(get("/x"));
    auto exchange = bench.next_request();
    bench.server->send({exchange, HttpReply{.body = "fine"}});
    bench.run_until([&] { return caller.heard("fine"); });
  }

  TEST_CASE("six hundred query fields reach the handlers as too many, not as silence") {
    Bench bench;
    Caller caller(bench.path());
    std::string target = "/v1/find?a=1";
    for (int i = 0; i < 600; ++i) target += "&hobby=chess" + std::to_string(i);
    caller.say(get(target));
    auto exchange = bench.next_request();
    CHECK(bench.requests[exchange].query.size() == max_http_query_fields + 1);
  }

  TEST_CASE("an address with a NUL or a broken escape is refused") {
    Bench bench;
    for (const char* target : {"/healthz%00x", "/healthz?a=%00", "/x%zz", "/x%4", "/x?%"}) {
      CAPTURE(target);
      Caller caller(bench.path());
      caller.say(get(target));
      bench.run_until([&] { return caller.heard("\"status\":400"); });
      CHECK(caller.heard("application/problem+json"));
    }
    CHECK(bench.requests.empty());
  }

  TEST_CASE("a head that promises too large a body is refused before the body comes") {
    Bench bench;
    for (const char* length : {"1048577", "9223372036854775807"}) {
      CAPTURE(length);
      Caller caller(bench.path());
      caller.say("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::string(length) +
                 "\r\n\r\n");
      bench.run_until([&] { return caller.heard("HTTP/1.1 413"); });
      CHECK(caller.heard("application/problem+json"));
    }
    CHECK(bench.requests.empty());
  }
}
