// SPDX-License-Identifier: MIT
#include "cli/session/edit_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "cli/render/numbers.h"

namespace beckon::cli {

namespace {

/// The variable may hold flags, so a shell reads it; the file is an argument, never part of it.
bool run_editor(const std::string& editor, const std::string& file) {
  pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    std::string command = editor + " \"$1\"";
    ::execl("/bin/sh", "sh", "-c", command.c_str(), "beckon", file.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<std::string> edit_text(const std::string& file, const std::string& text) {
  ::unlink(file.c_str());
  int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return Error{ErrorCode::internal,
                 fmt::format("cannot write {}: {}", file, std::strerror(errno))};
  }
  ::close(fd);
  if (auto written = write_file(file, text); !written) return written.error();
  const char* editor = std::getenv("VISUAL");
  if (editor == nullptr || *editor == '\0') editor = std::getenv("EDITOR");
  if (editor == nullptr || *editor == '\0') editor = "vi";
  if (!run_editor(editor, file)) {
    return Error{ErrorCode::internal,
                 fmt::format("the editor '{}' did not end well; $EDITOR names another", editor)};
  }
  std::ifstream in(file, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

}  // namespace beckon::cli
