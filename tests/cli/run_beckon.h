// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace beckon::tests {

/// What a finished program left behind.
struct Ran {
  int exit = -1;  // 128 + signal if it was killed
  std::string out{};
  std::string err{};
};

/// Runs the built `beckon` with these words (no shell between) and waits for it. Extra variables
/// are written NAME=VALUE. stdin is empty.
Ran run_beckon(const std::vector<std::string>& words,
               const std::vector<std::string>& environment = {});

/// The same for any program.
Ran run_program(const std::string& path, const std::vector<std::string>& words,
                const std::vector<std::string>& environment = {});

/// Words that `beckon` must refuse, and a part of the sentence that it says.
struct Refused {
  std::vector<std::string> words{};
  std::string says{};
};
void check_refused(const std::vector<Refused>& cases);

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

}  // namespace beckon::tests
