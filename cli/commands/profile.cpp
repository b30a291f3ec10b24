// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands/people.h"
#include "cli/render/disclosure.h"
#include "cli/render/numbers.h"
#include "cli/render/progress.h"
#include "cli/render/render.h"
#include "cli/render/value_text.h"
#include "cli/session/edit_file.h"
#include "cli/session/session.h"

namespace beckon::cli {

namespace {

Call as(const Globals& globals, Call call) {
  if (!globals.as.empty()) call.query.emplace_back("_as", globals.as);
  return call;
}

std::string one_line(const Json& json) { return json.dump() + "\n"; }

void tell_state(const Globals& globals, const Json& reply) {
  if (globals.quiet) return;
  bool published = reply.value("published", false);
  const char* text =
      !published ? "Not published: nobody finds it. Next: beckon profile publish"
      : reply.value("changed", false)
          ? "Others still find what was published before. Next: beckon profile publish"
          : "Published as it stands here.";
  fmt::print(stderr, "{}\n", text);
}

int show(const Globals& globals) {
  Session session(globals);
  auto reply = session.call_json(as(globals, {.path = "/v1/profile"}));
  if (!reply) return session.exit();
  if (globals.json) {
    fmt::print("{}", one_line(*reply));
    return exit_code::ok;
  }
  if (reply->value("profile", Json::object()).empty()) {
    if (!globals.quiet) {
      fmt::print(
          stderr,
          "The profile is empty. Fill it: beckon profile set name=\"Alice Lin\" hobby=chess\n");
    }
    return exit_code::ok;
  }
  print_disclosure(stdout, *reply);
  std::fflush(stdout);
  tell_state(globals, *reply);
  return exit_code::ok;
}

int change(const Globals& globals, const std::string& method, const std::string& body) {
  Session session(globals);
  auto reply =
      session.call_json(as(globals, {.method = method, .path = "/v1/profile", .body = body}));
  if (!reply) return session.exit();
  if (globals.json) {
    fmt::print("{}", one_line(*reply));
  } else {
    if (!globals.quiet) fmt::print(stderr, "Saved on this node. ");
    tell_state(globals, *reply);
  }
  return exit_code::ok;
}

/// Words in another encoding are refused here, not sent with replacements.
int send_patch(const Globals& globals, const Json& patch) {
  if (!patch.is_utf8()) return fail(globals, exit_code::usage, "the values are not UTF-8");
  return change(globals, "PATCH", patch.dump());
}

Json& place_for(Json& patch, const std::string& name) {
  constexpr std::string_view prefix = "visibility.";
  if (!name.starts_with(prefix)) return patch[name];
  return patch["visibility"][name.substr(prefix.size())];
}

int set(const Globals& globals, const std::vector<std::string>& words) {
  Json patch = Json::object();
  for (const std::string& word : words) {
    auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(globals, exit_code::usage,
                  fmt::format("'{}' sets nothing; write ATTRIBUTE=VALUE", printable(word, 60)));
    }
    std::string name = word.substr(0, equals);
    auto items = split_items(std::string_view(word).substr(equals + 1));
    if (!items)
      return fail(globals, exit_code::usage, printable(name, 60) + ": " + items.error().text);
    if (items->size() == 1 && items->front().empty()) {
      return fail(globals, exit_code::usage, printable(name, 60) + ": no value given",
                  fmt::format("To take it away: beckon profile unset {}", printable(name, 60)));
    }
    Json& place = place_for(patch, name);
    for (std::string& item : *items) {
      if (place.is_null() && items->size() == 1) {
        place = item;
        continue;
      }
      if (!place.is_array()) place = place.is_null() ? Json::array() : Json::array({place});
      place.push_back(item);
    }
  }
  return send_patch(globals, patch);
}

int unset(const Globals& globals, const std::vector<std::string>& names) {
  Json patch = Json::object();
  for (const std::string& name : names) place_for(patch, name) = nullptr;
  return send_patch(globals, patch);
}

int edit(const Globals& globals) {
  Session session(globals);
  auto reply = session.call_json(as(globals, {.path = "/v1/profile"}));
  if (!reply) return session.exit();
  auto paths = find_instance(globals);
  if (!paths) return exit_code::usage;
  std::string before = (*reply)["profile"].dump(2) + "\n";
  std::string file = (paths->state_dir / "profile-edit.json").string();
  auto text = edit_text(file, before);
  if (!text) return fail(globals, exit_code::nothing, text.error().text);
  if (*text == before) {
    if (!globals.quiet) fmt::print(stderr, "Nothing changed.\n");
    return exit_code::ok;
  }
  int exit = change(globals, "PUT", *text);
  if (exit != exit_code::ok) {
    fmt::print(stderr, "Nothing was changed. Your text is kept in {}\n", file);
  } else {
    std::remove(file.c_str());
  }
  return exit;
}

int publish(const Globals& globals) {
  Session session(globals);
  auto profile = session.call_json(as(globals, {.path = "/v1/profile"}));
  if (!profile) return session.exit();
  if (!globals.quiet) print_disclosure(stderr, *profile);
  auto reply = session.call_json(
      as(globals,
         {.method = "POST", .path = "/v1/profile/publish", .timeout = std::chrono::minutes(2)}));
  if (!reply) return session.exit();
  auto records = reply->value("records", 0);
  auto stored = reply->value("stored", 0);
  if (globals.json) {
    fmt::print("{}", one_line(*reply));
  } else {
    fmt::print("Published: {} {}, {} stored with {} copies.\n", records,
               records == 1 ? "record" : "records",
               stored == records ? "all" : std::to_string(stored), records == 1 ? "its" : "their");
  }
  if (stored < records && !globals.quiet) {
    std::string why = reply->value("why", "");
    fmt::print(stderr, "The rest is tried again by itself{}{}.\n", why.empty() ? "" : ": ",
               printable(why, 80));
  }
  return stored == records ? exit_code::ok : exit_code::incomplete;
}

int withdraw(const Globals& globals) {
  Session session(globals);
  auto reply = session.call_json(
      as(globals,
         {.method = "POST", .path = "/v1/profile/withdraw", .timeout = std::chrono::minutes(2)}));
  if (!reply) return session.exit();
  bool all = reply->value("stored", 0) == reply->value("records", 0);
  if (globals.json) {
    fmt::print("{}", one_line(*reply));
  } else {
    fmt::print("Withdrawn: nobody finds this profile any more.\n");
    if (!all) fmt::print(stderr, "Some nodes have yet to hear of it; that goes on by itself.\n");
  }
  return all ? exit_code::ok : exit_code::incomplete;
}

int list(const Globals& globals) {
  Session session(globals);
  auto reply = session.call_json({.path = "/v1/users"});
  if (!reply) return session.exit();
  if (globals.json) {
    fmt::print("{}", one_line(*reply));
    return exit_code::ok;
  }
  Table table({{"USER"}, {"NAME"}, {"PUBLISHED"}, {"RECORDS", Table::Align::right}});
  for (const Json& user : (*reply)["users"]) {
    table.add({user.value("id", "").substr(0, 8), value_text(user["name"], 40),
               user.value("published", false) ? "yes" : "no",
               std::to_string(user.value("records", 0))});
  }
  fmt::print("{}", table.text());
  return exit_code::ok;
}

int attrs(const Globals& globals) {
  Session session(globals);
  auto reply = session.call_json({.path = "/v1/attributes"});
  if (!reply) return session.exit();
  if (globals.json) {
    fmt::print("{}", one_line(*reply));
    return exit_code::ok;
  }
  Table table(
      {{"ATTRIBUTE"}, {"TYPE"}, {"SCOPE"}, {"VALUES", Table::Align::right}, {"VISIBILITY"}});
  for (const Json& a : (*reply)["attributes"]) {
    std::string scope = a.contains("min") ? value_text(a["min"]) + ".." + value_text(a["max"]) : "";
    table.add({value_text(a["name"]), value_text(a["type"]), scope,
               std::to_string(a.value("max_values", 0)), value_text(a["visibility"])});
  }
  fmt::print("{}", table.text());
  if (!globals.quiet)
    fmt::print(stderr, "Your own attributes begin with x-, for example x-height=1.75\n");
  return exit_code::ok;
}

int schema(const Globals& globals) {
  Session session(globals);
  auto reply = session.call_json({.path = "/v1/profile/schema"});
  if (!reply) return session.exit();
  fmt::print("{}\n", reply->dump(globals.json ? -1 : 2));
  return exit_code::ok;
}

void add_simple(Command command, Globals& globals, const char* name, const char* help,
                int (*action)(const Globals&)) {
  command.add_subcommand(name, help).action(globals, [&globals, action] {
    return action(globals);
  });
}

void add_words(Command command, Globals& globals, const char* name, const char* help,
               const char* wanted, int (*action)(const Globals&, const std::vector<std::string>&)) {
  auto words = std::make_shared<std::vector<std::string>>();  // kept by the action
  Command sub = command.add_subcommand(name, help);
  sub.add_option(wanted, *words, help).required().type_name("");
  sub.action(globals, [&globals, action, words] { return action(globals, *words); });
}

}  // namespace

