// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace beckon {

enum class ErrorCode : std::uint8_t {
  invalid,      // what we were given is malformed or out of bounds
  not_found,    // it does not exist, as far as we can know
  refused,      // somebody who may decide said no
  unavailable,  // cannot be reached or done now; trying again may help
  conflict,     // clashes with newer or other state
  internal,     // our own environment failed us: disk, memory, a library
};

/// What went wrong, for people: the text says what was wanted and what was found.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string text{};
  friend bool operator==(const Error&, const Error&) = default;
};

/// A value or an Error, spelled like std::expected (which g++ 12 lacks in C++20), but refusing to
/// be dropped. An Error converts to any Result, so `return x.error();` passes a failure on.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<std::monostate, Error> state_;
};

inline Error invalid(std::string text) { return {ErrorCode::invalid, std::move(text)}; }

[[noreturn]] void ensure_failed(const char* condition, const char* file, int line);

}  // namespace beckon

/// A bug check that stays on in release. Never for what a user, a peer or a disk sent.
#define ENSURE(condition) \
  ((condition) ? (void)0 : ::beckon::ensure_failed(#condition, __FILE__, __LINE__))
