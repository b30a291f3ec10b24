// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/args/suggest.h"
#include "cli/commands/people.h"
#include "cli/session/find_view.h"
#include "cli/session/session.h"
#include "profile/schema/schema.h"

namespace beckon::cli {

namespace {

constexpr auto watch_every = std::chrono::seconds(3);
constexpr std::uint32_t watch_page = 1000;
constexpr Duration max_timeout = std::chrono::minutes(1);  // the API's too

struct Options {
  std::vector<std::string> words{};
  std::uint32_t limit = 50;
  std::string timeout = "5s";
  std::string fields{};
  bool watch = false;
  bool explain = false;
  bool unverified = false;
};

/// One word of the command line. The shell has eaten the quotation marks of name="Alice Lin"; a
/// word that is one term with blanks in its value gets them back.
std::string requoted(const std::string& word) {
  auto equals = word.find('=');
  bool blanks = word.find(' ') != std::string::npos;
  bool one_term = equals != std::string::npos && word.find('=', equals + 1) == std::string::npos;
  if (!blanks || !one_term || word.front() == '(' || word.find('"') != std::string::npos ||
      word.find_first_of(" |&") < equals || word.find_first_of("|&,") != std::string::npos)
    return word;
  return word.substr(0, equals + 1) + "\"" + word.substr(equals + 1) + "\"";
}

std::string query_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + requoted(word);
  return out;
}

Result<Call> call_of(const Options& options) {
  auto timeout = parse_duration(options.timeout);
  if (!timeout) return invalid("--timeout: " + timeout.error().text);
  if (*timeout <= Duration::zero() || *timeout > max_timeout)
    return invalid("--timeout must be more than 0 and at most 1m, got " + options.timeout);
  Call call{.path = "/v1/find",
            .query = {{"_q", query_of(options.words)},
                      {"_limit", std::to_string(options.limit)},
                      {"_timeout", options.timeout}},
            .timeout = *timeout + std::chrono::seconds(15)};
  if (options.explain) call.query.emplace_back("_explain", "1");
  if (options.unverified) call.query.emplace_back("_unverified", "1");
  return call;
}

/// Remembers the rows for @N; that this fails is no reason to withhold the answer.
void remember(const Globals& globals, const LastFind& found) {
  auto paths = find_instance(globals);
  if (!paths) return;
  auto saved = save_last_find(*paths, found);
  if (!saved && !globals.quiet) fmt::print(stderr, "beckon: {}\n", printable(saved.error().text));
}

int exit_of(const Json& answer) {
  if (!answer.value("complete", true)) return exit_code::incomplete;
  return answer["people"].empty() ? exit_code::nothing : exit_code::ok;
}

void print(const Globals& globals, const Options& options, const Json& answer) {
  const Json& people = answer["people"];
  if (!people.empty())
    fmt::print("{}", people_table(people, find_columns(answer, options.fields), 1));
  if (options.explain) fmt::print("{}{}", people.empty() ? "" : "\n", explain_view(answer));
  std::fflush(stdout);
  if (globals.quiet) return;
  fmt::print(stderr, "{}", find_summary(answer, options.unverified));
  if (!people.empty()) fmt::print(stderr, "Next: beckon send @1 \"hello\"\n");
}

int find_once(const Globals& globals, const Options& options, const Call& call) {
  Session session(globals);
  auto answer = session.call_json(call);
  if (!answer) return session.exit();
  LastFind found{.query = answer->value("query", "")};
  for (const Json& person : (*answer)["people"]) found.rows.push_back(found_row(person));
  remember(globals, found);
  if (globals.json) {
    fmt::print("{}\n", answer->dump());
  } else {
    print(globals, options, *answer);
  }
  return exit_of(*answer);
}

/// Everybody who matches now, page after page: a limit would let each round show others. Told
/// failures as Session does.
std::optional<Json> everybody(Session& session, const Options& options) {
  auto call = call_of(options);
  auto answer = session.call_json(*call);
  while (answer && answer->value("limited", false)) {
    Json people = std::move((*answer)["people"]);
    call->query = {{"_cookie", answer->value("cookie", "")},
                   {"_limit", std::to_string(options.limit)},
                   {"_timeout", options.timeout}};
    answer = session.call_json(*call);
    if (!answer) break;
    for (Json& person : (*answer)["people"]) people.push_back(std::move(person));
    (*answer)["people"] = std::move(people);
  }
  return answer;
}

/// Asks again and again until interrupted. Tells of those who are there, as far as the limit goes,
/// and then of everybody who comes, once.
class Watch {
 public:
  Watch(const Globals& globals, const Options& options) : globals_(globals), options_(options) {}

