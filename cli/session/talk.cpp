// SPDX-License-Identifier: MIT
#include "cli/session/talk.h"

#include <fmt/core.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "base/json.h"
#include "base/text.h"
#include "cli/session/session.h"
#include "cli/session/target.h"

namespace beckon::cli {

namespace {

constexpr int look_every_ms = 100;  // how soon the helper threads notice the end
constexpr std::size_t max_line = 4096;

sigset_t interrupts() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGINT);
  sigaddset(&out, SIGTERM);
  return out;
}

std::string name_in(const Json& event) {
  if (!event.contains("who")) return "Somebody";
  std::string name = printable(event["who"].value("name", std::string()), 80);
  return name.empty() ? printable(event["who"].value("id", std::string()).substr(0, 8)) : name;
}

/// How somebody left, or why they never came.
std::string sentence(const std::string& name, const std::string& why) {
  if (why == "busy") return fmt::format("{} is in another call.", name);
  if (why == "declined") return fmt::format("{} declined.", name);
  if (why == "refused") return fmt::format("{} takes no calls from you.", name);
  if (why == "no answer") return fmt::format("{} does not answer.", name);
  if (why == "unreachable") return fmt::format("{} cannot be reached now.", name);
  if (why == "dropped") return fmt::format("The link to {} is lost.", name);
  return fmt::format("{} hung up.", name);
}

}  // namespace

Talk::Talk(const Globals& globals, const Json& call)
    : globals_(globals),
      id_(call.value("id", "")),
      user_(call.value("user", "")),
      since_(call.value("event", "0")),
      active_(call.value("state", "") == "active") {}

Talk::~Talk() {
  over_ = true;
  if (reader_.joinable()) reader_.join();
  if (signals_.joinable()) signals_.join();
}

int Talk::run() {
  sigset_t wanted = interrupts();  // blocked here, so that only the thread below takes them
  pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
  signals_ = std::thread([this] { wait_for_signal(); });
  if (active_) begin_reading();
  while (!over_) {
    Session session(globals_);
    bool gap = false;
    Call events{.path = "/v1/events",
                .query = {{"_since", since_}},
                .timeout = std::chrono::hours(24 * 365)};
    bool went = session.stream(events, [&](const ServerEvent& event) {
      if (!event.id.empty()) since_ = event.id;
      gap = event.name == "gap";
      bool goes_on = gap ? look_again() : heard(event);
      if (!goes_on) over_ = true;
      return goes_on;
    });
    if (over_) break;
    over_ = true;
    if (!went) return session.exit();
    return fail(globals_, exit_code::no_daemon, "beckond has gone, and the call with it");
  }
  return end();
}

bool Talk::heard(const ServerEvent& event) {
  if (event.name != "call") return true;
  auto json = json_or_null(event.data);
  if (!json.is_object() || json.value("call", "") != id_ || json.value("user", "") != user_)
    return true;
  if (globals_.json) {
    fmt::print("{}\n", json.dump());
    std::fflush(stdout);
  } else {
    tell(json);
  }
  std::string what = json.value("what", "");
  if (what == "joined") begin_reading();
  if (what == "ended") why_ = json.value("text", "");
  return what != "ended";
}

void Talk::tell(const Json& event) {
  std::string what = event.value("what", "");
  std::string text = event.value("text", "");
  if (what == "line") fmt::print("{}: {}\n", name_in(event), printable(text, 4 * max_line));
  if (what == "joined") fmt::print(stderr, "{} is here.\n", name_in(event));
  if (what == "gone") fmt::print(stderr, "{}\n", sentence(name_in(event), text));
  std::fflush(stdout);
}

bool Talk::look_again() {
  Session session(globals_);
  auto reply = session.call_json({.path = "/v1/calls", .query = acting_as(globals_)});
  if (!reply) return false;
  for (const Json& call : (*reply)["calls"]) {
    if (call.value("id", "") != id_) continue;
    why_ = call.value("why", "");
    if (call.value("state", "") == "active") begin_reading();
    return call.value("state", "") != "ended";
  }
  return false;
}

void Talk::begin_reading() {
  active_ = true;
  if (!reader_.joinable()) reader_ = std::thread([this] { read_lines(); });
}

void Talk::read_lines() {
  std::string rest;
  std::array<char, 4096> buffer{};
  while (!over_) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, look_every_ms) <= 0) continue;
    ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size > 0) rest.append(buffer.data(), static_cast<std::size_t>(size));
    bool last = size <= 0;
    for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
      if (end > 0 && !patch("say", rest.substr(0, end))) return;
    if (rest.size() > max_line || (last && !rest.empty())) {
      if (!patch("say", std::exchange(rest, {}))) return;
    }
    if (last) {
      patch("hangup");
      return;
    }
  }
}

void Talk::wait_for_signal() {
  sigset_t wanted = interrupts();
  timespec pause{.tv_sec = 0, .tv_nsec = look_every_ms * 1'000'000};
  while (!over_) {
    if (sigtimedwait(&wanted, nullptr, &pause) < 0) continue;
    if (interrupted_.exchange(true)) _exit(exit_code::interrupted);  // asked twice: at once
    if (!patch("hangup")) _exit(exit_code::interrupted);
  }
}

bool Talk::patch(const std::string& action, const std::string& text) {
  if (over_) return false;
  Session session(globals_);
  Json body{{"action", action}, {"text", text}};
  auto done = session.call({.method = "PATCH",
                            .path = "/v1/calls/" + id_,
                            .query = acting_as(globals_),
                            .body = body.dump()});
  return done.has_value();
}

int Talk::end() const {
  if (interrupted_ && !active_) return exit_code::interrupted;
  if (why_ == "busy") return exit_code::busy;
  if (why_ == "no answer") return exit_code::no_answer;
  if (why_ == "dropped") return exit_code::dropped;
  if (why_ == "unreachable") return exit_code::unreachable;
  if (why_ == "declined" || why_ == "refused") return exit_code::refused;
  return why_ == "hung up" ? exit_code::ok : exit_code::nothing;
}

}  // namespace beckon::cli
