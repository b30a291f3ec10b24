// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"

namespace beckon {

/// What a message says of itself besides its fields. A message is a struct with
///
///   static constexpr Form form = exact("get request", FrameType::get_req);
///   static void fields(auto& f, auto& m) {
///     f("ring", m.ring);
///     f.list8("keys", m.keys, {1, max_keys});
///   }
///
/// This one list is the layout: encode, decode, the tests of every message, its fuzz target and the
/// tables in docs/protocol.md all come from it. `fields` is called with each of the visitors: those
/// below, and those of tests/wire. `m` is const for all that do not change the message.
struct Form {
  const char* name;        // in error texts
  std::uint8_t frame = 0;  // type of the frame that has it as its body; 0: it is part of others
  bool grows = false;      // what stands behind its last field is passed over
};

/// A message that ends with its last field: bytes behind it are refused.
template <typename Type = std::uint8_t>
constexpr Form exact(const char* name, Type frame = Type{}) {
  return {name, static_cast<std::uint8_t>(frame)};
}

/// A message to which later versions may add fields at its end: who does not know them passes over
/// them. For the body of a frame only, whose length says where it ends; what is signed is exact.
template <typename Type>
constexpr Form may_grow(const char* name, Type frame) {
  return {name, static_cast<std::uint8_t>(frame), true};
}

/// Which values a number may have, how many elements a list, how many bytes a text.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
  constexpr bool contains(std::uint64_t value) const { return least <= value && value <= most; }
};
template <typename Last>
constexpr Range upto(Last most) {
  return {0, static_cast<std::uint64_t>(most)};
}
template <typename Enum>
constexpr Range between(Enum least, Enum most) {
  return {static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)};
}

/// Each element is less than the next.
template <typename List, typename Less = std::less<>>
bool rising(const List& list, Less less = {}) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (!less(list[i - 1], list[i])) return false;
  }
  return true;
}

enum class Content : std::uint8_t { bytes, text, word };  // text: UTF-8; word: 0x21 to 0x7e only
bool fits(Content content, ByteView bytes);

inline constexpr std::uint8_t critical_bits = 0x0f;  // of a byte of flags8
/// Names the lowest critical bit that is set and not known; nullptr if there is none.
const char* unknown_critical(std::uint8_t bits, std::uint8_t known);

/// The vocabulary of field lists. A visitor has what each field comes down to: number, raw,
/// flags, counted, list, option, part, boxed, when, rule.
template <typename Visitor>
class Fields {
 public:
  /// A number, an enumerator, a bool, a moment in ms, a fixed number of bytes, a struct with a list
  /// of its own; or an optional of these, behind a byte that is 0 or 1.
  template <typename T>
  void operator()(const char* name, T& value, Range range = {}) {
    using V = std::remove_const_t<T>;
    if constexpr (std::is_same_v<V, bool>) {
      self().number(name, value, Range{0, 1});
    } else if constexpr (std::is_integral_v<V> || std::is_enum_v<V>) {
      self().number(name, value, range);
    } else if constexpr (std::is_same_v<V, WallTime>) {
      through<std::int64_t>(name, value, range, to_ms, wall_from_ms);
    } else if constexpr (requires {
                           typename V::value_type;
                           value.has_value();
                         }) {
      self().option(name, value);
    } else if constexpr (requires { std::tuple_size<V>::value; }) {
      self().raw(name, value);
    } else {
      self().part(name, value);
    }
  }

  /// A number that always is the same.
  void constant(const char* name, std::uint8_t value) {
    std::uint8_t found = value;
    self().number(name, found, Range{value, value});
  }

  /// Whole seconds in 32 bits; a moment since 1970.
  template <typename T>
  void seconds32(const char* name, T& value) {
    using std::chrono::seconds;
    if constexpr (std::is_same_v<std::remove_const_t<T>, WallTime>) {
      through<std::uint32_t>(
          name, value, {}, [](WallTime t) { return to_ms(t) / 1000; },
          [](std::uint32_t n) { return wall_from_ms(std::int64_t{n} * 1000); });
    } else {
      through<std::uint32_t>(
          name, value, {}, [](seconds s) { return s.count(); },
          [](std::uint32_t n) { return seconds(n); });
    }
  }

  /// Several bools in one byte, the first in its lowest bit; other bits are zero.
  template <typename... Bools>
  void bits8(const char* name, Bools&... flags) {
    std::uint8_t bits = 0;
    unsigned bit = 1;
    ((bits = static_cast<std::uint8_t>(bits | (flags ? bit : 0)), bit <<= 1), ...);
    self().number(name, bits, upto(bit - 1));
    bit = 1;
    if constexpr (!(std::is_const_v<Bools> || ...)) {
      ((flags = (bits & bit) != 0, bit <<= 1), ...);
    }
  }