void add_profile(Command app, Globals& globals) {
  Command command = app.add_subcommand("profile", "What you say of yourself, and who may see it");
  command.require_subcommand();
  add_simple(command, globals, "show", "The profile, and who sees what of it", show);
  add_words(command, globals, "set",
            "Set attributes: hobby=chess,go age=24 income=40k..60k visibility.income=match", "K=V",
            set);
  add_words(command, globals, "unset", "Take attributes away", "K", unset);
  add_simple(command, globals, "edit", "Open the profile in $VISUAL or $EDITOR", edit);
  struct ImportOptions {
    std::string file{};
    bool publish = false;
  };
  auto options = std::make_shared<ImportOptions>();  // kept by the action
  Command importing = command.add_subcommand(
      "import", "Read profile.json or a vCard as yours, or people.jsonl as new users");
  importing
      .add_option("FILE", options->file, "profile.json, card.vcf, people.jsonl, or - for stdin")
      .required()
      .type_name("");
  importing.add_flag("--publish", options->publish, "Publish all that is imported");
  importing.action(globals, [&globals, options] {
    return import_people(globals, options->file, options->publish);
  });
  add_simple(command, globals, "publish", "Let others find it; first tells what they will see",
             publish);
  add_simple(command, globals, "withdraw", "Let nobody find it any more", withdraw);
  add_simple(command, globals, "list", "The users this node hosts", list);
  add_simple(command, globals, "attrs", "The attributes of this overlay", attrs);
  add_simple(command, globals, "schema", "The JSON Schema of profile.json, for editors and scripts",
             schema);
}

}  // namespace beckon::cli
