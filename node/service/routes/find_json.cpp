// SPDX-License-Identifier: MIT
#include "node/service/routes/find_json.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "node/service/routes/card.h"
#include "node/service/routes/peer_json.h"

namespace beckon::service {

namespace {

std::string quoted_item(std::string_view item) {
  bool plain = item.find_first_of(" \t&|()") == std::string_view::npos;
  if (plain) return std::string(item);
  std::string out = "\"";
  for (char c : item) out += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return out + "\"";
}

std::string quoted_items(std::string_view value) {
  if (value.find('"') != std::string_view::npos) return std::string(value);  // done by the asker
  std::string out;
  while (true) {
    std::size_t comma = std::min(value.find(','), value.size());
    out += quoted_item(value.substr(0, comma));
    if (comma == value.size()) return out;
    out += ',';
    value.remove_prefix(comma + 1);
  }
}

double mean(std::size_t sum, std::size_t count) {
  if (count == 0) return 0;
  return std::round(100.0 * static_cast<double>(sum) / static_cast<double>(count)) / 100.0;
}

}  // namespace

Json person_json(const profile::Schema& schema, const Person& person) {
  Card card = read_card(schema, person.card);
  const PersonRef& callee = person.callee;
  Json contact{{"key", to_hex(callee.key)},
               {"message_key", to_hex(callee.message_key)},
               {"host", callee.host.id.hex()},
               {"address", callee.host.address}};
  for (const auto& [name, way] : card.ways.items()) {
    if (!contact.contains(name)) contact[name] = way;
  }
  Json out{{"id", callee.id().hex()}, {"name", card.name}};
  out["attrs"] = std::move(card.attrs);
  out["verified"] = person.verified;
  out["online"] = person.online;
  out["contact"] = std::move(contact);
  return out;
}

Json stats_json(const FindReport& report) {
  return {{"asked", report.asked},
          {"answered", report.answered},
          {"candidates", report.candidates},
          {"false_positives", report.false_positives},
          {"offline", report.offline},
          {"slow", report.slow},
          {"messages", report.messages},
          {"bytes", report.bytes},
          {"hops_mean", mean(report.hops, report.lookups)},
          {"elapsed_ms", milliseconds(report.elapsed)}};
}

Json explain_json(const FindReport& report) {
  Json ways = Json::array();
  for (const FindReport::Way& way : report.ways) {
    ways.push_back({{"branch", way.branch},
                    {"way", way.label},
                    {"probes", way.probes},
                    {"listed", way.listed ? Json(*way.listed) : Json()},
                    {"chosen", way.chosen}});
  }
  Json reads = Json::array();
  for (const FindReport::Read& read : report.reads) {
    reads.push_back({{"key", read.key.hex()},
                     {"node", read.node.id.hex()},
                     {"address", read.node.address},
                     {"listed", read.listed},
                     {"scanned", read.scanned},
                     {"passed", read.passed}});
  }
  return {{"ways", ways},
          {"reads", reads},
          {"lookups", report.lookups},
          {"hops", report.hops},
          {"scanned", report.scanned}};
}

std::vector<std::string> asked_attributes(const profile::Query& query) {
  std::set<std::string> names;
  for (const profile::Branch& branch : query.branches) {
    for (const profile::Term& term : branch) {
      if (!term.negated) names.insert(term.op == profile::Op::near ? "city" : term.attr);
    }
  }
  return {names.begin(), names.end()};
}

std::string query_text(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (name.starts_with("_")) continue;
    out += (out.empty() ? "" : "&") + name + "=" + quoted_items(value);
  }
  return out;
}

}  // namespace beckon::service
