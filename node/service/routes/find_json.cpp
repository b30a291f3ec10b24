#include "node/service/routes/find_json.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "node/service/routes/peer_json.h"
#include "profile/text_fold.h"

namespace beckon::service {

namespace {

using Json = nlohmann::ordered_json;

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
bool is_way(const Json& value) {
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  return text.starts_with("sip:") || text.starts_with("sips:") || text.starts_with("tel:") ||
         text.starts_with("mailto:");
}

Json contact_json(const Person& person, const Json& attrs) {
  Json out{{"key", to_hex(person.callee.key)},
           {"message_key", to_hex(person.callee.message_key)},
           {"host", person.callee.host.id.hex()},
           {"address", person.callee.host.address}};
  for (const auto& [attr, value] : attrs.items()) {
    bool way = attr == "sip" || attr == "mail" || attr == "phone" || is_way(value);
    if (way) out[attr] = value;
  }
  return out;
}

bool is_plain(const Json& value) {
  if (value.is_string())
    return value.get_ref<const std::string&>().size() <= profile::max_text_size;
  return value.is_number();
}

bool is_value(const Json& value) {
  if (!value.is_object()) return is_plain(value);
  return value.size() == 2 && value.contains("min") && value.contains("max") &&
         is_plain(value["min"]) && is_plain(value["max"]);
}

/// What of a stranger's card has a name and a shape that a profile can have. Nothing is compared
/// with it, so texts need not be folded, which would cost more than all the rest of a hit.
Json card_attributes(const profile::Schema& schema, const std::string& card) {
  Json out = Json::object();
  Json told = Json::parse(card, nullptr, false);
  if (!told.is_object()) return out;
  for (auto& [name, value] : told.items()) {
    auto slot = schema.slot(name);
    if (!slot) continue;
    bool good = value.is_array() ? !value.empty() && value.size() <= schema.at(*slot).max_values &&
                                       std::all_of(value.begin(), value.end(), is_value)
                                 : is_value(value);
    if (good) out[name] = std::move(value);
  }
  return out;
}

double mean(std::size_t sum, std::size_t count) {
  if (count == 0) return 0;
  return std::round(100.0 * static_cast<double>(sum) / static_cast<double>(count)) / 100.0;
}

}  // namespace

Json person_json(const profile::Schema& schema, const Person& person) {
  Json attrs = card_attributes(schema, person.card);
  std::string name;
  if (auto names = attrs.find("name"); names != attrs.end()) {
    const Json& first = names->is_array() ? names->front() : *names;
    if (first.is_string()) name = first.get<std::string>();
    attrs.erase(names);
  }
  Json out = Json::object();  // member by member: an initializer list would copy the attributes
  out["id"] = person.callee.id().hex();
  out["name"] = std::move(name);
  Json contact = contact_json(person, attrs);
  out["attrs"] = std::move(attrs);
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
