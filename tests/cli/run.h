#pragma once

#include <string>
#include <vector>

namespace beckon::cli::testing {

struct Ran {
  int exit = -1;
  std::string out;  // stdout
  std::string err;  // stderr, no terminal
};

/// Runs the built beckon with these arguments, as a user would, and waits for it.
Ran run_beckon(const std::vector<std::string>& arguments);

/// A file of its own in a fresh temporary folder, gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& contents);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace beckon::cli::testing
