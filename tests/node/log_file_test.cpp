#include "node/log_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

using namespace beckon;

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

  TEST_CASE("the reason is in the newest log, however often it was turned over") {
    Folder folder;
    CHECK(signal_of([&] {
            auto log = LogFile::open(folder.file(), {.file_bytes = 1000, .old_files = 1});
            (*log)->take_stderr();
            for (int i = 0; i < 100; ++i) (*log)->write({LogLevel::info, std::string(80, 'x')});
            ENSURE(1 + 1 == 3);
          }) == SIGABRT);
    CHECK(content(folder.file()).find("expected 1 + 1 == 3\n") != std::string::npos);
  }
}
