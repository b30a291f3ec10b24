#include "tests/cli/run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/result.h"

namespace beckon::cli::testing {

namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string fresh_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "beckon-test-XXXXXX").string();
  ENSURE(mkdtemp(pattern.data()) != nullptr);
  return pattern;
}

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace

Ran run_beckon(const std::vector<std::string>& arguments) {
  std::string folder = fresh_folder();
  std::string command = quoted(BECKON_BINARY);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(folder + "/out") + " 2>" + quoted(folder + "/err") + " </dev/null";
  int status = std::system(command.c_str());
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_all(folder + "/out"),
          read_all(folder + "/err")};
  std::filesystem::remove_all(folder);
  return ran;
}

TemporaryFile::TemporaryFile(const std::string& contents) : path_(fresh_folder() + "/file") {
  std::ofstream(path_, std::ios::binary) << contents;
}

TemporaryFile::~TemporaryFile() {
  std::filesystem::remove_all(std::filesystem::path(path_).parent_path());
}

}  // namespace beckon::cli::testing
