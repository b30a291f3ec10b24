// SPDX-License-Identifier: MIT
// The main function of every test program. A run in which no case passes the filters fails: ctest
// starts one case by its name, and an entry whose name matches nothing must not count as passed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

constexpr int nothing_ran = 3;  // doctest itself ends with 0 or 1

unsigned cases_run = 0;

struct CountCases final : doctest::IReporter {
  explicit CountCases(const doctest::ContextOptions&) {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    cases_run = stats.numTestCasesPassingFilters;
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

DOCTEST_REGISTER_LISTENER("count", 1, CountCases);

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  int result = context.run();
  if (context.shouldExit() || cases_run > 0) return result;  // should exit: after a query
  std::fputs("no test case ran: none matches the filter\n", stderr);
  return nothing_ran;
}