  int run() {
    Session session(globals_);
    Options all = options_;
    all.limit = watch_page;
    while (true) {
      auto began = std::chrono::steady_clock::now();
      auto answer = everybody(session, all);
      if (!answer) return session.exit();
      take(*answer);
      // A question that takes long is asked more seldom.
      auto took = std::chrono::steady_clock::now() - began;
      std::this_thread::sleep_for(std::max<std::chrono::nanoseconds>(watch_every, 4 * took));
    }
  }

 private:
  void take(const Json& answer) {
    bool is_first = !rows_.has_value();
    if (is_first) rows_.emplace(find_columns(answer, options_.fields));
    Json fresh = Json::array();
    std::size_t left_out = 0;
    for (const Json& person : answer["people"]) {
      if (!known_.insert(person.value("id", "")).second) continue;
      if (is_first && fresh.size() >= options_.limit) {
        ++left_out;
      } else {
        fresh.push_back(person);
      }
    }
    found_.query = answer.value("query", "");
    if (!fresh.empty()) tell(fresh);
    if (!is_first || globals_.quiet) return;
    if (left_out > 0)
      fmt::print(stderr, "{} are there already; say --limit N to see them.\n",
                 counted(left_out, "more person", "more people"));
    fmt::print(stderr, "Waiting for more people; stop with Ctrl-C.\n");
  }

  void tell(const Json& fresh) {
    for (const Json& person : fresh) found_.rows.push_back(found_row(person));
    remember(globals_, found_);
    if (globals_.json) {
      for (const Json& person : fresh) fmt::print("{}\n", person.dump());
    } else {
      fmt::print("{}", rows_->add(fresh));
    }
    std::fflush(stdout);
  }

  const Globals& globals_;
  const Options& options_;
  std::set<std::string> known_{};
  std::optional<PeopleRows> rows_{};
  LastFind found_{};
};

/// Columns that no profile can have are a slip of the finger, not empty columns.
int check_fields(const Globals& globals, const std::string& fields) {
  Session session(globals);
  auto known = session.call_json({.path = "/v1/attributes"});
  if (!known) return session.exit();
  std::vector<std::string> names;
  for (const Json& attribute : (*known)["attributes"]) names.push_back(attribute.value("name", ""));
  for (const std::string& field : split_fields(fields)) {
    bool is_known = std::find(names.begin(), names.end(), field) != names.end();
    if (is_known || profile::is_user_attribute(field)) continue;
    auto near = suggest(field, names);
    return fail(globals, exit_code::usage,
                fmt::format("--fields: no attribute \"{}\"", printable(field, 40)),
                near.empty() ? "See: beckon profile attrs" : "Close: " + near.front());
  }
  return exit_code::ok;
}

int find(const Globals& globals, const Options& options) {
  auto call = call_of(options);
  if (!call) return fail(globals, call.error());
  int fields = options.fields.empty() ? exit_code::ok : check_fields(globals, options.fields);
  if (fields != exit_code::ok) return fields;
  return options.watch ? Watch(globals, options).run() : find_once(globals, options, *call);
}

}  // namespace

void add_find(Command app, Globals& globals) {
  Command command = app.add_subcommand("find", "Find people by what you know of them");
  auto options = std::make_shared<Options>();  // kept by the action
  command
      .add_option("QUERY", options->words,
                  "Terms such as hobby=chess age=20..30 near=25.05,121.53,5km, or an LDAP filter")
      .required()
      .type_name("");
  command.add_option("--limit", options->limit, "At most so many people")
      .show_default()
      .within(1, 10000)
      .type_name("N");
  command.add_option("--timeout", options->timeout, "Answer with what is there after this time")
      .show_default()
      .type_name("TIME");
  command.add_option("--fields", options->fields, "Attributes to show: a,b,c").type_name("LIST");
  command.add_flag("--watch", options->watch, "Go on asking; tell of everybody who comes");
  command.add_flag("--explain", options->explain, "Show the plan, who was asked and what it cost");
  command.add_flag("--unverified", options->unverified,
                   "Also people whose own node does not answer now");
  command.action(globals, [&globals, options] { return find(globals, *options); });
}

}  // namespace beckon::cli
