// SPDX-License-Identifier: MIT
#include "base/hpke.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <memory>

#include "base/hash.h"

namespace beckon::hpke {

namespace {

struct FreePkey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreePkeyContext {
  void operator()(EVP_PKEY_CTX* context) const noexcept { EVP_PKEY_CTX_free(context); }
};
struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using PkeyPtr = std::unique_ptr<EVP_PKEY, FreePkey>;
using PkeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, FreePkeyContext>;
using CipherPtr = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

constexpr std::size_t tag_size = 16;
constexpr std::uint8_t kem_suite[] = {'K', 'E', 'M', 0x00, 0x20};
constexpr std::uint8_t hpke_suite[] = {'H', 'P', 'K', 'E', 0x00, 0x20, 0x00, 0x01, 0x00, 0x03};

Digest hmac(ByteView key, ByteView message) {
  static constexpr std::uint8_t none = 0;  // HMAC() wants a pointer even for an empty key
  Digest out{};
  unsigned size = out.size();
  ENSURE(HMAC(EVP_sha256(), key.empty() ? &none : key.data(), static_cast<int>(key.size()),
              message.data(), message.size(), out.data(), &size) != nullptr);
  return out;
}

Digest labeled_extract(ByteView suite, ByteView salt, std::string_view label, ByteView material) {
  ByteWriter w;
  w.raw(as_bytes("HPKE-v1"));
  w.raw(suite);
  w.raw(as_bytes(label));
  w.raw(material);
  return hmac(salt, w.bytes());
}

/// HKDF-Expand for at most one block of SHA-256, which is all this suite ever needs.
Digest labeled_expand(ByteView suite, const Digest& key, std::string_view label, ByteView info,
                      std::uint16_t length) {
  ENSURE(length <= sizeof(Digest));
  ByteWriter w;
  w.u16(length);
  w.raw(as_bytes("HPKE-v1"));
  w.raw(suite);
  w.raw(as_bytes(label));
  w.raw(info);
  w.u8(1);
  return hmac(key, w.bytes());
}

PkeyPtr secret_pkey(const SecretKey& secret) {
  PkeyPtr key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), secret.size()));
  ENSURE(key != nullptr);
  return key;
}

/// X25519; OpenSSL refuses an all-zero result, as RFC 9180 section 7.1.4 demands.
Result<Digest> diffie_hellman(const SecretKey& secret, const PublicKey& peer) {
  PkeyPtr ours = secret_pkey(secret);
  PkeyPtr theirs(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, peer.data(), peer.size()));
  PkeyContextPtr context(EVP_PKEY_CTX_new(ours.get(), nullptr));
  Digest out{};
  std::size_t size = out.size();
  bool ok = theirs != nullptr && EVP_PKEY_derive_init(context.get()) == 1 &&
            EVP_PKEY_derive_set_peer(context.get(), theirs.get()) == 1 &&
            EVP_PKEY_derive(context.get(), out.data(), &size) == 1;
  if (!ok) return invalid("the X25519 key is of small order");
  return out;
}

struct KeyAndNonce {
  Digest key{};
  Digest nonce{};  // the first 12 bytes count
};

/// ExtractAndExpand of the KEM (section 4.1), then the key schedule of mode_base (section 5.1).
KeyAndNonce schedule(const Digest& dh, const PublicKey& enc, const PublicKey& recipient,
                     ByteView info) {
  ByteWriter kem_context;
  kem_context.raw(enc);
  kem_context.raw(recipient);
  Digest eae = labeled_extract(kem_suite, {}, "eae_prk", dh);
  Digest shared = labeled_expand(kem_suite, eae, "shared_secret", kem_context.bytes(), 32);

  ByteWriter context;
  context.u8(0);  // mode_base
  context.raw(labeled_extract(hpke_suite, {}, "psk_id_hash", {}));
  context.raw(labeled_extract(hpke_suite, {}, "info_hash", info));
  Digest secret = labeled_extract(hpke_suite, shared, "secret", {});
  return {.key = labeled_expand(hpke_suite, secret, "key", context.bytes(), 32),
          .nonce = labeled_expand(hpke_suite, secret, "base_nonce", context.bytes(), 12)};
}

Bytes encrypt(const KeyAndNonce& keys, ByteView aad, ByteView plaintext) {
  CipherPtr context(EVP_CIPHER_CTX_new());
  Bytes out(plaintext.size() + tag_size);
  int size = 0;
  ENSURE(EVP_EncryptInit_ex(context.get(), EVP_chacha20_poly1305(), nullptr, keys.key.data(),
                            keys.nonce.data()) == 1);
  ENSURE(EVP_EncryptUpdate(context.get(), nullptr, &size, aad.data(),
                           static_cast<int>(aad.size())) == 1);
  ENSURE(EVP_EncryptUpdate(context.get(), out.data(), &size, plaintext.data(),
                           static_cast<int>(plaintext.size())) == 1);
  ENSURE(EVP_EncryptFinal_ex(context.get(), out.data() + size, &size) == 1);
  ENSURE(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_size,
                             out.data() + plaintext.size()) == 1);
  return out;
}

Result<Bytes> decrypt(const KeyAndNonce& keys, ByteView aad, ByteView ciphertext) {
  CipherPtr context(EVP_CIPHER_CTX_new());
  ByteView body = ciphertext.first(ciphertext.size() - tag_size);
  Bytes tag(ciphertext.end() - tag_size, ciphertext.end());
  Bytes out(body.size());
  int size = 0;
  bool ok = EVP_DecryptInit_ex(context.get(), EVP_chacha20_poly1305(), nullptr, keys.key.data(),
                               keys.nonce.data()) == 1 &&
            EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1 &&
            EVP_DecryptUpdate(context.get(), nullptr, &size, aad.data(),
                              static_cast<int>(aad.size())) == 1 &&
            EVP_DecryptUpdate(context.get(), out.data(), &size, body.data(),
                              static_cast<int>(body.size())) == 1 &&
            EVP_DecryptFinal_ex(context.get(), out.data() + size, &size) == 1;
  if (!ok) return invalid("the sealed message was altered, or is for somebody else");
  return out;
}

}  // namespace

PublicKey public_key(const SecretKey& secret) {
  PublicKey out{};
  std::size_t size = out.size();
  ENSURE(EVP_PKEY_get_raw_public_key(secret_pkey(secret).get(), out.data(), &size) == 1);
  return out;
}

Result<Bytes> seal(const PublicKey& to, const SecretKey& ephemeral, ByteView info, ByteView aad,
                   ByteView plaintext) {
  auto dh = diffie_hellman(ephemeral, to);
  if (!dh) return dh.error();
  PublicKey enc = public_key(ephemeral);
  Bytes ciphertext = encrypt(schedule(*dh, enc, to, info), aad, plaintext);
  ciphertext.insert(ciphertext.begin(), enc.begin(), enc.end());
  return ciphertext;
}

Result<Bytes> open(const SecretKey& secret, ByteView info, ByteView aad, ByteView sealed) {
  if (sealed.size() < overhead) return invalid("the sealed message is cut short");
  PublicKey enc{};
  std::copy_n(sealed.begin(), enc.size(), enc.begin());
  auto dh = diffie_hellman(secret, enc);
  if (!dh) return dh.error();
  return decrypt(schedule(*dh, enc, public_key(secret), info), aad, sealed.subspan(enc.size()));
}

}  // namespace beckon::hpke
