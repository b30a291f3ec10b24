// SPDX-License-Identifier: MIT
#include "node/service/items/claim.h"

#include <doctest/doctest.h>

#include <functional>

#include "base/hash.h"
#include "tests/node/service/items/ring_of_sixteen.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/claim");

namespace {

ClaimRow full_row() {
  return {between(14, 3),
          {.x = 7,
           .holders = holders({1, 2, 3}),
           .promised = ballot(4, 2),
           .accepted = ballot(3, 1),
           .x_accepted = 8,
           .value = holders({2, 4}),
           .filled = 6,
           .led = true}};
}

/// The row with its checksum made right again after `change`.
Bytes changed(const std::function<void(ClaimRow&)>& change) {
  ClaimRow row = full_row();
  change(row);
  return encode_claim(row);
}

}  // namespace

TEST_CASE("a claim comes back from the store as it was") {
  CHECK(*decode_claim(encode_claim(full_row())) == full_row());
  ClaimRow founded{{}, {.x = 1, .holders = holders({5})}};
  CHECK(*decode_claim(encode_claim(founded)) == founded);
}

TEST_CASE("the stored bytes of a claim are these") {
  ClaimRow row{between(1, 2), {.x = 1, .holders = holders({5})}};
  Bytes bytes = encode_claim(row);
  std::string zeros(38, '0');
  std::string body = "10" + zeros + "20" + zeros + "0000000000000001" + "0150" + zeros +
                     "0000000000000069" + std::string(2 * (24 + 24 + 8 + 1 + 8 + 1), '0');
  CHECK(to_hex(ByteView(bytes).subspan(9)) == body);
  CHECK(bytes[0] == 1);
  CHECK(to_hex(ByteView(bytes).subspan(1, 8)) ==
        to_hex(ByteView(sha256(ByteView(bytes).subspan(9))).first(8)));
}

TEST_CASE("every shorter prefix of a claim, and every flipped bit, is refused") {
  Bytes bytes = encode_claim(full_row());
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK(!decode_claim(ByteView(bytes).first(n)));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes damaged = bytes;
    damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ (1U << (bit % 8)));
    CHECK(!decode_claim(damaged));
  }
  bytes.push_back(0);
  CHECK(!decode_claim(bytes));
}

TEST_CASE("every shorter body with a right checksum is refused too") {
  Bytes bytes = encode_claim(full_row());
  for (std::size_t n = 9; n < bytes.size(); ++n) {
    ByteView body = ByteView(bytes).subspan(9, n - 9);
    ByteWriter out;
    out.u8(1);
    out.raw(ByteView(sha256(body)).first(8));
    out.raw(body);
    CHECK(!decode_claim(out.bytes()));
  }
}

TEST_CASE("a claim that no node can have made is refused") {
  CHECK(decode_claim(changed([](ClaimRow&) {})));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.x = 0; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.holders = {}; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.holders = holders({1, 1}); })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.promised = {}; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.promised.number = 0; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.promised = ballot(2, 2); })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.accepted = {}; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.x_accepted = 7; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.value = {}; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) { r.claim.filled = 8; })));
  CHECK(!decode_claim(changed([](ClaimRow& r) {
    r.claim.promised = r.claim.accepted = {};
    r.claim.x_accepted = 0;
    r.claim.value = {};
  })));  // led without a promise
  CHECK(!decode_claim(changed([](ClaimRow& r) {
    for (int n = 0; n < 17; ++n) r.claim.value.push_back({.disk = static_cast<unsigned>(n)});
  })));
}

TEST_CASE("the hash of holders depends on who, on which disk and on the order") {
  auto hash = hash_of(holders({1, 2}));
  CHECK(hash == hash_of(holders({1, 2})));
  CHECK(hash != hash_of(holders({2, 1})));
  CHECK(hash != hash_of(holders({1})));
  CHECK(hash != hash_of({holder(1), {.node = place(2), .disk = 7}}));
}

TEST_SUITE_END();
