// SPDX-License-Identifier: MIT
#include "cli/commands/filter/line_counter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/rng.h"
#include "cli/commands/filter/line_source.h"
#include "cli/render/progress.h"

using namespace beckon;
using namespace beckon::cli;

TEST_SUITE_BEGIN("cli/line_counter");

namespace {

/// A file that goes away again.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    char name[] = "/tmp/beckon-lines-XXXXXX";
    int descriptor = mkstemp(name);
    path_ = name;
    std::FILE* file = fdopen(descriptor, "wb");
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<std::string> lines_of(const std::string& content) {
  TemporaryFile file(content);
  auto source = LineSource::open(file.path());
  REQUIRE(source.has_value());
  std::vector<std::string> out;
  for (;;) {
    auto line = source->next();
    REQUIRE(line.has_value());
    if (line->end) return out;
    out.emplace_back(line->text);
  }
}

}  // namespace

TEST_CASE("lines come out as they are, across blocks, empty ones and the last one too") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("\n") == std::vector<std::string>{""});
  CHECK(lines_of("a\n\nb") == std::vector<std::string>{"a", "", "b"});
  std::string big(600000, 'x');
  CHECK(lines_of("1\n" + big + "\n2\n") == std::vector<std::string>{"1", big, "2"});
  std::string many;
  std::vector<std::string> expected;
  for (int i = 0; i < 100000; ++i) {
    expected.push_back("line " + std::to_string(i));
    many += expected.back() + "\n";
  }
  CHECK(lines_of(many) == expected);
}

TEST_CASE("a line beyond the limit, a missing file and a directory are told in one sentence") {
  TemporaryFile file("short\n" + std::string(LineSource::max_line + 1, 'x') + "\n");
  auto source = LineSource::open(file.path());
  REQUIRE(source.has_value());
  REQUIRE(source->next().has_value());
  auto second = source->next();
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().text.find("line 2") != std::string::npos);
  CHECK(LineSource::open("/no/such/file").error().text.find("FILE: cannot open") == 0);
  CHECK(LineSource::open("/").error().code == ErrorCode::invalid);
}

TEST_CASE("every method finds the most frequent lines of a stream as exact counting does") {
  for (std::string method : {"ms", "mi", "rm", "trm"}) {
    CAPTURE(method);
    Rng rng(5);
    std::map<std::string, std::uint64_t> twin;
    auto counter =
        LineCounter::make({.method = method, .bits = 1 << 20, .limit = 10, .exact = true});
    REQUIRE(counter.has_value());
    for (int i = 0; i < 30000; ++i) {
      std::string line = "item " + std::to_string(rng.below(1 + rng.below(1 + rng.below(3000))));
      REQUIRE(counter->add(line).has_value());
      ++twin[line];
    }
    counter->finish();
    CHECK(counter->lines() == 30000);
    std::vector<std::uint64_t> most;
    for (const auto& [line, count] : twin) most.push_back(count);
    std::sort(most.rbegin(), most.rend());
    auto rows = counter->rows();
    REQUIRE(rows.size() == 10);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i].count == most[i]);
      CHECK(rows[i].exact == twin[rows[i].line]);
    }
    auto exactness = counter->exactness();
    REQUIRE(exactness.has_value());
    CHECK(exactness->distinct == twin.size());
    CHECK(static_cast<double>(exactness->wrong) < 0.01 * static_cast<double>(twin.size()));
    CHECK_FALSE(counter->overflowed());
  }
}

TEST_CASE("a threshold keeps every line that reaches it, and says so when the table is too small") {
  for (std::size_t limit : {1000UL, 10UL}) {
    auto counter = LineCounter::make({.bits = 1 << 20, .at_least = 5, .limit = limit});
    REQUIRE(counter.has_value());
    for (int round = 0; round < 6; ++round) {
      for (int i = 0; i < 100; ++i) {
        if (round < 3 || i % 2 == 0) REQUIRE(counter->add(std::to_string(i)).has_value());
      }
    }
    counter->finish();
    CHECK(counter->rows().size() == std::min<std::size_t>(limit, 50));
    CHECK(counter->overflowed() == (limit == 10));
  }
}

TEST_CASE("wrong settings are refused with the name of the flag") {
  auto text = [](const LineCounterOptions& options) {
    auto made = LineCounter::make(options);
    return made ? "" : made.error().text;
  };
  CHECK(text({.method = "xy"}).find("--method must be ms, mi, rm or trm") == 0);
  CHECK(text({.bits = 7}).find("--bits must be 128 to") == 0);
  CHECK(text({.bits = ~0ULL}).find("--bits") == 0);
  CHECK(text({.k = 0}).find("--k must be 1 to 32") == 0);
  CHECK(text({.limit = 0}).find("--top") == 0);
  auto counter = LineCounter::make({.bits = 1024, .exact = true, .exact_limit = 2});
  REQUIRE(counter.has_value());
  CHECK(counter->add("a").has_value());
  CHECK(counter->add("b").has_value());
  auto third = counter->add("c");
  REQUIRE_FALSE(third.has_value());
  CHECK(third.error().text.find("--exact") == 0);
}

TEST_CASE("crowding tells the share of counts that are too high, before anybody counts exactly") {
  for (const char* method : {"ms", "mi", "rm", "trm"}) {
    for (std::uint32_t distinct : {20U, 400U}) {
      CAPTURE(method);
      CAPTURE(distinct);
      auto counter =
          LineCounter::make({.method = method, .bits = 13 * 1024, .k = 4, .exact = true});
      REQUIRE(counter.has_value());
      for (std::uint32_t i = 0; i < distinct; ++i) {
        REQUIRE(counter->add("line " + std::to_string(i)).has_value());
      }
      counter->finish();
      if (distinct == 20) CHECK(counter->crowding() < 0.001);
      if (distinct == 400) CHECK(counter->crowding() > 0.1);
    }
  }
}

TEST_CASE("numbers are grouped by three digits") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1 000");
  CHECK(grouped(12345678) == "12 345 678");
}

TEST_SUITE_END();
