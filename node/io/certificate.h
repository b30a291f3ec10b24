// SPDX-License-Identifier: MIT
#pragma once

#include <openssl/types.h>

#include <memory>
#include <optional>

#include "node/io/identity.h"
#include "node/service/admission/credential.h"
#include "node/service/admission/revocations.h"

namespace beckon::io {

struct FreeCertificate {
  void operator()(X509* x) const noexcept;
};
struct FreePrivateKey {
  void operator()(EVP_PKEY* k) const noexcept;
};
using CertificatePtr = std::unique_ptr<X509, FreeCertificate>;
using PrivateKeyPtr = std::unique_ptr<EVP_PKEY, FreePrivateKey>;

/// What an overlay asks of a certificate.
struct Trust {
  service::OverlayId overlay{};
  service::Admission admission = service::Admission::open;
  std::optional<PublicKey> authority{};  // closed
  std::uint8_t puzzle{};                 // open
  service::Revocations revocations{};

  static Trust of(const service::Overlay& overlay);
};

/// Who a certificate proves its holder to be, once TLS has shown it holds the key.
struct Proven {
  PublicKey key{};
  chord::Id id{};
  std::optional<service::Credential> credential{};
};

/// Newcomers have no credential yet; they get as far as asking for one.
enum class Purpose : std::uint8_t { link, enrol };

PrivateKeyPtr private_key(const SecretSeed& seed);

/// Self-signed, Ed25519, valid from a day ago for a year. The credential or the puzzle's solution
/// rides in a private extension that is not critical.
CertificatePtr make_certificate(const Identity& self, WallTime now);

/// Its dates, give or take a day: clocks differ.
Result<void> valid_at(const X509* certificate, WallTime now);

/// By the rules of docs/protocol.md: Ed25519, self-signature, validity; in a closed overlay the
/// credential, and that nobody revoked it; in an open one the puzzle.
Result<Proven> judge_certificate(X509* certificate, const Trust& trust, Purpose purpose,
                                 WallTime now);

/// What an honest node can mend when its certificate is not accepted: TLS has an alert for each.
enum class Fault : std::uint8_t { other, not_timely, expelled, no_credential };
Fault fault_of(X509* certificate, const Trust& trust, WallTime now);

/// The private extension's content, or none; more than one, or a broken one, is an error.
Result<std::optional<Bytes>> private_extension(const X509* certificate);
void add_private_extension(X509* certificate, ByteView content);

}  // namespace beckon::io
