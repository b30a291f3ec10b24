// SPDX-License-Identifier: MIT
#include "node/io/certificate.h"

#include <openssl/asn1.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>

#include "base/signature_rule.h"

namespace beckon::io {

namespace {

// An arc anybody may use: 2.25 and a random UUID as a number.
constexpr const char* extension_oid = "2.25.268941137046718409387719032866520017141";
constexpr long day = 24 * 60 * 60;
constexpr std::uint8_t puzzle_tag = 2;  // a credential begins with 1

struct FreeObject {
  void operator()(ASN1_OBJECT* o) const noexcept { ASN1_OBJECT_free(o); }
};
struct FreeOctets {
  void operator()(ASN1_OCTET_STRING* o) const noexcept { ASN1_OCTET_STRING_free(o); }
};
struct FreeExtension {
  void operator()(X509_EXTENSION* e) const noexcept { X509_EXTENSION_free(e); }
};
using ObjectPtr = std::unique_ptr<ASN1_OBJECT, FreeObject>;
using OctetsPtr = std::unique_ptr<ASN1_OCTET_STRING, FreeOctets>;

ASN1_OBJECT* extension_name() {
  static const ObjectPtr object(OBJ_txt2obj(extension_oid, 1));
  ENSURE(object != nullptr);
  return object.get();
}

Bytes extension_content(const Identity& self) {
  if (self.credential) return encode(*self.credential);
  ByteWriter out;
  out.u8(puzzle_tag);
  out.u64(self.puzzle_solution);
  return out.take();
}

Error refuse(std::string text) { return {ErrorCode::refused, std::move(text)}; }

Result<PublicKey> ed25519_key(X509* certificate) {
  EVP_PKEY* key = X509_get0_pubkey(certificate);
  PublicKey out{};
  std::size_t size = out.size();
  bool fine = key != nullptr && EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 &&
              EVP_PKEY_get_raw_public_key(key, out.data(), &size) == 1 && size == out.size();
  if (!fine) return refuse("certificate has a key that is not Ed25519");
  return out;
}

/// By the rule of base/signature_rule.h: we look at the form, OpenSSL checks the equation.
bool signed_by(const PublicKey& key, X509* certificate) {
  const ASN1_BIT_STRING* bits = nullptr;
  X509_get0_signature(&bits, nullptr, certificate);
  Signature signature{};
  if (static_cast<std::size_t>(ASN1_STRING_length(bits)) != signature.size()) return false;
  std::copy_n(ASN1_STRING_get0_data(bits), signature.size(), signature.begin());
  return acceptable_form(key, signature) &&
         X509_verify(certificate, X509_get0_pubkey(certificate)) == 1;
}

Result<void> judge_puzzle(const Proven& who, const std::optional<Bytes>& content,
                          const Trust& trust) {
  if (trust.puzzle == 0) return {};
  ByteReader in(content ? ByteView(*content) : ByteView());
  bool tagged = in.u8() == puzzle_tag;
  std::uint64_t solution = in.u64();
  service::Puzzle puzzle{.overlay = trust.overlay, .bits = trust.puzzle};
  if (!tagged || !in.finish("puzzle") || !puzzle.solved_by(who.key, solution)) {
    return refuse("certificate does not solve the overlay's identity puzzle");
  }
  return {};
}

Result<void> judge_credential(Proven& who, const std::optional<Bytes>& content, const Trust& trust,
                              WallTime now) {
  if (!content) return refuse("certificate carries no credential of this closed overlay");
  if (!content->empty() && content->front() == puzzle_tag) {
    return refuse(
        "certificate is of an open overlay, this one is closed; is it the right overlay?");
  }
  auto credential = service::decode<service::Credential>(*content);
  if (!credential) return refuse(credential.error().text);
  ENSURE(trust.authority.has_value());
  auto fine = credential->check(trust.overlay, *trust.authority, who.key, Ed25519(), now);
  if (!fine) return fine;
  who.id = service::node_id(who.key, credential->nonce);
  if (trust.revocations.contains(who.id)) {
    return refuse("credential was revoked by the overlay's authority");
  }
  who.credential = std::move(*credential);
  return {};
}

}  // namespace

void FreeCertificate::operator()(X509* x) const noexcept { X509_free(x); }
void FreePrivateKey::operator()(EVP_PKEY* k) const noexcept { EVP_PKEY_free(k); }

Trust Trust::of(const service::Overlay& overlay) {
  bool closed = overlay.admission == service::Admission::closed;
  return {.overlay = overlay.id(),
          .admission = overlay.admission,
          .authority = closed ? overlay.authority : std::nullopt,
          .puzzle = overlay.puzzle};
}

PrivateKeyPtr private_key(const SecretSeed& seed) {
  PrivateKeyPtr key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()));
  ENSURE(key != nullptr);
  return key;
}

