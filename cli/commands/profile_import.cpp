// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/people.h"
#include "cli/render/disclosure.h"
#include "cli/render/progress.h"
#include "cli/session/session.h"
#include "profile/person/profile_json.h"
#include "profile/person/vcard.h"

namespace beckon::cli {

namespace {

constexpr std::size_t max_file = 512 * 1024 * 1024;
constexpr std::size_t max_batch = 60 * 1024;  // the API takes 64 KiB
constexpr std::size_t max_failures_shown = 10;

struct Outcome {
  std::uint64_t imported = 0;
  std::uint64_t published = 0;
  Json failed = Json::array();
};

Result<std::string> read_whole_file(const std::string& name) {
  std::ifstream file;
  if (name != "-") {
    std::error_code unknown;
    if (std::filesystem::is_directory(name, unknown))
      return invalid(fmt::format("{} is a folder; name a file in it", printable(name, 200)));
    file.open(name, std::ios::binary);
    if (!file) {
      return invalid(fmt::format("cannot read {}: {}", printable(name, 200), std::strerror(errno)));
    }
  }
  std::istream& in = name == "-" ? std::cin : file;
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (const std::ios_base::failure&) {
    return invalid(fmt::format("cannot read {} to its end", printable(name, 200)));
  }
  if (text.size() > max_file) return invalid("the file is larger than 512 MiB");
  return text;
}

bool ends_with(const std::string& name, std::string_view end) { return name.ends_with(end); }

bool is_vcard(const std::string& name, std::string_view text) {
  return ends_with(name, ".vcf") || text.starts_with("BEGIN:VCARD");
}

/// One profile spread over lines, or one a line?
bool is_one_profile(const std::string& name, std::string_view text) {
  if (ends_with(name, ".json")) return true;
  if (ends_with(name, ".jsonl") || ends_with(name, ".ndjson")) return false;
  auto end = text.find_last_not_of(" \t\r\n");
  std::string_view body = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return body.size() <= profile::max_profile_json && parse_json(body).has_value() &&
         body.find('\n') != std::string_view::npos;
}

std::int64_t today() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())
      .time_since_epoch()
      .count();
}

/// Sends lines in batches, one after the other, and keeps count.
class LineImport {
 public:
  LineImport(const Globals& globals, bool publish)
      : globals_(globals), session_(globals), progress_(globals, "people"), publish_(publish) {}

  /// False when the daemon could not be asked; the failure is told already.
  bool run(std::string_view text) {
    whole_ = text.size();
    while (!text.empty()) {
      std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_;
      if (line.size() >= max_batch) {
        if (!flush()) return false;
        fail_line(line_, "the line is longer than a profile may be");
        first_ = line_ + 1;
        continue;
      }
      if (batch_.size() + line.size() + 1 > max_batch && !flush()) return false;
      if (batch_.empty()) first_ = line_;
      batch_ += std::string(line) + "\n";
    }
    bool done = flush();
    progress_.clear();
    return done;
  }

  const Outcome& outcome() const { return outcome_; }
  int exit() const { return session_.exit(); }

 private:
  void fail_line(std::uint64_t line, const std::string& why) {
    outcome_.failed.push_back({{"line", line}, {"error", why}});
  }

  bool flush() {
    if (batch_.empty()) return true;
    Call call{.method = "POST",
              .path = "/v1/profile/import",
              .query = {{"publish", publish_ ? "1" : "0"}},
              .body = batch_,
              .timeout = std::chrono::minutes(5)};
    auto reply = session_.call_json(call);
    if (!reply) return false;
    outcome_.imported += reply->value("imported", std::uint64_t{0});
    outcome_.published += reply->value("published", std::uint64_t{0});
    for (const Json& failure : (*reply)["failed"]) {
      fail_line(first_ + failure.value("line", std::uint64_t{1}) - 1, failure.value("error", ""));
    }
    sent_ += batch_.size();
    batch_.clear();
    progress_.done(outcome_.imported, sent_, whole_);
    return true;
  }

  const Globals& globals_;
  Session session_;
  Progress progress_;
  bool publish_;
  std::string batch_{};
  std::uint64_t line_ = 0;
  std::uint64_t first_ = 1;
  std::uint64_t sent_ = 0;
  std::uint64_t whole_ = 0;
  Outcome outcome_{};
};

