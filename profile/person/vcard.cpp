// SPDX-License-Identifier: MIT
#include "profile/person/vcard.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "profile/values/date.h"

namespace beckon::profile {

namespace {

/// NAME;PARAMETERS:VALUE with the group prefix gone. Escapes in the value still stand.
struct Line {
  std::string name{};
  std::string value{};
};

/// Joins folded lines: a line that begins with a blank continues the one before.
std::vector<std::string> unfolded(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    bool more = !line.empty() && (line.front() == ' ' || line.front() == '\t') && !lines.empty();
    if (more) {
      lines.back() += line.substr(1);
    } else if (!line.empty()) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

Result<Line> split_line(const std::string& text) {
  bool quoted = false;
  std::size_t colon = 0;
  while (colon < text.size() && (quoted || text[colon] != ':')) {
    if (text[colon] == '"') quoted = !quoted;
    ++colon;
  }
  if (colon == text.size())
    return invalid(fmt::format("vCard: '{}' is no NAME:VALUE line", printable(text, 40)));
  std::string name = text.substr(0, std::min(colon, text.find(';')));
  if (std::size_t dot = name.find('.'); dot != std::string::npos) name.erase(0, dot + 1);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return Line{std::move(name), text.substr(colon + 1)};
}

/// The value cut at unescaped separators, escapes taken away.
std::vector<std::string> parts(std::string_view value, char separator) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) {
      ++i;
      out.back() += value[i] == 'n' || value[i] == 'N' ? ' ' : value[i];
    } else if (value[i] == separator) {
      out.emplace_back();
    } else {
      out.back() += value[i];
    }
  }
  return out;
}

/// How a property becomes an attribute: which parts of it, and cut where.
struct Rule {
  std::string_view property;
  std::string_view attribute;
  char separator;  // '\0': the whole value is one
  int part;        // -1: every part is a value
};

constexpr std::array<Rule, 13> rules{{{"FN", "name", '\0', 0},
                                      {"N", "last_name", ';', 0},
                                      {"NICKNAME", "nickname", ',', -1},
                                      {"HOBBY", "hobby", '\0', 0},
                                      {"INTEREST", "hobby", '\0', 0},
                                      {"EXPERTISE", "skill", '\0', 0},
                                      {"LANG", "lang", '\0', 0},
                                      {"ORG", "org", ';', 0},
                                      {"TITLE", "vocation", '\0', 0},
                                      {"ROLE", "vocation", '\0', 0},
                                      {"EMAIL", "mail", '\0', 0},
                                      {"TEL", "phone", '\0', 0},
                                      {"ADR", "city", ';', 3}}};

std::string with_dashes(const std::string& date) {
  bool compact = date.size() >= 8 && date.find('-') == std::string::npos;
  return compact ? date.substr(0, 4) + "-" + date.substr(4, 2) + "-" + date.substr(6, 2)
                 : date.substr(0, 10);
}

class Importer {
 public:
  Importer(const Schema& schema, std::int64_t today) : schema_(schema), today_(today) {}

  void take(const Line& line) {
    if (line.name == "GEO") return take_place(line.value);
    if (line.name == "BDAY") return take_birthday(line.value);
    if (line.name == "IMPP") return take_contact(line.value);
    if (line.name == "VERSION" || line.name == "PRODID" || line.name == "REV" || line.name == "UID")
      return;
    for (const Rule& rule : rules) {
      if (rule.property == line.name) return take_by(rule, line);
    }
    leave_out(line.name);
  }

  VcardImport finish() {
    for (const auto& [attribute, entry] : values_) {
      auto set = out_.profile.set(schema_, attribute, entry.values);
      if (!set) leave_out(entry.property + ": " + set.error().text);
    }
    return std::move(out_);
  }

 private:
  struct Entry {
    std::string property{};
    std::vector<std::string> values{};
  };

  void leave_out(std::string what) {
    constexpr std::size_t most = 64;
    if (out_.left_out.size() < most) out_.left_out.push_back(printable(what, 120));
  }

  void add(const std::string& property, std::string_view attribute, std::string value) {
    auto slot = schema_.slot(attribute);
    if (value.empty()) return;
    if (!slot) return leave_out(property);
    auto good = parse_value(schema_.at(*slot), value, Side::publish);
    if (!good) return leave_out(property + ": " + good.error().text);
    Entry& entry = values_[std::string(attribute)];
    entry.property = property;
    if (entry.values.size() >= schema_.at(*slot).max_values) {
      return leave_out(too_many_values(schema_.at(*slot), property).text);
    }
    entry.values.push_back(std::move(value));
  }

  void take_by(const Rule& rule, const Line& line) {
    std::vector<std::string> found = parts(line.value, rule.separator);
    if (rule.part >= 0) {
      auto index = static_cast<std::size_t>(rule.part);
      if (index < found.size()) add(line.name, rule.attribute, std::move(found[index]));
      return;
    }
    for (std::string& value : found) add(line.name, rule.attribute, std::move(value));
  }

  /// 4.0: geo:25.05,121.53 (perhaps with ;u=...); 3.0: 25.05;121.53
  void take_place(std::string_view value) {
    bool uri = value.starts_with("geo:");
    if (uri)
      value = value.substr(
          4, value.find(';') == std::string_view::npos ? value.npos : value.find(';') - 4);
    auto pair = parts(value, uri ? ',' : ';');
    if (pair.size() < 2) return leave_out("GEO");
    add("GEO", "latitude", pair[0]);
    add("GEO", "longitude", pair[1]);
  }

  void take_birthday(const std::string& value) {
    auto birth = parse_date(with_dashes(value));
    if (!birth || birth->first != birth->last) return leave_out("BDAY: no full date");
    add("BDAY", "age", std::to_string(years_between(birth->first, today_)));
  }

  void take_contact(const std::string& value) {
    if (!value.starts_with("sip:") && !value.starts_with("sips:"))
      return leave_out("IMPP: only sip: is known");
    add("IMPP", "sip", value);
  }

  const Schema& schema_;
  std::int64_t today_;
  std::map<std::string, Entry> values_;
  VcardImport out_;
};

}  // namespace

Result<VcardImport> parse_vcard(const Schema& schema, std::string_view text, std::int64_t today) {
  if (text.size() > max_vcard) return invalid(fmt::format("vCard: more than {} bytes", max_vcard));
  Importer importer(schema, today);
  bool inside = false;
  bool done = false;
  std::string version;
  for (const std::string& raw : unfolded(text)) {
    auto line = split_line(raw);
    if (!line) return line.error();
    if (done) return invalid("vCard: more than one card; import them one by one");
    bool frame = line->name == "BEGIN" || line->name == "END";
    if (!inside && !frame) return invalid("vCard: does not begin with BEGIN:VCARD");
    if (frame && (line->name == "BEGIN") == inside)
      return invalid("vCard: BEGIN and END do not pair");
    if (line->name == "VERSION") version = line->value;
    if (!frame) importer.take(*line);
    if (frame) inside = line->name == "BEGIN";
    done = frame && !inside;
  }
  if (!done) return invalid("vCard: END:VCARD is missing");
  if (version != "3.0" && version != "4.0") {
    return invalid(
        fmt::format("vCard: version 3.0 or 4.0 is wanted, got '{}'", printable(version, 10)));
  }
  return importer.finish();
}

}  // namespace beckon::profile
