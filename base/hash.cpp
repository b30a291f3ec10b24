// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include <memory>

namespace beckon {

namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using ContextPtr = std::unique_ptr<EVP_MD_CTX, FreeContext>;

/// Fetching an algorithm costs more than a short hash does, so one fetched object serves for ever.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  ENSURE(algorithm != nullptr);
  return algorithm;
}

}  // namespace

Digest sha256(std::initializer_list<ByteView> pieces) {
  thread_local const ContextPtr context(EVP_MD_CTX_new());
  Digest out{};
  ENSURE(EVP_DigestInit_ex2(context.get(), sha256_algorithm(), nullptr) == 1);
  for (ByteView piece : pieces) {
    ENSURE(EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1);
  }
  ENSURE(EVP_DigestFinal_ex(context.get(), out.data(), nullptr) == 1);
  return out;
}

Digest sha256(ByteView bytes) { return sha256({bytes}); }

Hash128 xxh3_128(ByteView bytes, std::uint64_t seed) {
  XXH128_hash_t h = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {.low = h.low64, .high = h.high64};
}

std::uint64_t xxh3_64(ByteView bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace beckon
