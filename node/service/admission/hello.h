// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
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

/// The versions of the protocol that this node speaks. A link uses the newest that both ends know.
inline constexpr std::uint8_t newest_version = 2;
inline constexpr std::uint8_t oldest_version = 2;
inline constexpr std::size_t max_greeting_body = 4 * 1024;

/// What a node can do beyond what its version obliges it to: bits of HELLO. On a link only that is
/// used which both ends can. What every node of an overlay must be able to do stands in its file.
namespace capability {
inline constexpr std::uint64_t schema_documents = 1;  // takes SCHEMA, and sends it on
inline constexpr std::uint64_t ours = schema_documents;
}  // namespace capability

/// What all nodes of the overlay must be able to do: its limit "capabilities".
std::uint64_t needed_capabilities(const Overlay& overlay);
/// That we can; the error names the first bit that this version does not know.
Result<void> check_capabilities(const Overlay& overlay);

/// One field of HELLO. Types from first_random on never get a meaning: every greeting carries one
/// with random content, so that nobody comes to refuse what it does not know.
struct HelloField {
  enum Type : std::uint8_t { revocations = 1, schema = 2, address = 3, first_random = 0x80 };
  std::uint8_t type{};
  Bytes value{};
  static HelloField random(Rng& rng);
  static void fields(auto& f, auto& m) {
    f("type", m.type);
    f.bytes16("value", m.value);
  }
  friend bool operator==(const HelloField&, const HelloField&) = default;
};

/// HELLO and HELLO_ACK as they travel. This shape is the same in all versions, and the two bytes at
/// its beginning are read before anything else.
struct HelloBody {
  std::uint8_t newest = newest_version;
  std::uint8_t oldest = oldest_version;
  OverlayId overlay{};
  std::uint64_t epoch{};
  std::uint64_t capabilities{};
  std::vector<HelloField> said{};

  static constexpr Form form = may_grow("HELLO", wire::hello);
  static void fields(auto& f, auto& m) {
    f("newest version", m.newest);
    f("oldest version", m.oldest);
    f("overlay", m.overlay);
    f("epoch", m.epoch);
    f("capabilities", m.capabilities);
    f.list8("fields", m.said, {});
  }
};

/// What each side says of itself before anything else. Who it is, TLS has proved already. Addresses
/// are where it listens; an unspecified host ("0.0.0.0:7000", "[::]:7000") means "where you see me,
/// at this port".
struct Hello {
  static constexpr std::size_t max_addresses = 4;
  std::uint8_t newest = newest_version;
  std::uint8_t oldest = oldest_version;
  OverlayId overlay{};
  std::uint64_t epoch{};  // grows by one at each start of the node
  std::uint64_t capabilities = capability::ours;
  std::uint64_t revocations{};  // version of the list it holds
  std::uint32_t schema{};       // number of the schema it holds
  std::vector<std::string> addresses{};
  friend bool operator==(const Hello&, const Hello&) = default;
};
Bytes encode(const Hello& hello, const std::vector<HelloField>& others = {});
/// Passes over fields it does not know and what stands behind a value or behind all.
Result<Hello> decode_hello(ByteView body);

/// Why a peer was turned away after it proved who it is; sent so that its user reads the reason.
enum class Refusal : std::uint16_t {
  malformed = 1,
  version,
  overlay,
  stale_epoch,
  revoked,
  busy,
  duplicate,
  self,
  not_invited,
  not_authority,
  capability
};

/// The body of a REFUSED frame, in all versions: this is how versions tell each other that they
/// differ. Who does not know the code shows the words.
struct Refused {
  Refusal why{};
  std::string text{};  // what is wrong, as the refused one will read it: "it" is the refuser
  std::string cure{};  // what to do about it; may be empty
  /// Of stale_epoch: where the later start listens, or empty. A hint: whoever is refused looks
  /// there for itself.
  std::string later_at{};

  static Refused of(Refusal why);  // with our words
  std::string shown() const;       // for a person: our words, or of an unknown code the peer's

  static constexpr Form form = may_grow("refusal", wire::refused);
  static void fields(auto& f, auto& m) {
    f("code", m.why);
    f.text8("text", m.text);
    f.text8("cure", m.cure);
    f.text8("later at", m.later_at, upto(chord::max_address_size));
  }
  friend bool operator==(const Refused&, const Refused&) = default;
};

/// The order of the first frames. The dialler says HELLO and waits for HELLO_ACK; the acceptor
/// waits for HELLO. Any other frame, a second one, or one that does not decode ends it. Versions
/// are judged first, by two bytes. Pure; the transport owns time-outs and sends the frames.
class Greeting {
 public:
  enum class Side : std::uint8_t { dialler, acceptor };
  /// `needed`: the capabilities that the overlay demands of all its nodes.
  Greeting(Side side, const Hello& self, std::uint64_t needed = 0)
      : side_(side), self_(self), needed_(needed) {}

  bool done() const { return peer_.has_value(); }
  const Hello& peer() const { return *peer_; }  // once done
  std::uint8_t version() const;                 // once done: the newest that both speak
  std::uint64_t capabilities() const { return self_.capabilities & peer_->capabilities; }
  /// The greeting frame of the other side. The error text is fit for a log.
  Result<void> receive(std::uint8_t type, ByteView body);
  std::optional<Refusal> refusal() const { return refusal_; }  // what to tell, or what we were told
  const std::string& later_at() const { return later_at_; }    // of Refused, as we were told

 private:
  Result<void> fail(Refusal why, std::string text);
  Result<void> refused(ByteView body);
  Result<void> check_version(ByteView body);
  Result<void> check_capabilities(const Hello& peer);
  Side side_;
  const Hello& self_;
  std::uint64_t needed_;
  std::optional<Hello> peer_{};
  std::optional<Refusal> refusal_{};
  std::string later_at_{};
};

}  // namespace beckon::service
