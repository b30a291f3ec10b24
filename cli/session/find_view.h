// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/session/last_find.h"

namespace beckon::cli {

/// "1 person", "1,200 people".
std::string counted(std::uint64_t number, const char* one, const char* many);

/// How an answer of GET /v1/find looks on a terminal. All return text that ends with a line break.

/// The names in what --fields was given.
std::vector<std::string> split_fields(std::string_view fields);

/// The attributes to show: those asked for, or whom --fields names; never the name.
std::vector<std::string> find_columns(const Json& answer, const std::string& fields);

/// People from number `first` on, as rows @first, @first+1, ...
std::string people_table(const Json& people, const std::vector<std::string>& columns,
                         std::size_t first);

/// Tables of people that come one after the other and must look like one: the headings stand above
/// the first only, and columns stay where they are unless a value needs more room.
class PeopleRows {
 public:
  explicit PeopleRows(std::vector<std::string> columns);
  std::string add(const Json& people);  // at least one
  std::size_t count() const { return count_; }

 private:
  std::vector<std::string> columns_;
  std::vector<bool> numeric_{};  // as the first people have it
  std::vector<std::size_t> widths_;
  std::size_t count_ = 0;
};

/// "2 people. Asked 2 nodes, all answered, 8 ms." and what else must be known to judge the answer.
std::string find_summary(const Json& answer, bool unverified_shown);

/// Query, plan, what was read where, and what it cost.
std::string explain_view(const Json& answer);

FoundRow found_row(const Json& person);

}  // namespace beckon::cli
