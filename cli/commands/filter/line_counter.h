// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace beckon::cli {

struct LineCounterOptions {
  std::string method = "ms";  // ms, mi, rm, trm
  std::uint64_t bits = std::uint64_t{64} << 20;
  std::uint32_t k = 5;
  std::uint64_t at_least = 0;          // 0: the most frequent ones instead
  std::size_t limit = 20;              // lines in the answer, 1 .. 1 000 000
  bool exact = false;                  // count exactly beside it
  std::size_t exact_limit = 20000000;  // distinct lines that may cost
};

/// How often lines of a stream occur, in a spectral filter of fixed size and a table of at most
/// twice `limit` lines for the answer: those whose estimate reached the threshold, or the most
/// frequent.
class LineCounter {
 public:
  /// Fails if method, bits or k are not what a filter can have; the text names the flag.
  static Result<LineCounter> make(const LineCounterOptions& options);
  LineCounter(LineCounter&&) noexcept;
  LineCounter& operator=(LineCounter&&) noexcept;
  ~LineCounter();

  Result<void> add(std::string_view line);  // fails only when --exact outgrows its limit
  void finish();                            // after the last line

  struct Row {
    std::string line{};
    std::uint64_t count = 0;
    std::uint64_t exact = 0;  // with options.exact
  };
  std::vector<Row> rows() const;  // most frequent first, then by line

  struct Exactness {
    std::uint64_t distinct = 0;
    std::uint64_t wrong = 0;
    std::uint64_t below = 0;
    double rms_error = 0;
    double predicted_wrong = 0;  // share, by the model of minimum selection
  };
  std::optional<Exactness> exactness() const;

  /// The share of lines never seen that would be counted all the same, from how many counters are
  /// in use: about the share of counts that are too high.
  double crowding() const;

  /// The filter as bytes that `filter ask` reads; only of minimum selection, whose counters say
  /// all.
  Result<Bytes> encoded() const;

  std::uint64_t lines() const { return lines_; }
  std::uint64_t counters() const { return counters_; }  // of all filters of the method
  bool overflowed() const { return overflowed_; }       // more lines passed than were kept

  class Method;

 private:
  LineCounter(const LineCounterOptions& options, std::unique_ptr<Method> method,
              std::uint64_t counters);
  void flush();
  void consider(std::string_view line, std::uint64_t count);
  void prune();

  LineCounterOptions options_;
  std::unique_ptr<Method> method_;
  std::uint64_t counters_;
  std::uint64_t lines_ = 0;
  std::uint64_t least_kept_ = 0;
  bool overflowed_ = false;
  std::vector<std::string> pending_;
  std::size_t pending_count_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> kept_;
  std::unordered_map<std::string, std::uint64_t> exact_;  // never iterated into the output
};

}  // namespace beckon::cli
