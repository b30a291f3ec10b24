// SPDX-License-Identifier: MIT
#include "tests/cli/run_beckon.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/result.h"

extern char** environ;

namespace beckon::tests {

namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  ENSURE(pipe2(ends.data(), O_CLOEXEC) == 0);
  return ends;
}

/// Reads both pipes until both are closed, so that neither can fill up and block the program.
void collect(int out, int err, Ran& ran) {
  std::array<pollfd, 2> waiting{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> into{&ran.out, &ran.err};
  for (int open = 2; open > 0;) {
    ENSURE(poll(waiting.data(), waiting.size(), -1) > 0);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      ssize_t got = read(waiting[i].fd, buffer.data(), buffer.size());
      if (got > 0) {
        into[i]->append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        close(waiting[i].fd);
        waiting[i].fd = -1;
        --open;
      }
    }
  }
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Ran run_program(const std::string& path, const std::vector<std::string>& words,
                const std::vector<std::string>& environment) {
  std::vector<std::string> arguments{path};
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::vector<std::string> variables = environment;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  auto out = make_pipe();
  auto err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  pid_t child = 0;
  int failed = posix_spawn(&child, path.c_str(), &actions, nullptr, pointers(arguments).data(),
                           pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  ENSURE(failed == 0);
  Ran ran;
  collect(out[0], err[0], ran);
  int status = 0;
  ENSURE(waitpid(child, &status, 0) == child);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

Ran run_beckon(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
  return run_program(BECKON_PROGRAM, words, environment);
}

namespace {

std::string fresh_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "beckon-test-XXXXXX").string();
  ENSURE(mkdtemp(pattern.data()) != nullptr);
  return pattern;
}

}  // namespace

void check_refused(const std::vector<Refused>& cases) {
  for (const Refused& refused : cases) {
    CAPTURE(refused.says);
    Ran ran = run_beckon(refused.words);
    CHECK(ran.exit == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find(refused.says) != std::string::npos);
  }
}

TemporaryFile::TemporaryFile(const std::string& contents) : path_(fresh_folder() + "/file") {
  std::ofstream(path_, std::ios::binary) << contents;
}

TemporaryFile::~TemporaryFile() {
  std::filesystem::remove_all(std::filesystem::path(path_).parent_path());
}

}  // namespace beckon::tests
