// SPDX-License-Identifier: MIT
#include "base/crypto.h"

#include <openssl/evp.h>

#include <memory>

#include "base/signature_rule.h"

namespace beckon {

namespace {

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeKey>;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using ContextPtr = std::unique_ptr<EVP_MD_CTX, FreeContext>;

KeyPtr private_key(const SecretSeed& seed) {
  KeyPtr key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()));
  ENSURE(key != nullptr);
  return key;
}

}  // namespace

PublicKey Ed25519::public_key(const SecretSeed& seed) const {
  PublicKey out{};
  std::size_t size = out.size();
  ENSURE(EVP_PKEY_get_raw_public_key(private_key(seed).get(), out.data(), &size) == 1);
  return out;
}

Signature Ed25519::sign(const SecretSeed& seed, ByteView message) const {
  KeyPtr key = private_key(seed);
  ContextPtr context(EVP_MD_CTX_new());
  Signature out{};
  std::size_t size = out.size();
  ENSURE(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  ENSURE(EVP_DigestSign(context.get(), out.data(), &size, message.data(), message.size()) == 1);
  return out;
}

bool Ed25519::verify(const PublicKey& key, ByteView message, const Signature& signature) const {
  auto engine = trusted_signature_engine();
  return engine && signature_holds(*engine, key, message, signature);
}

}  // namespace beckon
