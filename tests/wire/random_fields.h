// SPDX-License-Identifier: MIT
#pragma once

#include "base/fields.h"
#include "base/rng.h"

namespace beckon::test {

/// Values of what is no list of fields; all_messages.h has one for each codec.
template <typename Codec>
struct Sample;

/// Fills a message with random values within the bounds of its list, short lists and texts mostly.
class RandomFields : public Fields<RandomFields> {
 public:
  explicit RandomFields(Rng& rng) : rng_(rng) {}
  bool kept() const { return kept_; }  // the rules between fields; by chance not always

  template <typename T>
  void number(const char*, T& value, Range range) {
    std::uint64_t largest = sizeof(T) == 8 ? UINT64_MAX : (std::uint64_t{1} << (8 * sizeof(T))) - 1;
    std::uint64_t most = std::min(range.most, largest);
    std::uint64_t width = most - range.least;
    std::uint64_t step = width == UINT64_MAX ? rng_.next() : rng_.below(width + 1);
    value = static_cast<T>(range.least + (rng_.below(4) == 0 ? width : step));
  }
  void flags(const char*, std::uint8_t& bits, std::uint8_t known) {
    bits = static_cast<std::uint8_t>(rng_.below(16) & known);
  }
  void raw(const char*, auto& bytes) { rng_.fill(bytes); }
  template <typename Length, typename T>
  void counted(const char*, T& value, Range size, Content content) {
    value.clear();
    for (std::size_t left = some(size, 20); left > 0; --left) {
      auto byte = static_cast<std::uint8_t>(rng_.below(256));
      if (content != Content::bytes) byte = static_cast<std::uint8_t>(0x21 + byte % 94);
      value.push_back(static_cast<typename T::value_type>(byte));
    }
    if constexpr (std::is_same_v<T, std::string>) {
      if (content == Content::text && value.size() >= 2) value.replace(0, 2, "ü");
    }
  }
  template <typename Length, typename List, typename Each>
  void list(const char*, List& values, Range count, Each each) {
    values.clear();
    values.resize(some(count, 3));
    for (auto& value : values) each(*this, value);
  }
  template <typename T>
  void option(const char* name, std::optional<T>& value) {
    value.reset();
    if (rng_.below(2) == 0) (*this)(name, value.emplace());
  }
  template <typename T>
  void part(const char*, T& value) {
    T::fields(*this, value);
  }
  template <typename Length, typename Codec, typename T>
  void boxed(const char*, T& value) {
    value = Sample<Codec>::make(rng_);
  }
  void when(const char*, bool there, auto body) {
    if (there) body();
  }
  void rule(const char*, auto holds) { kept_ = kept_ && holds(); }

 private:
  std::size_t some(Range range, std::uint64_t more) {
    return range.least + rng_.below(std::min(range.most - range.least, more) + 1);
  }

  Rng& rng_;
  bool kept_ = true;
};

template <typename M>
M random_message(Rng& rng) {
  for (;;) {
    M message;
    RandomFields f(rng);
    M::fields(f, message);
    if (f.kept()) return message;
  }
}

}  // namespace beckon::test
