#include "node/service/routes/find_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "node/service/json_text.h"
#include "node/service/routes/peer_json.h"
#include "profile/text_fold.h"

namespace beckon::service {

namespace {

using Json = nlohmann::ordered_json;
/// Of cards: an ordered object copies all its members whenever it grows.
using Card = nlohmann::json;

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

/// An address that another program can open, whatever the attribute is called.
bool is_way(const std::string& attr, const Card& value) {
  if (attr == "sip" || attr == "mail" || attr == "phone") return true;
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  return text.starts_with("sip:") || text.starts_with("sips:") || text.starts_with("tel:") ||
         text.starts_with("mailto:");
}

bool is_plain(const Card& value) {
  if (value.is_string())
    return value.get_ref<const std::string&>().size() <= profile::max_text_size;
  return value.is_number();
}

bool is_value(const Card& value) {
  if (!value.is_object()) return is_plain(value);
  return value.size() == 2 && value.contains("min") && value.contains("max") &&
         is_plain(value["min"]) && is_plain(value["max"]);
}

bool is_good(const profile::Schema& schema, const std::string& name, const Card& value) {
  auto slot = schema.slot(name);
  if (!slot) return false;
  if (!value.is_array()) return is_value(value);
  return !value.empty() && value.size() <= schema.at(*slot).max_values &&
         std::all_of(value.begin(), value.end(), is_value);
}

/// What of a stranger's card has a name and a shape that a profile can have. Nothing is compared
/// with it, so texts need not be folded, which would cost more than all the rest of a hit.
Card::object_t card_attributes(const profile::Schema& schema, const std::string& card) {
  Card told = Card::parse(card, nullptr, false);
  if (!told.is_object()) return {};
  auto out = std::move(told.get_ref<Card::object_t&>());
  std::erase_if(out,
                [&](const auto& entry) { return !is_good(schema, entry.first, entry.second); });
  return out;
}

/// Takes the name out of them.
std::string take_name(Card::object_t& attrs) {
  auto names = attrs.extract("name");
  if (names.empty()) return {};
  const Card& first = names.mapped().is_array() ? names.mapped().front() : names.mapped();
  return first.is_string() ? first.get<std::string>() : "";
}

/// ,"sip":"sip:alice@example.net" and so on
std::string ways_text(const Card::object_t& attrs) {
  std::string out;
  for (const auto& [attr, value] : attrs) {
    if (is_way(attr, value)) out += "," + to_text(Card(attr)) + ":" + to_text(value);
  }
  return out;
}

double mean(std::size_t sum, std::size_t count) {
  if (count == 0) return 0;
  return std::round(100.0 * static_cast<double>(sum) / static_cast<double>(count)) / 100.0;
}

}  // namespace

/// Put together from texts: a tree of 50 people would be built and copied to be written once.
std::string person_text(const profile::Schema& schema, const Person& person) {
  auto attrs = card_attributes(schema, person.card);
  std::string name = take_name(attrs);
  std::string ways = ways_text(attrs);
  const Callee& callee = person.callee;
  return fmt::format(R"({{"id":"{}","name":{},"attrs":{},"verified":{},"online":{},)"
                     R"("contact":{{"key":"{}","message_key":"{}","host":"{}","address":{}{}}}}})",
                     callee.id().hex(), to_text(Card(name)), to_text(Card(std::move(attrs))),
                     person.verified, person.online, to_hex(callee.key), to_hex(callee.message_key),
                     callee.host.id.hex(), to_text(Card(callee.host.address)), ways);
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