int tell(const Globals& globals, const Outcome& outcome, bool publish) {
  int exit = outcome.failed.empty()  ? exit_code::ok
             : outcome.imported == 0 ? exit_code::usage
                                     : exit_code::incomplete;
  if (globals.json) {
    Json out{{"imported", outcome.imported},
             {"published", outcome.published},
             {"failed", outcome.failed}};
    fmt::print("{}\n", out.dump());
    return exit;
  }
  fmt::print("Imported {}{}.\n", grouped(outcome.imported),
             publish ? fmt::format(", published {}", grouped(outcome.published)) : "");
  std::fflush(stdout);
  std::size_t shown = 0;
  for (const Json& failure : outcome.failed) {
    if (++shown > max_failures_shown) break;
    fmt::print(stderr, "line {}: {}\n", failure.value("line", 0),
               printable(failure.value("error", ""), 300));
  }
  if (outcome.failed.size() > max_failures_shown) {
    fmt::print(stderr, "and {} lines more; --json tells all\n",
               outcome.failed.size() - max_failures_shown);
  }
  return exit;
}

/// Others may still find what this user published before.
const char* unpublished_hint(const Json& user) {
  if (!user.value("published", false))
    return "It is your profile now. Not published: nobody finds it. Next: beckon profile publish\n";
  return user.value("changed", true) ? "It is your profile now. Not published: others still find "
                                       "what was published before. "
                                       "Next: beckon profile publish\n"
                                     : "Nothing has changed: this is what others find already.\n";
}

/// Replaces the user's own profile.
int import_profile(const Globals& globals, const std::string& text, bool publish) {
  if (text.size() > profile::max_profile_json) {
    return fail(globals, exit_code::usage, "the profile is larger than 32 KiB",
                "Many people in one file: one profile a line, in a file that ends in .jsonl");
  }
  Session session(globals);
  Query as;
  if (!globals.as.empty()) as.emplace_back("_as", globals.as);
  auto put = session.call_json({.method = "PUT", .path = "/v1/profile", .query = as, .body = text});
  if (!put) return session.exit();
  Outcome outcome{.imported = 1};
  if (publish) {
    if (!globals.quiet) print_disclosure(stderr, *put);
    auto reply = session.call_json({.method = "POST",
                                    .path = "/v1/profile/publish",
                                    .query = as,
                                    .timeout = std::chrono::minutes(2)});
    if (!reply) return session.exit();
    bool all = reply->value("stored", 0) == reply->value("records", 0);
    outcome.published = all ? 1 : 0;
    if (!all) outcome.failed.push_back({{"line", 1}, {"error", "not all records are stored yet"}});
  }
  int exit = tell(globals, outcome, publish);
  if (!publish && !globals.quiet) fmt::print(stderr, "{}", unpublished_hint(*put));
  return exit;
}

int import_vcard(const Globals& globals, const std::string& text, bool publish) {
  const profile::Schema& schema = profile::Schema::built_in();
  auto card = profile::parse_vcard(schema, text, today());
  if (!card) return fail(globals, card.error());
  for (const std::string& what : card->left_out) {
    if (!globals.quiet) fmt::print(stderr, "left out: {}\n", printable(what, 120));
  }
  return import_profile(globals, profile::profile_json(schema, card->profile), publish);
}

}  // namespace

int import_people(const Globals& globals, const std::string& file, bool publish) {
  auto text = read_whole_file(file);
  if (!text) return fail(globals, text.error());
  if (is_vcard(file, *text)) return import_vcard(globals, *text, publish);
  if (is_one_profile(file, *text)) return import_profile(globals, *text, publish);
  LineImport import(globals, publish);
  if (!import.run(*text)) {
    if (import.outcome().imported > 0 && !globals.json) tell(globals, import.outcome(), publish);
    return import.exit();
  }
  int exit = tell(globals, import.outcome(), publish);
  if (!publish && import.outcome().imported > 0 && !globals.quiet)
    fmt::print(stderr, "Not published: nobody finds them. See: beckon profile list\n");
  return exit;
}

}  // namespace beckon::cli
