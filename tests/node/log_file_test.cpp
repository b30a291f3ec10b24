// SPDX-License-Identifier: MIT
#include "node/log_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

using namespace beckon;
using namespace std::chrono_literals;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "beckon-log-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file() const { return (path_ / "beckond.log").string(); }

 private:
  std::filesystem::path path_;
};

std::string content(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The signal that a child process doing this ends by.
int signal_of(const std::function<void()>& deed) {
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // not doctest's
    deed();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_SUITE("node/log_file") {
  TEST_CASE("a process that ends by a bug leaves the reason in its log") {
    Folder folder;
    CHECK(signal_of([&] {
            auto log = LogFile::open(folder.file(), {});
            (*log)->take_stderr();
            (*log)->write({LogLevel::info, "before"});
            ENSURE(1 + 1 == 3);
          }) == SIGABRT);
    std::string text = content(folder.file());
    CHECK(text.find("info before\n") < text.find("bug at "));
    CHECK(text.find("expected 1 + 1 == 3\n") != std::string::npos);
  }

  TEST_CASE("a level lets its own lines and graver ones through, and can be changed") {
    Folder folder;
    auto log = *LogFile::open(folder.file(), {.level = LogLevel::warning});
    log->write({LogLevel::info, "first"});
    log->write({LogLevel::error, "second", {{"peer", "1f9a3c02"}}});
    log->set_level(LogLevel::debug);
    log->write({LogLevel::debug, "third"});
    log->set_level(LogLevel::error);
    log->write({LogLevel::warning, "fourth"});
    CHECK(log->level() == LogLevel::error);
    std::string text = content(folder.file());
    CHECK(text.find("first") == std::string::npos);
    CHECK(text.find(" error second peer=1f9a3c02\n") != std::string::npos);
    CHECK(text.find(" debug the log level was changed from=warning to=debug\n") !=
          std::string::npos);
    CHECK(text.find(" debug third\n") != std::string::npos);
    CHECK(text.find("fourth") == std::string::npos);
  }

  TEST_CASE("lines for the journal begin with their priority and have no time") {
    Folder folder;
    std::string journal = folder.file() + ".stderr";
    CHECK(signal_of([&] {
            REQUIRE(std::freopen(journal.c_str(), "w", stderr) != nullptr);
            auto log = *LogFile::open(
                folder.file(),
                {.level = LogLevel::debug, .to_terminal = true, .terminal_is_journal = true});
            log->write({LogLevel::error, "one"});
            log->write({LogLevel::warning, "two"});
            log->write({LogLevel::info, "three", {{"peer", "1f9a3c02"}}});
            log->write({LogLevel::debug, "four"});
            std::fflush(stderr);
          }) == 0);
    CHECK(content(journal) == "<3>one\n<4>two\n<6>three peer=1f9a3c02\n<7>four\n");
    CHECK(content(folder.file()).find(" info three peer=1f9a3c02\n") != std::string::npos);
  }

  TEST_CASE("a flood of one kind of line becomes a count, and other kinds are written") {
    Folder folder;
    static Time now;
    now = Time(1s);
    auto log = *LogFile::open(folder.file(), {.limits = {.lines = 3}, .now = [] { return now; }});
    for (int i = 0; i < 10; ++i)
      log->write({LogLevel::warning, "flood", {{"peer", std::to_string(i)}}});
    log->write({LogLevel::warning, "something else"});
    CHECK(content(folder.file()).find("not logged") == std::string::npos);
    now += 60s;
    log->tell_left_out();
    std::string text = content(folder.file());
    CHECK(text.find("warning flood peer=2\n") != std::string::npos);
    CHECK(text.find("peer=3") == std::string::npos);
    CHECK(text.find("something else") != std::string::npos);
    CHECK(text.find(" warning 7 more like this were not logged like=\"warning flood\"\n") !=
          std::string::npos);
    for (int i = 0; i < 4; ++i) log->write({LogLevel::warning, "flood", {{"peer", "again"}}});
    log.reset();  // tells what it has not told yet
    CHECK(content(folder.file()).find(" 1 more like this") != std::string::npos);
  }

  TEST_CASE("the reason is in the newest log, however often it was turned over") {
    Folder folder;
    CHECK(signal_of([&] {
            auto log = LogFile::open(folder.file(), {.file_bytes = 1000, .old_files = 1});
            (*log)->take_stderr();
            for (char c = ' '; c < 'z'; ++c) (*log)->write({LogLevel::info, std::string(80, c)});
            ENSURE(1 + 1 == 3);
          }) == SIGABRT);
    CHECK(content(folder.file()).find("expected 1 + 1 == 3\n") != std::string::npos);
  }
}
