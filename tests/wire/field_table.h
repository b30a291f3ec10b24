// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/core.h>

#include <algorithm>

#include "base/fields.h"

namespace beckon::test {

/// A list of fields as the documents print it, and how many bytes such a message has.
class FieldTable : public Fields<FieldTable> {
 public:
  static constexpr std::uint64_t unlimited = UINT64_MAX;
  std::string text{};
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  bool ignorable = false;  // has flags that are passed over, so other bytes may mean the same

  template <typename T>
  void number(const char* name, const T&, Range range) {
    add(sizeof(T), sizeof(T));
    if constexpr (std::is_same_v<T, bool>) return put("flag", name);
    put(fmt::format("{}{}", std::is_same_v<T, std::int64_t> ? 'i' : 'u', 8 * sizeof(T)), name);
    if (range.least == range.most) {
      text += fmt::format(" {}", range.least);
    } else if (range.most < largest<T>() || range.least > 0) {
      text += fmt::format(" {}..{}", range.least, range.most);
    }
  }
  void flags(const char* name, std::uint8_t, std::uint8_t known) {
    add(1, 1);
    put("flags8", name);
    text += fmt::format(" 0..{}", known);
    ignorable = true;
  }
  template <std::size_t size>
  void raw(const char* name, const std::array<std::uint8_t, size>&) {
    add(size, size);
    put(std::to_string(size), name);
  }
  template <typename Length, typename T>
  void counted(const char* name, const T&, Range size, Content content) {
    constexpr const char* words[] = {"bytes", "text", "word"};
    put(sized<Length>(words[static_cast<int>(content)], size), name);
    add(sizeof(Length) + size.least, sizeof(Length));
    add(0, std::min(size.most, largest<Length>()));
  }
  template <typename Length, typename List, typename Each>
  void list(const char* name, const List&, Range count, Each each) {
    typename List::value_type element{};
    FieldTable one;
    each(one, element);
    ignorable |= one.ignorable;
    bool several = one.text.find(" | ") != std::string::npos;
    put(sized<Length>("list", count), name);
    text += several && one.text[0] != '(' ? " of (" + one.text + ")" : " of " + one.text;
    add(sizeof(Length) + count.least * one.least, sizeof(Length));
    std::uint64_t elements = std::min(count.most, largest<Length>());
    add(0, one.most > unlimited / elements ? unlimited : elements * one.most);
  }
  template <typename T>
  void option(const char* name, const std::optional<T>&) {
    T value{};
    FieldTable inner;
    inner(name, value);
    inner.text.insert(std::min(inner.text.find(' '), inner.text.size()), "?");
    put(inner.text, "");
    add(1, 1);
    add(0, inner.most);
  }
  template <typename T>
  void part(const char* name, const T& value) {
    FieldTable inner;
    T::fields(inner, value);
    if constexpr (Described<T>) {
      put(T::form.name, std::string_view(name) == T::form.name ? "" : name);
    } else {
      put("(" + inner.text + ")", name);
    }
    add(inner.least, inner.most);
    ignorable |= inner.ignorable;
  }
  template <typename Length, typename Codec, typename T>
  void boxed(const char*, const T&) {
    put(sized<Length>("bytes", {}), Codec::name);
    add(sizeof(Length), sizeof(Length));
    add(0, largest<Length>());
  }
  void when(const char* condition, bool, auto body) {
    std::uint64_t before = least;
    put(fmt::format("[if {}:", condition), "");
    glue_ = true;
    body();
    text += "]";
    least = before;
  }
  void rule(const char* name, auto) {
    if (std::string_view(name).size() > 0) text += fmt::format("; {}", name);
  }

 private:
  template <typename T>
  static constexpr std::uint64_t largest() {  // 32-bit lengths are bounded by the frame
    if (sizeof(T) == 1) return 0xff;
    if (sizeof(T) == 2) return 0xffff;
    return unlimited;
  }
  template <typename Length>
  static std::string sized(const char* word, Range range) {
    std::string bounds;
    if (range.least > 0) {
      bounds = fmt::format("<{}..{}>", range.least, range.most);
    } else if (range.most < largest<Length>()) {
      bounds = fmt::format("<{}>", range.most);
    }
    return fmt::format("{}{}{}", word, 8 * sizeof(Length), bounds);
  }
  void put(std::string_view type, std::string_view name) {
    if (!text.empty()) text += std::exchange(glue_, false) ? " " : " | ";
    text += type;
    if (!name.empty()) text += fmt::format(" {}", name);
  }
  void add(std::uint64_t at_least, std::uint64_t at_most) {
    least += at_least;
    most = at_most > unlimited - most ? unlimited : most + at_most;
  }
  bool glue_ = false;
};

template <typename M>
FieldTable table_of() {
  const M message{};
  FieldTable out;
  M::fields(out, message);
  return out;
}

/// What is accepted encodes to the same bytes again.
template <typename M>
bool one_spelling() {
  static const bool one = !M::form.grows && !table_of<M>().ignorable;
  return one;
}

/// No encoding of such a message is longer; FieldTable::unlimited if only the frame bounds it.
template <typename M>
std::uint64_t max_size() {
  static const std::uint64_t most = table_of<M>().most;
  return most;
}

}  // namespace beckon::test
