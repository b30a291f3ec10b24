// SPDX-License-Identifier: MIT
#include "cli/session/launch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <thread>

namespace beckon::cli {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t longest_output = 64 * 1024;
constexpr std::string_view ready = "ready\n";  // what beckond --detached says last

bool is_program(const fs::path& path) {
  return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

std::vector<char*> to_argv(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<char*> out{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) out.push_back(const_cast<char*>(argument.c_str()));
  out.push_back(nullptr);
  return out;
}

/// The daemon holds its lock file until its very end.
bool lock_is_free(const fs::path& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  bool free = ::flock(fd, LOCK_SH | LOCK_NB) == 0;
  ::close(fd);
  return free;
}

struct Pipe {
  int from = -1;
  int to = -1;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) == 0) return Pipe{ends[0], ends[1]};
  return Error{ErrorCode::internal, fmt::format("cannot make a pipe: {}", std::strerror(errno))};
}

/// In the child: nothing of the terminal is kept but what is given as stdout and stderr.
[[noreturn]] void run_child(char* const* argv, int output, int complaints) {
  int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output < 0 ? null : output, STDOUT_FILENO);
  ::dup2(complaints, STDERR_FILENO);
  if (null > STDERR_FILENO) ::close(null);
  ::execv(argv[0], argv);
  std::string text = fmt::format("cannot run {}: {}\n", argv[0], std::strerror(errno));
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(127);
}

std::string read_all(int fd) {
  std::string out;
  std::array<char, 1024> buffer{};
  for (;;) {
    ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return out;
    if (out.size() < longest_output) out.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string without_name(std::string text) {
  constexpr std::string_view name = "beckond: ";
  if (text.starts_with(name)) text.erase(0, name.size());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Result<fs::path> find_program(const std::string& name) {
  std::error_code problem;
  fs::path here = fs::read_symlink("/proc/self/exe", problem).parent_path();
  for (const fs::path& path : {here / name, here.parent_path() / "node" / name}) {
    if (is_program(path)) return path;
  }
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  return Error{ErrorCode::not_found,
               fmt::format("cannot find {}, neither in {} nor in PATH. Install Beckon's programs "
                           "together",
                           name, here.string())};
}

Result<void> launch(const fs::path& beckond, const std::vector<std::string>& arguments) {
  auto pipe = make_pipe();
  if (!pipe) return pipe.error();
  auto argv = to_argv(beckond, arguments);
  pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    run_child(argv.data(), -1, pipe->to);
  }
  ::close(pipe->to);
  std::string words = read_all(pipe->from);
  ::close(pipe->from);
  if (child < 0) return Error{ErrorCode::internal, "cannot start a process"};
  if (words.ends_with(ready)) return {};
  int status = 0;
  ::waitpid(child, &status, 0);
  words = without_name(std::move(words));
  bool usage = WIFEXITED(status) && WEXITSTATUS(status) == 2;
  if (!words.empty()) return Error{usage ? ErrorCode::invalid : ErrorCode::internal, words};
  return Error{ErrorCode::internal, fmt::format("beckond ended at once (status {})", status)};
}

Result<std::string> run(const fs::path& program, const std::vector<std::string>& arguments) {
  auto output = make_pipe();
  auto complaints = make_pipe();
  if (!output || !complaints) return Error{ErrorCode::internal, "cannot make a pipe"};
  auto argv = to_argv(program, arguments);
  pid_t child = ::fork();
  if (child == 0) run_child(argv.data(), output->to, complaints->to);
  ::close(output->to);
  ::close(complaints->to);
  std::string text = read_all(output->from);  // both are short: less than a pipe holds
  std::string words = read_all(complaints->from);
  ::close(output->from);
  ::close(complaints->from);
  if (child < 0) return Error{ErrorCode::internal, "cannot start a process"};
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status == 0) return text;
  return Error{ErrorCode::internal, without_name(std::move(words))};
}

bool wait_for_end(const fs::path& lock_file) {
  auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!lock_is_free(lock_file)) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

Error become(const fs::path& program, const std::vector<std::string>& arguments) {
  auto argv = to_argv(program, arguments);
  ::execv(argv[0], argv.data());
  return {ErrorCode::internal,
          fmt::format("cannot run {}: {}", program.string(), std::strerror(errno))};
}

}  // namespace beckon::cli