void add_private_extension(X509* certificate, ByteView content) {
  OctetsPtr inner(ASN1_OCTET_STRING_new());
  OctetsPtr outer(ASN1_OCTET_STRING_new());
  ENSURE(inner != nullptr && outer != nullptr);
  ENSURE(ASN1_OCTET_STRING_set(inner.get(), content.data(), static_cast<int>(content.size())) == 1);
  int size = i2d_ASN1_OCTET_STRING(inner.get(), nullptr);
  ENSURE(size > 0);
  Bytes der(static_cast<std::size_t>(size));
  unsigned char* at = der.data();
  i2d_ASN1_OCTET_STRING(inner.get(), &at);
  ENSURE(ASN1_OCTET_STRING_set(outer.get(), der.data(), size) == 1);
  std::unique_ptr<X509_EXTENSION, FreeExtension> extension(
      X509_EXTENSION_create_by_OBJ(nullptr, extension_name(), 0, outer.get()));
  ENSURE(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

Result<std::optional<Bytes>> private_extension(const X509* certificate) {
  int at = X509_get_ext_by_OBJ(certificate, extension_name(), -1);
  if (at < 0) return std::optional<Bytes>();
  if (X509_get_ext_by_OBJ(certificate, extension_name(), at) >= 0) {
    return refuse("certificate has two credentials");
  }
  const ASN1_OCTET_STRING* outer = X509_EXTENSION_get_data(X509_get_ext(certificate, at));
  const unsigned char* from = ASN1_STRING_get0_data(outer);
  const unsigned char* end = from + ASN1_STRING_length(outer);
  OctetsPtr inner(d2i_ASN1_OCTET_STRING(nullptr, &from, ASN1_STRING_length(outer)));
  if (inner == nullptr || from != end) return refuse("certificate has a malformed credential");
  const unsigned char* data = ASN1_STRING_get0_data(inner.get());
  return std::optional(Bytes(data, data + ASN1_STRING_length(inner.get())));
}

CertificatePtr make_certificate(const Identity& self, WallTime now) {
  CertificatePtr out(X509_new());
  PrivateKeyPtr key = private_key(self.seed);
  ENSURE(out != nullptr);
  auto seconds = static_cast<std::time_t>(to_ms(now) / 1000);
  X509_set_version(out.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), 1);
  ENSURE(ASN1_TIME_set(X509_getm_notBefore(out.get()), seconds - day) != nullptr);
  ENSURE(ASN1_TIME_set(X509_getm_notAfter(out.get()), seconds + 365 * day) != nullptr);
  X509_NAME* name = X509_get_subject_name(out.get());
  const auto* cn = reinterpret_cast<const unsigned char*>("beckon");
  ENSURE(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, cn, -1, -1, 0) == 1);
  ENSURE(X509_set_issuer_name(out.get(), name) == 1);
  ENSURE(X509_set_pubkey(out.get(), key.get()) == 1);
  add_private_extension(out.get(), extension_content(self));
  ENSURE(X509_sign(out.get(), key.get(), nullptr) > 0);
  return out;
}

Result<void> valid_at(const X509* certificate, WallTime now) {
  auto seconds = static_cast<std::time_t>(to_ms(now) / 1000);
  std::time_t late = seconds + day;
  std::time_t early = seconds - day;
  if (X509_cmp_time(X509_get0_notBefore(certificate), &late) >= 0) {
    return refuse(
        "certificate is not valid yet; is this machine's clock behind, or the peer's ahead?");
  }
  if (X509_cmp_time(X509_get0_notAfter(certificate), &early) <= 0) {
    return refuse("certificate has expired; is this machine's clock ahead, or the peer's behind?");
  }
  return {};
}

Fault fault_of(X509* certificate, const Trust& trust, WallTime now) {
  if (!valid_at(certificate, now)) return Fault::not_timely;
  if (trust.admission == service::Admission::open) return Fault::other;
  auto content = private_extension(certificate);
  if (!content) return Fault::other;
  bool none = !*content || (*content)->empty() || (*content)->front() == puzzle_tag;
  if (none) return Fault::no_credential;
  auto credential = service::decode<service::Credential>(**content);
  auto key = ed25519_key(certificate);
  bool expelled =
      credential && key && trust.revocations.contains(service::node_id(*key, credential->nonce));
  return expelled ? Fault::expelled : Fault::other;
}

Result<Proven> judge_certificate(X509* certificate, const Trust& trust, Purpose purpose,
                                 WallTime now) {
  auto key = ed25519_key(certificate);
  if (!key) return key.error();
  if (!signed_by(*key, certificate)) return refuse("certificate is not signed by its own key");
  if (auto valid = valid_at(certificate, now); !valid) return valid.error();
  auto content = private_extension(certificate);
  if (!content) return content.error();

  Proven who{.key = *key, .id = service::node_id(*key)};
  bool has_credential = *content && (*content)->size() == service::Credential::size;
  Result<void> fine;
  if (trust.admission == service::Admission::open) {
    if (purpose == Purpose::link) fine = judge_puzzle(who, *content, trust);
  } else if (purpose == Purpose::link || has_credential) {
    fine = judge_credential(who, *content, trust, now);
  }
  if (!fine) return fine.error();
  return who;
}

}  // namespace beckon::io