  /// The same where later versions may add bits. The low half of the byte is critical: a bit that
  /// is not known fails by its number. The high half is ignorable: written as zero, passed over.
  template <typename... Bools>
  void flags8(const char* name, Bools&... flags) {
    static_assert(sizeof...(Bools) <= 4);
    std::uint8_t bits = 0;
    unsigned bit = 1;
    ((bits = static_cast<std::uint8_t>(bits | (flags ? bit : 0)), bit <<= 1), ...);
    self().flags(name, bits, static_cast<std::uint8_t>(bit - 1));
    bit = 1;
    if constexpr (!(std::is_const_v<Bools> || ...)) {
      ((flags = (bits & bit) != 0, bit <<= 1), ...);
    }
  }

  // A length of so many bits, then that many bytes.
  void text8(const char* name, auto& value, Range size = {}) {
    self().template counted<std::uint8_t>(name, value, size, Content::text);
  }
  void text16(const char* name, auto& value, Range size = {}) {
    self().template counted<std::uint16_t>(name, value, size, Content::text);
  }
  void text32(const char* name, auto& value, Range size = {}) {
    self().template counted<std::uint32_t>(name, value, size, Content::text);
  }
  void word8(const char* name, auto& value, Range size = {}) {
    self().template counted<std::uint8_t>(name, value, size, Content::word);
  }
  void bytes16(const char* name, auto& value, Range size = {}) {
    self().template counted<std::uint16_t>(name, value, size, Content::bytes);
  }
  void bytes32(const char* name, auto& value, Range size = {}) {
    self().template counted<std::uint32_t>(name, value, size, Content::bytes);
  }

  // A count of so many bits, then that many elements; `each` is the list of fields of one element.
  struct Plain {
    void operator()(auto& f, auto& element) const { f("", element); }
  };
  template <typename List, typename Each = Plain>
  void list8(const char* name, List& values, Range count, Each each = {}) {
    self().template list<std::uint8_t>(name, values, count, each);
  }
  template <typename List, typename Each = Plain>
  void list16(const char* name, List& values, Range count, Each each = {}) {
    self().template list<std::uint16_t>(name, values, count, each);
  }
  /// A map as a list of its entries, keys rising; `each` takes key and value.
  template <typename Map, typename Each>
  void map32(const char* name, Map& map, Range count, Each each) {
    std::vector<std::pair<typename Map::key_type, typename Map::mapped_type>> entries;
    for (const auto& [key, value] : map) entries.emplace_back(key, value);
    self().template list<std::uint32_t>(
        name, entries, count, [&](auto& f, auto& entry) { each(f, entry.first, entry.second); });
    self().rule("rising", [&] {
      return rising(entries, [](const auto& a, const auto& b) { return a.first < b.first; });
    });
    if constexpr (!std::is_const_v<Map>) map = Map(entries.begin(), entries.end());
  }

  /// Bytes with a length in front, whose layout is not a list of fields: Codec::encode and decode.
  template <typename Codec, typename T>
  void boxed16(const char* name, T& value) {
    self().template boxed<std::uint16_t, Codec>(name, value);
  }
  template <typename Codec, typename T>
  void boxed32(const char* name, T& value) {
    self().template boxed<std::uint32_t, Codec>(name, value);
  }

 protected:
  Visitor& self() { return static_cast<Visitor&>(*this); }

 private:
  /// A value that goes over the wire as a number of another type.
  template <typename Number, typename T, typename To, typename From>
  void through(const char* name, T& value, Range range, To to, From from) {
    auto number = static_cast<Number>(to(value));
    self().number(name, number, range);
    if constexpr (!std::is_const_v<T>) value = from(number);
  }
};

/// Appends a message.
class FieldWriter : public Fields<FieldWriter> {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(out) {}

