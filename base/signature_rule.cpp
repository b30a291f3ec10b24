// SPDX-License-Identifier: MIT
#include "base/signature_rule.h"

#include <openssl/evp.h>
#include <sodium/core.h>
#include <sodium/crypto_sign.h>

#include <algorithm>
#include <memory>

namespace beckon {

namespace {

using Number = std::array<std::uint8_t, 32>;  // little-endian, as the curve's encodings are

Number number(std::string_view hex) {
  Bytes bytes = *from_hex(hex);
  return ByteReader(bytes).array<32>();
}

bool less(const Number& a, const Number& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

bool acceptable_point(Number y) {
  static const Number p =
      number("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
  static const std::array<Number, 5> small_order{
      number("0000000000000000000000000000000000000000000000000000000000000000"),
      number("0100000000000000000000000000000000000000000000000000000000000000"),
      number("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
      number("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
      number("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")};
  y.back() &= 0x7f;  // the sign of x
  return less(y, p) && std::find(small_order.begin(), small_order.end(), y) == small_order.end();
}

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

bool holds_in_openssl(const PublicKey& key, ByteView message, const Signature& signature) {
  std::unique_ptr<EVP_PKEY, FreeKey> pkey(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()));
  if (pkey == nullptr) return false;
  std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  ENSURE(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, pkey.get()) == 1);
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(),
                          message.size()) == 1;
}

/// Five of the vectors "signatures" in tests/protocol/vectors.json, all of an acceptable form.
struct KnownAnswer {
  bool mixed_key;  // the key has a part of order 8
  std::string_view message;
  std::string_view signature;
  bool holds;
};
constexpr std::string_view plain_key =
    "b107408cd8c9c44ceed05ac385498c7b14bac0d4870f8d5934120363f227def1";
constexpr std::string_view mixed_key =
    "3996b9180149f29ff442474875a7925518cdd89a33520730a992076dd8f0326c";
constexpr std::array<KnownAnswer, 5> known_answers{{
    {false, "0",
     "24b16255ec3cb5071dedf777cda17e987b07514e1846fe9500d4b490e1f671f6"
     "87c7a9129e2dbdb4de92fe396b0a390b0c6d237ca739145d082a25b439a12507",
     true},
    {false, "0!",  // another message
     "24b16255ec3cb5071dedf777cda17e987b07514e1846fe9500d4b490e1f671f6"
     "87c7a9129e2dbdb4de92fe396b0a390b0c6d237ca739145d082a25b439a12507",
     false},
    {true, "19",  // the key's part of order 8 cancels out
     "24b16255ec3cb5071dedf777cda17e987b07514e1846fe9500d4b490e1f671f6"
     "2c15c531404f0b700672ecc14105ba79a55fc9a46f6b2426f9052aea1b28c006",
     true},
    {true, "9",  // holds only with the cofactor, because of A
     "24b16255ec3cb5071dedf777cda17e987b07514e1846fe9500d4b490e1f671f6"
     "7e78068c311622e0ba558908c1365e10c5f454a3707f588e0a1b98af1989f30d",
     false},
    {false, "0",  // holds only with the cofactor, because of R
     "5c6ca57923f17178a3a97f44cbdd66d7f948241a8e91f8f18b7f5a5a91f55bf9"
     "0c8509a41434119be02a771a597fa48159e3244e3c8e47da646ce6155bd31a0f",
     false},
}};

}  // namespace

bool acceptable_form(const PublicKey& key, const Signature& signature) {
  static const Number order =
      number("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  Number r{};
  Number s{};
  std::copy_n(signature.begin(), 32, r.begin());
  std::copy_n(signature.begin() + 32, 32, s.begin());
  return less(s, order) && acceptable_point(r) && acceptable_point(key);
}

bool signature_holds(SignatureEngine engine, const PublicKey& key, ByteView message,
                     const Signature& signature) {
  if (!acceptable_form(key, signature)) return false;
  if (engine == SignatureEngine::openssl) return holds_in_openssl(key, message, signature);
  return crypto_sign_verify_detached(signature.data(), message.data(), message.size(),
                                     key.data()) == 0;
}

bool keeps_the_rule(const SignatureCheck& check) {
  return std::all_of(known_answers.begin(), known_answers.end(), [&](const KnownAnswer& known) {
    Bytes message(known.message.begin(), known.message.end());
    Bytes signature = *from_hex(known.signature);
    return check(number(known.mixed_key ? mixed_key : plain_key), message,
                 ByteReader(signature).array<64>()) == known.holds;
  });
}

std::optional<SignatureEngine> trusted_signature_engine() {
  static const auto trusted = []() -> std::optional<SignatureEngine> {
    for (auto engine : {SignatureEngine::sodium, SignatureEngine::openssl}) {
      if (engine == SignatureEngine::sodium && sodium_init() < 0) continue;
      auto check = [engine](const PublicKey& key, ByteView message, const Signature& signature) {
        return signature_holds(engine, key, message, signature);
      };
      if (keeps_the_rule(check)) return engine;
    }
    return std::nullopt;
  }();
  return trusted;
}

}  // namespace beckon
