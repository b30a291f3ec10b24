// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chord/frame.h"
#include "node/service/admission/overlay.h"
#include "node/service/kernel/frames.h"

namespace beckon::service {

/// Frame types the transport keeps to itself.
namespace wire {
inline constexpr std::uint8_t hello = 0x01;
inline constexpr std::uint8_t hello_ack = 0x02;
inline constexpr std::uint8_t refused = 0x03;
inline constexpr std::uint8_t enrol = 0x04;
inline constexpr std::uint8_t enrolled = 0x05;
inline constexpr std::uint8_t revocations = 0x06;
inline constexpr std::uint8_t alive = 0x07;
inline constexpr std::uint8_t first_free = 0x08;
inline constexpr std::uint8_t schema = 0x1e;  // those below first_free were all taken
}  // namespace wire

inline constexpr std::uint8_t protocol_version = 1;
inline constexpr std::size_t max_greeting_body = 4 * 1024;

/// What each side says of itself before anything else; HELLO and HELLO_ACK carry the same. Who it
/// is, TLS has proved already. Addresses are where it listens; an unspecified host ("0.0.0.0:7000",
/// "[::]:7000") means "where you see me, at this port".
struct Hello {
  std::uint8_t version = protocol_version;
  OverlayId overlay{};
  std::uint64_t epoch{};        // grows by one at each start of the node
  std::uint64_t revocations{};  // version of the list it holds
  std::uint32_t schema{};       // number of the schema it holds
  std::uint32_t capabilities{};
  std::vector<std::string> addresses{};

  static constexpr Form form = exact("HELLO", wire::hello);
  static void fields(auto& f, auto& m) {
    f("version", m.version);
    f("overlay", m.overlay);
    f("epoch", m.epoch);
    f("revocations", m.revocations);
    f("schema", m.schema);
    f("capabilities", m.capabilities);
    f.list8("addresses", m.addresses, upto(4), [](auto& g, auto& address) {
      g.text8("address", address, {1, chord::max_address_size});
    });
  }
  friend bool operator==(const Hello&, const Hello&) = default;
};

/// Why a peer was turned away after it proved who it is; sent so that its user reads the reason.
enum class Refusal : std::uint8_t {
  malformed = 1,
  version,
  overlay,
  stale_epoch,
  revoked,
  busy,
  duplicate,
  self,
  not_invited,
  not_authority
};

/// The body of a REFUSED frame.
struct Refused {
  Refusal why{};
  /// Of stale_epoch: where the later start listens, or empty. A hint: whoever is refused looks
  /// there for itself.
  std::string later_at{};

  static constexpr Form form = exact("refusal", wire::refused);
  static void fields(auto& f, auto& m) {
    f.constant("version", protocol_version);
    f("reason", m.why, between(Refusal::malformed, Refusal::not_authority));
    f.when("reason is 4", m.why == Refusal::stale_epoch,
           [&] { f.text8("later at", m.later_at, upto(chord::max_address_size)); });
  }
  friend bool operator==(const Refused&, const Refused&) = default;
};
std::string_view refusal_text(Refusal why);  // a sentence, with the cure where there is one

/// The order of the first frames. The dialler says HELLO and waits for HELLO_ACK; the acceptor
/// waits for HELLO. Any other frame, a second one, or one that does not decode ends it. Pure; the
/// transport owns time-outs and sends the frames. `decide` is the acceptor's own judgement.
class Greeting {
 public:
  enum class Side : std::uint8_t { dialler, acceptor };
  Greeting(Side side, const Hello& self) : side_(side), self_(self) {}

  bool done() const { return peer_.has_value(); }
  const Hello& peer() const { return *peer_; }  // once done
  /// The greeting frame of the other side. The error text is fit for a log.
  Result<void> receive(std::uint8_t type, ByteView body);
  std::optional<Refusal> refusal() const { return refusal_; }  // what to tell, or what we were told
  const std::string& later_at() const { return later_at_; }    // of Refused, as we were told

 private:
  Result<void> fail(Refusal why, std::string text);
  Side side_;
  const Hello& self_;
  std::optional<Hello> peer_{};
  std::optional<Refusal> refusal_{};
  std::string later_at_{};
};

}  // namespace beckon::service
