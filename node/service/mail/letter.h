#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/hpke.h"
#include "base/time.h"
#include "node/service/people/user.h"

namespace beckon::service {

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
  friend bool operator==(const Letter&, const Letter&) = default;
};

/// The plain form, for sealing and for the recipient's own disk. Reading leaves the rest of the
/// reader.
Bytes encode(const Letter& letter);
Result<Letter> read_letter(ByteReader& reader);

/// A sealed letter as hosts, mailboxes and relays carry it: they learn the recipient, the expiry,
/// the size rounded up to 256 * 2^n, and nothing else.
///
///   u8 version | to 20 | i64 expiry ms | key tag 4 | u32 size | HPKE(encapsulated key 32 |
///   ciphertext | tag 16)
///
/// The header is authenticated as additional data. Inside, the sender signs everything together
/// with recipient, overlay and header, so a letter cannot be passed on to a third person as if
/// meant for them.
struct Envelope {
  UserId to{};
  WallTime expiry{};
  Bytes bytes{};  // verbatim, header included

  static constexpr std::size_t max_size = 132 * 1024;  // the largest padded letter and its frame
  Digest id() const { return sha256(bytes); }
};

/// Between 1970 and the year 9999: what lies outside is nobody's clock, and arithmetic on it would
/// overflow. Decoders of letters refuse it.
inline bool is_plausible(WallTime time) {
  return to_ms(time) >= 0 && to_ms(time) < 253'402'300'800'000;
}

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
