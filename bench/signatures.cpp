// SPDX-License-Identifier: MIT
// What does it cost to check an Ed25519 signature?
#include "base/rng.h"
#include "base/signature_rule.h"
#include "bench/harness.h"

using namespace beckon;
using namespace beckon::bench;

namespace {

struct Signed {
  PublicKey key{};
  Bytes message{};
  Signature signature{};
};

/// Messages of 400 bytes, about the size of a record.
std::vector<Signed> samples(std::size_t count) {
  Rng rng(25519);
  std::vector<Signed> out(count);
  for (Signed& one : out) {
    SecretSeed seed{};
    for (std::uint8_t& byte : seed) byte = static_cast<std::uint8_t>(rng.below(256));
    for (int i = 0; i < 400; ++i) one.message.push_back(static_cast<std::uint8_t>(rng.below(256)));
    one.key = Ed25519().public_key(seed);
    one.signature = Ed25519().sign(seed, one.message);
  }
  return out;
}

}  // namespace

int main() {
  auto all = samples(200);
  auto count = static_cast<std::uint64_t>(all.size());
  Contest check("Checking a signature over 400 bytes", count);
  check.add("as nodes do", [&] {
    for (const Signed& one : all) keep(Ed25519().verify(one.key, one.message, one.signature));
  });
  for (auto engine : {SignatureEngine::sodium, SignatureEngine::openssl}) {
    check.add(engine == SignatureEngine::sodium ? "libsodium" : "OpenSSL", [&all, engine] {
      for (const Signed& one : all) {
        keep(signature_holds(engine, one.key, one.message, one.signature));
      }
    });
  }
  check.add("the form only", [&] {
    for (const Signed& one : all) keep(acceptable_form(one.key, one.signature));
  });
  check.run();
  check.print();
  bool cheap = promise("share of the form", check.ratio(3).median, "<=", 0.02);
  return promise("OpenSSL's time, in ours", check.ratio(2).median, ">=", 1) && cheap ? 0 : 1;
}
