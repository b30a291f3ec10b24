#include "node/service/routes/card_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.h"
#include "profile/values/text_fold.h"

namespace beckon::service {

namespace {

void add_quoted(std::string& out, const std::string& text) { out += json_quoted(text); }

/// Hears the parser and writes on the way: a find shows 50 cards, and trees of them took longer
/// than asking their hosts. A member is a value or a list of them, a value a text, a number or
/// {"min","max"}.
class CardReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit CardReader(const profile::Schema& schema) : schema_(schema) {}

  CardText take() { return is_card_ ? std::move(out_) : CardText{}; }

  bool null() override { return spoil(); }
  bool boolean(bool) override { return spoil(); }
  bool binary(nlohmann::json::binary_t&) override { return spoil(); }
  bool number_integer(number_integer_t value) override { return plain(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return plain(std::to_string(value)); }
  bool number_float(number_float_t, const std::string& digits) override { return plain(digits); }

  bool string(std::string& text) override {
    if (text.size() > profile::max_text_size) return spoil();
    if (values_ == 0 && !in_range_) first_text_ = text;
    std::string quoted;
    add_quoted(quoted, text);
    return plain(quoted);
  }

  bool start_object(std::size_t) override {
    if (++depth_ == 1) return is_card_ = true;
    if (!at_range()) return spoil();
    next_value();
    in_range_ = true;
    sides_.clear();
    text_ += '{';
    return true;
  }

  bool key(std::string& name) override {
    if (depth_ == 1) return begin_member(name);
    bool side = in_range_ && at_range() && (name == "min" || name == "max") && sides_ != name;
    if (!side) return spoil();
    text_ += (sides_.empty() ? "\"" : ",\"") + name + "\":";
    sides_ += name;
    return true;
  }

  bool end_object() override {
    if (in_range_ && at_range()) {
      in_range_ = false;
      text_ += '}';
      if (sides_.size() != 6) spoil();  // both
    }
    if (--depth_ == 0) end_member();
    return true;
  }

  bool start_array(std::size_t) override {
    if (++depth_ != 2) return spoil();
    is_list_ = true;
    text_ += '[';
    return true;
  }

  bool end_array() override {
    if (--depth_ == 1) text_ += ']';
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return is_card_ = false;
  }

 private:
  bool at_range() const { return depth_ == (is_list_ ? 3 : 2); }

  bool spoil() {
    good_ = false;
    return true;
  }

  void next_value() {
    if (values_++ > 0) text_ += ',';
  }

  bool plain(const std::string& text) {
    if (!in_range_) next_value();
    text_ += text;
    return true;
  }

  bool begin_member(const std::string& name) {
    end_member();
    name_ = name;
    good_ = std::find(names_.begin(), names_.end(), name) == names_.end();
    names_.push_back(name);
    return true;
  }

  bool is_good() const {
    auto slot = good_ && values_ > 0 ? schema_.slot(name_) : std::nullopt;
    return slot && (!is_list_ || values_ <= schema_.at(*slot).max_values);
  }

  bool is_way() const {
    return name_ == "sip" || name_ == "mail" || name_ == "phone" ||
           (!is_list_ && is_uri(first_text_));
  }

  void end_member() {
    if (is_good() && name_ == "name") {
      out_.name = first_text_;
    } else if (is_good()) {
      add_member(out_.attrs);
      if (is_way()) add_member(out_.ways);
    }
    text_.clear();
    first_text_.clear();
    values_ = 0;
    is_list_ = in_range_ = good_ = false;
  }

  void add_member(std::string& to) const {
    if (!to.empty()) to += ',';
    add_quoted(to, name_);
    to += ':' + text_;
  }

  const profile::Schema& schema_;
  CardText out_{};
  bool is_card_ = false;
  std::size_t depth_ = 0;             // 1 in the card, 2 in a list or a range, 3 in a list's range
  std::vector<std::string> names_{};  // of a name that comes twice the first counts

  // The member under way.
  std::string name_{}, text_{}, first_text_{}, sides_{};
  std::size_t values_ = 0;
  bool is_list_ = false, in_range_ = false, good_ = false;
};

}  // namespace

bool is_uri(std::string_view text) {
  return text.starts_with("sip:") || text.starts_with("sips:") || text.starts_with("tel:") ||
         text.starts_with("mailto:");
}

CardText read_card(const profile::Schema& schema, std::string_view card) {
  CardReader reader(schema);
  nlohmann::json::sax_parse(card, &reader);
  return reader.take();
}

}  // namespace beckon::service
