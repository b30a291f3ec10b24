// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"

namespace beckon {

struct JsonLimits {
  std::size_t bytes = 64 * 1024;
  std::size_t depth = 16;
  std::size_t members = SIZE_MAX;  // of one object
  bool digits_as_written = false;  // dump() keeps them, too; else the shortest that mean the same
};

/// A JSON value: members keep the order in which they were added, numbers their digits (so that
/// decimals stay exact). One compiled face over nlohmann/json, whose templates cost more to compile
/// than all of our own code; it reads texts and writes strings and floating numbers, in json.cpp.
///
/// Reading never fails: what is absent or of another kind is null, zero, empty, or the fallback of
/// value(). So the kind is asked first wherever the difference matters.
class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> Bool>  // a template, or every pointer would be a truth
  Json(Bool yes) : kind_(Kind::boolean), flag_(yes) {}
  template <typename Int>
  requires(std::integral<Int> && !std::same_as<Int, bool> && !std::same_as<Int, char>)
      Json(Int value)
      : Json(digits_of(static_cast<wide<Int>>(value)), Kind::number) {}
  Json(double value);  // null for what is no number
  Json(const char* text) : Json(std::string(text), Kind::string) {}
  Json(std::string_view text) : Json(std::string(text), Kind::string) {}
  Json(std::string text) : Json(std::move(text), Kind::string) {}
  template <typename T>
  Json(const std::vector<T>& items) : kind_(Kind::array) {
    for (const T& item : items) push_back(item);
  }
  /// {{"name", value}, ...} is an object, any other list an array.
  Json(std::initializer_list<Json> list);
  static Json array() { return Json({}, Kind::array); }
  static Json array(std::initializer_list<Json> items);
  static Json object() { return Json({}, Kind::object); }

  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_null() const { return is(Kind::null); }
  bool is_boolean() const { return is(Kind::boolean); }
  bool is_number() const { return is(Kind::number); }
  bool is_number_integer() const;   // fits 64 bits, with or without a sign
  bool is_number_unsigned() const;  // fits 64 bits without a sign
  bool is_string() const { return is(Kind::string); }
  bool is_array() const { return is(Kind::array); }
  bool is_object() const { return is(Kind::object); }

  bool yes() const { return flag_ && is_boolean(); }
  const std::string& text() const { return text_; }  // of a string; of a number, its digits

  /// bool, every integer, double, std::string, std::vector<std::string>.
  template <typename T>
  T get() const;
  /// The member of that name, if there is one of the fallback's kind.
  template <typename T>
  T value(std::string_view name, T fallback) const {
    const Json* found = find(name);
    return found != end() && found->fits(kind_of<T>()) ? found->get<T>() : fallback;
  }
  std::string value(std::string_view name, const char* fallback) const {
    return value(name, std::string(fallback));
  }
  Json value(std::string_view name, const Json& fallback) const;

  /// Arrays and objects; others are empty. Iterators of an object go over its values.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  const Json* begin() const;
  const Json* end() const;
  Json* begin();
  Json* end();
  const Json& operator[](std::size_t index) const;
  const Json& operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
  Json& operator[](std::size_t index);  // of an array; must exist
  Json& operator[](int index) { return (*this)[static_cast<std::size_t>(index)]; }
  const Json& at(std::size_t index) const;  // must exist
  const Json& front() const { return (*this)[0]; }
  const Json& back() const { return (*this)[size() - 1]; }
  Json& back() { return (*this)[size() - 1]; }
  void push_back(Json item);  // null becomes an array

  const std::vector<std::string>& names() const { return names_; }  // of an object's members
  const Json* find(std::string_view name) const;                    // end() if there is none
  bool contains(std::string_view name) const { return find(name) != end(); }
  const Json& operator[](std::string_view name) const&;
  const Json& operator[](const char* name) const& { return (*this)[std::string_view(name)]; }
  Json& operator[](std::string_view name) &;  // adds it; null becomes an object
  Json& operator[](const char* name) & { return (*this)[std::string_view(name)]; }
  Json operator[](std::string_view name) &&;  // a loop over a member outlives what it came from
  Json operator[](const char* name) && { return std::move(*this)[std::string_view(name)]; }
  const Json& at(std::string_view name) const;  // must exist
  void erase(std::string_view name);
  void update(const Json& object);  // takes over its members, replacing those of the same name

  /// for (const auto& [name, value] : json.items())
  class Items {
   public:
    struct Member {
      const std::string& name;
      const Json& value;
    };
    class Iterator {
     public:
      Iterator(const Json& json, std::size_t at) : json_(&json), at_(at) {}
      Member operator*() const;
      Iterator& operator++() { return ++at_, *this; }
      bool operator!=(const Iterator& other) const { return at_ != other.at_; }

     private:
      const Json* json_;
      std::size_t at_;
    };
    explicit Items(const Json& json) : json_(json) {}
    Iterator begin() const { return {json_, 0}; }
    Iterator end() const;

   private:
    const Json& json_;
  };
  Items items() const { return Items(*this); }

  Json sorted() const;  // every object's members by name, at all depths: where bytes are compared

  bool is_utf8() const;  // all names and strings are
  /// One line, or indented. Broken UTF-8 is replaced.
  std::string dump() const;
  std::string dump(int indent) const;

  /// Members in any order; 1 equals 1.0.
  friend bool operator==(const Json& a, const Json& b) { return a.equals(b); }

 private:
  template <typename Int>
  using wide = std::conditional_t<std::is_signed_v<Int>, std::int64_t, std::uint64_t>;
  Json(std::string text, Kind kind) : kind_(kind), text_(std::move(text)) {}
  static std::string digits_of(std::int64_t value);
  static std::string digits_of(std::uint64_t value);
  template <typename T>
  static constexpr Kind kind_of() {
    if constexpr (std::same_as<T, bool>) return Kind::boolean;
    if constexpr (std::is_arithmetic_v<T>) return Kind::number;
    if constexpr (std::same_as<T, std::string>) return Kind::string;
    return Kind::array;
  }
  bool fits(Kind kind) const { return kind_ == kind; }
  bool equals(const Json& other) const;
  bool as_bool() const { return yes(); }
  std::int64_t as_signed() const;
  std::uint64_t as_unsigned() const;
  double as_double() const;
  std::vector<std::string> as_texts() const;
  void write(std::string& out, int indent, int depth) const;

  friend class JsonBuilder;

  Kind kind_ = Kind::null;
  bool flag_ = false;                 // a boolean's value; of a number: dump() shortens its digits
  std::string text_{};                // a string, or a number's digits
  std::vector<std::string> names_{};  // of an object's members
  std::vector<Json> items_{};         // of an array, or the values of an object
};

template <typename T>
T Json::get() const {
  if constexpr (std::same_as<T, bool>) {
    return as_bool();
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(as_double());
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<T>(as_signed());
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(as_unsigned());
  } else if constexpr (std::same_as<T, std::string>) {
    return is_string() ? text_ : std::string();
  } else {
    static_assert(std::same_as<T, std::vector<std::string>>, "Json::get has no such type");
    return as_texts();
  }
}

/// "a number", "an object" ..., for sentences.
std::string_view name_of(Json::Kind kind);

/// JSON that somebody sent: UTF-8, within the limits, no member twice in one object.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

/// For a text whose shape is looked at next anyway: null when it is no JSON, whatever its length.
Json json_or_null(std::string_view text);

std::string json_quoted(std::string_view text);  // with its quotation marks; broken UTF-8 replaced

}  // namespace beckon