  template <typename T>
  void number(const char*, const T& value, Range) {
    if constexpr (sizeof(T) == 1) {
      out_.u8(static_cast<std::uint8_t>(value));
    } else if constexpr (sizeof(T) == 2) {
      out_.u16(static_cast<std::uint16_t>(value));
    } else if constexpr (sizeof(T) == 4) {
      out_.u32(static_cast<std::uint32_t>(value));
    } else {
      out_.u64(static_cast<std::uint64_t>(value));
    }
  }
  void flags(const char*, std::uint8_t bits, std::uint8_t) { out_.u8(bits); }
  void raw(const char*, const auto& bytes) { out_.raw(bytes); }
  template <typename Length, typename T>
  void counted(const char*, const T& value, Range size, Content content) {
    ENSURE(content != Content::word || size.contains(value.size()));
    write_length<Length>(value.size());
    out_.raw({reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
  }
  template <typename Length, typename List, typename Each>
  void list(const char*, const List& values, Range, Each each) {
    write_length<Length>(values.size());
    for (const auto& value : values) each(*this, value);
  }
  template <typename T>
  void option(const char* name, const std::optional<T>& value) {
    out_.u8(value ? 1 : 0);
    if (value) (*this)(name, *value);
  }
  template <typename T>
  void part(const char*, const T& value) {
    T::fields(*this, value);
  }
  template <typename Length, typename Codec, typename T>
  void boxed(const char*, const T& value) {
    const auto& bytes = Codec::encode(value);
    write_length<Length>(bytes.size());
    out_.raw(bytes);
  }
  void when(const char*, bool there, auto body) {
    if (there) body();
  }
  void rule(const char*, auto) {}

 private:
  template <typename Length>
  void write_length(std::size_t length) {
    ENSURE(length <= static_cast<Length>(-1));
    number("", static_cast<Length>(length), {});
  }

  ByteWriter& out_;
};

/// Reads a message. What is out of its bounds fails the reader; nothing is allocated for a count
/// that is too large, or larger than the bytes that are left.
class FieldReader : public Fields<FieldReader> {
 public:
  explicit FieldReader(ByteReader& in) : in_(in) {}

  template <typename T>
  void number(const char* name, T& value, Range range) {
    std::uint64_t found = sizeof(T) == 1   ? in_.u8()
                          : sizeof(T) == 2 ? in_.u16()
                          : sizeof(T) == 4 ? in_.u32()
                                           : in_.u64();
    if (!range.contains(found)) in_.fail(name);
    value = static_cast<T>(found);
  }
  void flags(const char*, std::uint8_t& bits, std::uint8_t known) {
    bits = in_.u8();
    if (const char* unknown = unknown_critical(bits, known)) in_.fail(unknown);
  }
  template <std::size_t size>
  void raw(const char*, std::array<std::uint8_t, size>& bytes) {
    bytes = in_.array<size>();
  }
  template <typename Length, typename T>
  void counted(const char* name, T& value, Range size, Content content) {
    ByteView bytes = in_.raw(length<Length>());
    if (!size.contains(bytes.size()) || !fits(content, bytes)) return in_.fail(name);
    if constexpr (std::is_same_v<T, std::string>) {
      value = as_text(bytes);
    } else {
      value.assign(bytes.begin(), bytes.end());
    }
  }
  template <typename Length, typename List, typename Each>
  void list(const char* name, List& values, Range range, Each each) {
    std::size_t count = length<Length>();
    if (!range.contains(count) || count > in_.remaining()) return in_.fail(name);
    values.resize(count);
    for (std::size_t i = 0; in_.ok() && i < count; ++i) each(*this, values[i]);
  }
  template <typename T>
  void option(const char* name, std::optional<T>& value) {
    bool there = false;
    (*this)(name, there);
    if (there) (*this)(name, value.emplace());
  }
  template <typename T>
  void part(const char*, T& value) {
    T::fields(*this, value);
  }
  template <typename Length, typename Codec, typename T>
  void boxed(const char* name, T& value) {
    ByteView bytes = in_.raw(length<Length>());
    if (!in_.ok()) return;
    auto found = Codec::decode(bytes);
    if (!found) return in_.fail(name);
    value = *std::move(found);
  }
  void when(const char*, bool there, auto body) {
    if (there) body();
  }
  void rule(const char* name, auto holds) {
    if (in_.ok() && !holds()) in_.fail(name);
  }

 private:
  template <typename Length>
  std::size_t length() {
    Length found{};
    number("", found, {});
    return found;
  }

  ByteReader& in_;
};

template <typename M>
concept Described = requires {
  M::form.name;
};

template <typename M>
void write_fields(ByteWriter& out, const M& message) {
  FieldWriter f(out);
  M::fields(f, message);
}
template <typename M>
void read_fields(ByteReader& in, M& message) {
  FieldReader f(in);
  M::fields(f, message);
}

template <Described M>
Bytes encode(const M& message) {
  ByteWriter out;
  write_fields(out, message);
  return out.take();
}
/// Strict: what it accepts encodes to the same bytes, but for additions behind a message that may
/// grow and ignorable flags; and a refusal names the message.
template <Described M>
Result<M> decode(ByteView bytes) {
  static_assert(!M::form.grows || M::form.frame != 0);
  ByteReader in(bytes);
  M message;
  read_fields(in, message);
  if (M::form.grows) in.skip_rest();
  if (auto whole = in.finish(M::form.name); !whole) return whole.error();
  return message;
}

}  // namespace beckon
