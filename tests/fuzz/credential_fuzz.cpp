// SPDX-License-Identifier: MIT
// What an authority signs and a stranger may forge: credential, revocation list, enrolment.
#include "node/service/admission/credential.h"

#include "node/service/admission/enrolment.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;

namespace {

const SecretSeed seed{1};
const PublicKey authority = Ed25519().public_key(seed);
const PublicKey member = Ed25519().public_key(SecretSeed{2});

Credential genuine() {
  Credential out{.key_hash = sha256(spki_of(member)), .not_after = wall_from_ms(1000), .serial = 1};
  out.signature = Ed25519().sign(seed, out.signed_part());
  return out;
}

Revocations genuine_list() {
  Revocations out{.version = 3};
  out.expelled[node_id(member)] = wall_from_ms(5);
  out.expelled[node_id(authority)] = wall_from_ms(6);
  out.signature = Ed25519().sign(seed, out.signed_part());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteView input(data, size);
  if (auto credential = decode<Credential>(input)) {
    static const Credential only = genuine();
    bool fine = credential->check({}, authority, member, Ed25519(), wall_from_ms(500)).has_value();
    ENSURE(!fine || *credential == only);  // nothing but what was signed holds
  }
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  Enrolment full{
      .overlay = builtin_overlay(), .credential = genuine(), .revocations = genuine_list()};
  return {encode(genuine()), encode(genuine_list()), encode(full),
          encode(Enrolment{.overlay = builtin_overlay()})};
}
