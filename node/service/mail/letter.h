// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/hpke.h"
#include "base/time.h"
#include "node/service/kernel/frames.h"
#include "node/service/people/user.h"

namespace beckon::service {

/// Between 1970 and the year 9999: what lies outside is nobody's clock, and arithmetic on it would
/// overflow. Decoders of letters refuse it.
inline constexpr Range plausible_times = {0, 253'402'300'799'999};

/// What one user says to another, before it is sealed. `id` is drawn by the sender: it stays the
/// same over retries, so a letter that arrives twice is known for the same one.
struct Letter {
  enum class Kind : std::uint8_t { text = 1, call = 2, receipt = 3 };
  using Number = std::array<std::uint8_t, 16>;

  PublicKey from{};
  UserId to{};
  Number id{};
  WallTime time{};
  Kind kind = Kind::text;
  Number thread{};     // all zero: between these two; else the group or call it belongs to
  std::string name{};  // what the sender calls itself; a claim, nothing more
  std::string
      body{};  // text; a call's own format; for a receipt nothing: `id` is the letter it answers

  static constexpr std::size_t max_body = 64 * 1024;
  static constexpr std::size_t max_name = 128;
  /// The plain form, for sealing and for the recipient's own disk.
  static constexpr Form form = exact("the letter inside the envelope");
  static void fields(auto& f, auto& m) {
    f("from", m.from);
    f("to", m.to);
    f("id", m.id);
    f("time", m.time, plausible_times);
    f("kind", m.kind, between(Kind::text, Kind::receipt));
    f("thread", m.thread);
    f.text8("name", m.name, upto(max_name));
    f.text32("body", m.body, upto(max_body));
  }
  friend bool operator==(const Letter&, const Letter&) = default;
};

/// A sealed letter as hosts, mailboxes and relays carry it: they learn the recipient, the expiry,
/// the size rounded up to 256 * 2^n, and nothing else.
///
/// The header, then HPKE(encapsulated key 32 | ciphertext | tag 16). The header is authenticated as
/// additional data. Inside, the sender signs everything together with recipient, overlay and
/// header, so a letter cannot be passed on to a third person as if meant for them.
struct EnvelopeHeader {
  UserId to{};
  WallTime expiry{};
  std::array<std::uint8_t, 4> key_tag{};
  std::uint32_t sealed_size{};

  static constexpr std::size_t size = 1 + UserId::size + 8 + 4 + 4;
  static constexpr Form form = exact("an envelope");
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("to", m.to);
    f("expiry", m.expiry, plausible_times);
    f("key tag", m.key_tag);
    f("sealed size", m.sealed_size);
  }
};
struct Envelope {
  UserId to{};
  WallTime expiry{};
  Bytes bytes{};  // verbatim, header included

  static constexpr std::size_t max_size = 132 * 1024;  // the largest padded letter and its frame
  Digest id() const { return sha256(bytes); }
};

inline constexpr auto max_letter_life = std::chrono::hours(14 * 24);

struct SealOptions {
  Digest overlay{};
  hpke::PublicKey to_key{};
  WallTime expiry{};
  hpke::SecretKey ephemeral{};  // fresh for every envelope
};

Result<Envelope> seal(const Letter& letter, const SecretSeed& from, const Signer& signer,
                      const SealOptions& options);

/// Checks form, bounds and header only; what is inside stays closed.
Result<Envelope> decode_envelope(ByteView bytes);

/// Opens with whichever of the recipient's keys fits, and checks sender, recipient and overlay.
/// Error not_found: sealed to a key the recipient does not have (any more).
Result<Letter> open(const Envelope& envelope, const User& recipient, const Signer& signer,
                    const Digest& overlay);

}  // namespace beckon::service
