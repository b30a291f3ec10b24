// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/status.h"
#include "chord/peer_ref.h"

namespace beckon::chord {

/// Where a peer stands. Only a member is ever adopted as a successor or believed about the ring; a
/// mode of a later version is none of these and so no member.
enum class Mode : std::uint8_t { idle, joining, member, leaving, left };

/// Frame types of the ring. Those below 0x08 are the transport's own (handshake); `error` answers
/// requests of the ring and of services alike.
enum class MessageType : std::uint8_t {
  state_req = 0x08,
  state_rep = 0x09,
  notify = 0x0a,
  next_req = 0x0b,
  next_rep = 0x0c,
  ping = 0x0d,
  pong = 0x0e,
  leave = 0x0f,
  leave_ack = 0x10,
  error = 0x1f,
};

inline constexpr std::uint8_t wire_version = 1;
inline constexpr std::size_t max_list_entries = 32;  // of any successor list on the wire
inline constexpr std::size_t max_closer_entries = 8;

/// Request numbers of the ring have this bit set, those of services have it clear, so an error
/// frame says by its number whom it answers.
inline constexpr std::uint64_t ring_request_bit = std::uint64_t{1} << 63;

struct StateRequest {
  static constexpr Form form = may_grow("STATE_REQ", MessageType::state_req);
  static void fields(auto& f, auto&) { f.constant("version", wire_version); }
  friend bool operator==(const StateRequest&, const StateRequest&) = default;
};

/// A whole view of its sender, the result of complete steps only.
struct StateReply {
  Mode mode{};
  std::uint64_t epoch{};
  std::optional<PeerRef> predecessor{};
  std::vector<PeerRef> successors{};
  static constexpr Form form = may_grow("STATE_REP", MessageType::state_rep);
  static void fields(auto& f, auto& m) {
    f.constant("version", wire_version);
    f("mode", m.mode);
    f("epoch", m.epoch);
    f("predecessor", m.predecessor);
    f.list8("successors", m.successors, upto(max_list_entries));
  }
  friend bool operator==(const StateReply&, const StateReply&) = default;
};

/// "I believe to be your predecessor"; who says so is known from the link.
struct Notify {
  static constexpr Form form = may_grow("NOTIFY", MessageType::notify);
  static void fields(auto& f, auto&) { f.constant("version", wire_version); }
  friend bool operator==(const Notify&, const Notify&) = default;
};

struct NextRequest {
  Id key{};
  static constexpr Form form = may_grow("NEXT_REQ", MessageType::next_req);
  static void fields(auto& f, auto& m) {
    f.constant("version", wire_version);
    f("key", m.key);
  }
  friend bool operator==(const NextRequest&, const NextRequest&) = default;
};

struct NextReply {
  Mode mode{};
  std::optional<PeerRef> predecessor{};
  std::vector<PeerRef> successors{};
  std::vector<PeerRef> closer{};  // before the key, nearest to it first
  static constexpr Form form = may_grow("NEXT_REP", MessageType::next_rep);
  static void fields(auto& f, auto& m) {
    f.constant("version", wire_version);
    f("mode", m.mode);
    f("predecessor", m.predecessor);
    f.list8("successors", m.successors, upto(max_list_entries));
    f.list8("closer", m.closer, upto(max_closer_entries));
  }
  friend bool operator==(const NextReply&, const NextReply&) = default;
};

struct Ping {
  std::uint64_t nonce{};
  static constexpr Form form = may_grow("PING", MessageType::ping);
  static void fields(auto& f, auto& m) {
    f.constant("version", wire_version);
    f("nonce", m.nonce);
  }
  friend bool operator==(const Ping&, const Ping&) = default;
};

struct Pong {
  std::uint64_t nonce{};
  Mode mode{};
  static constexpr Form form = may_grow("PONG", MessageType::pong);
  static void fields(auto& f, auto& m) {
    f.constant("version", wire_version);
    f("nonce", m.nonce);
    f("mode", m.mode);
  }
  friend bool operator==(const Pong&, const Pong&) = default;
};

/// "Treat me as dead"; nothing else in it is believed.
struct Leave {
  std::uint64_t epoch{};
  static constexpr Form form = may_grow("LEAVE", MessageType::leave);
  static void fields(auto& f, auto& m) {
    f.constant("version", wire_version);
    f("epoch", m.epoch);
  }
  friend bool operator==(const Leave&, const Leave&) = default;
};

struct LeaveAck {
  static constexpr Form form = may_grow("LEAVE_ACK", MessageType::leave_ack);
  static void fields(auto& f, auto&) { f.constant("version", wire_version); }
  friend bool operator==(const LeaveAck&, const LeaveAck&) = default;
};

struct ErrorReply {
  Status code{};
  std::uint32_t retry_after_ms{};
  static constexpr Form form = may_grow("ERROR", MessageType::error);
  static void fields(auto& f, auto& m) {
    f.constant("version", wire_version);
    f("code", m.code, {1, 255});
    f("retry after ms", m.retry_after_ms);
  }
  friend bool operator==(const ErrorReply&, const ErrorReply&) = default;
};

using Message = std::variant<StateRequest, StateReply, Notify, NextRequest, NextReply, Ping, Pong,
                             Leave, LeaveAck, ErrorReply>;

}  // namespace beckon::chord
