// SPDX-License-Identifier: MIT
#include "node/service/admission/credential.h"

#include <doctest/doctest.h>

#include "node/service/admission/enrolment.h"
#include "node/service/admission/invite.h"
#include "node/service/admission/revocations.h"

using namespace beckon;
using namespace beckon::service;
using std::chrono::hours;

namespace {

const SecretSeed authority_seed{1};
const PublicKey authority_key = Ed25519().public_key(authority_seed);
const PublicKey member_key = Ed25519().public_key(SecretSeed{2});
const WallTime noon = wall_from_ms(1'800'000'000'000);
const OverlayId overlay{7};

Credential credential() {
  Credential out{.overlay = overlay,
                 .key_hash = sha256(spki_of(member_key)),
                 .nonce = {5},
                 .not_before = noon - hours(1),
                 .not_after = noon + hours(1),
                 .serial = 3};
  out.signature = Ed25519().sign(authority_seed, out.signed_part());
  return out;
}

Revocations revocations() {
  Revocations out{.overlay = overlay, .version = 2};
  out.expelled[node_id(member_key)] = noon;
  out.expelled[node_id(authority_key)] = noon + hours(2);
  out.signature = Ed25519().sign(authority_seed, out.signed_part());
  return out;
}

Invite invite() {
  return {.overlay = overlay,
          .name = "club",
          .admission = Admission::closed,
          .inviter = node_id(member_key),
          .not_after = noon,
          .addresses = {"127.0.0.1:7000", "[::1]:7000"},
          .authority = authority_key,
          .secret = InviteSecret{9}};
}

template <typename T>
void refuses_every_prefix(const Bytes& whole) {
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(decode<T>(ByteView(whole).first(size)));
  }
  Bytes longer = whole;
  longer.push_back(0);
  CHECK(decode<T>(longer).has_value() == T::form.grows);
}

}  // namespace

TEST_SUITE_BEGIN("service/credential");

TEST_CASE("a credential is 170 bytes in a fixed layout") {
  Credential c = credential();
  Bytes bytes = encode(c);
  CHECK(bytes.size() == Credential::size);
  CHECK(*decode<Credential>(bytes) == c);
  CHECK(to_hex(ByteView(bytes).first(1 + 4)) == "0107000000");
  CHECK(to_hex(ByteView(bytes).subspan(65, 16)) == "05000000000000000000000000000000");
  CHECK(to_hex(ByteView(bytes).subspan(81, 25)) ==
        "000001a318256180"
        "000001a318933e80"
        "0000000000000003"
        "00");
  refuses_every_prefix<Credential>(bytes);
}

TEST_CASE("a credential holds for its key, overlay, authority and time, and for nothing else") {
  Ed25519 signer;
  Credential c = credential();
  CHECK(c.check(overlay, authority_key, member_key, signer, noon));
  CHECK_FALSE(c.check(OverlayId{8}, authority_key, member_key, signer, noon));
  CHECK_FALSE(c.check(overlay, member_key, member_key, signer, noon));
  CHECK_FALSE(c.check(overlay, authority_key, authority_key, signer, noon));
  CHECK_FALSE(c.check(overlay, authority_key, member_key, signer, noon - hours(2)));
  CHECK_FALSE(c.check(overlay, authority_key, member_key, signer, c.not_after));
  CHECK(c.check(overlay, authority_key, member_key, signer, c.not_before));
}

TEST_CASE("no flipped bit of a credential is accepted") {
  Ed25519 signer;
  Bytes whole = encode(credential());
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Bytes flipped = whole;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    auto decoded = decode<Credential>(flipped);
    if (!decoded) continue;
    CAPTURE(bit);
    CHECK_FALSE(decoded->check(overlay, authority_key, member_key, signer, noon));
  }
}

TEST_CASE("a signature with S beyond the group order is refused") {
  // Adding the order to S would give a second signature for the same message.
  static constexpr std::array<std::uint8_t, 32> order = {
      0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
      0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
      0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};
  Credential c = credential();
  REQUIRE(Ed25519().verify(authority_key, c.signed_part(), c.signature));
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += c.signature[32 + i] + unsigned{order[i]};
    c.signature[32 + i] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
  }
  REQUIRE(carry == 0);
  CHECK_FALSE(Ed25519().verify(authority_key, c.signed_part(), c.signature));
}

TEST_CASE("a node's id is the hash of its key, and of the authority's nonce where there is one") {
  auto spki = spki_of(member_key);
  Nonce nonce{5};
  Bytes text{'i', 'd'};
  text.insert(text.end(), spki.begin(), spki.end());
  CHECK(node_id(member_key) == chord::Id::of_digest(sha256(text)));
  text.insert(text.end(), nonce.begin(), nonce.end());
  CHECK(node_id(member_key, nonce) == chord::Id::of_digest(sha256(text)));
  CHECK(to_hex(ByteView(spki).first(12)) == "302a300506032b6570032100");
}

TEST_CASE("a credential holds until the millisecond before its end") {
  Ed25519 signer;
  Credential c = credential();
  auto holds = [&](WallTime now) {
    return c.check(overlay, authority_key, member_key, signer, now).has_value();
  };
  std::chrono::milliseconds tick(1);
  CHECK_FALSE(holds(c.not_before - tick));
  CHECK(holds(c.not_before));
  CHECK(holds(c.not_after - tick));
  CHECK_FALSE(holds(c.not_after));
}

TEST_CASE("a puzzle has the solutions that were found apart from this code") {
  // sha256(b"puzzle" + 32 * b"\x07" + SPKI of 32 * b"\x11" + solution as 8 bytes, big-endian)
  PublicKey key;
  key.fill(0x11);
  Puzzle puzzle;
  puzzle.overlay.fill(0x07);
  struct Case {
    std::uint64_t solution;
    std::uint8_t zero_bits;  // of its hash, exactly
  };
  for (auto [solution, zero_bits] : {Case{1, 0},
                                     {3, 1},
                                     {244, 7},
                                     {132, 8},
                                     {48, 9},
                                     {19514, 12},
                                     {27400, 15},
                                     {237216, 16},
                                     {1136672, 17},
                                     {1325579, 22}}) {
    CAPTURE(solution);
    puzzle.bits = zero_bits;
    CHECK(puzzle.solved_by(key, solution));
    ++puzzle.bits;
    CHECK_FALSE(puzzle.solved_by(key, solution));
  }
  for (auto [bits, first] : {std::pair<std::uint8_t, std::uint64_t>{0, 0},
                             {1, 0},
                             {4, 7},
                             {8, 48},
                             {9, 48},
                             {12, 9100}}) {
    puzzle.bits = bits;
    CHECK(puzzle.solve(key) == first);
  }
}

TEST_CASE("a puzzle's solution holds for its key and overlay") {
  Puzzle puzzle{.overlay = overlay, .bits = 10};
  std::uint64_t solution = puzzle.solve(member_key);
  CHECK(puzzle.solved_by(member_key, solution));
  int others = 0;
  for (std::uint8_t i = 0; i < 20; ++i) {
    others += Puzzle{OverlayId{i, 1}, 10}.solved_by(member_key, solution) ? 1 : 0;
    others += puzzle.solved_by(PublicKey{i}, solution) ? 1 : 0;
  }
  CHECK(others <= 2);
}

TEST_CASE("a revocation list keeps order, bound and signature") {
  Revocations list = revocations();
  CHECK(*decode<Revocations>(encode(list)) == list);
  CHECK(list.signed_by(authority_key, Ed25519()));
  CHECK_FALSE(list.signed_by(member_key, Ed25519()));
  refuses_every_prefix<Revocations>(encode(list));
  Bytes swapped = encode(list);
  std::swap_ranges(swapped.begin() + 45, swapped.begin() + 73, swapped.begin() + 73);
  CHECK_FALSE(decode<Revocations>(swapped));
  Bytes many = encode(list);
  for (std::size_t i = 41; i < 45; ++i) many[i] = 0xff;
  CHECK_FALSE(decode<Revocations>(many));
  ++list.version;
  CHECK_FALSE(list.signed_by(authority_key, Ed25519()));
}

TEST_CASE("a revocation list holds 4096 entries and not one more") {
  Revocations list{.overlay = overlay, .version = 2};
  auto expel = [&](std::uint16_t n) {
    chord::Id id;
    id.bytes[0] = static_cast<std::uint8_t>(n >> 8);
    id.bytes[1] = static_cast<std::uint8_t>(n);
    list.expelled[id] = noon;
  };
  for (std::uint16_t n = 0; n < Revocations::max_entries; ++n) expel(n);
  auto read = decode<Revocations>(encode(list));
  REQUIRE(read);
  CHECK(read->expelled == list.expelled);
  expel(Revocations::max_entries);
  CHECK_FALSE(decode<Revocations>(encode(list)));
}

TEST_CASE("an invite has 1 to 4 addresses of 1 to 64 bytes") {
  auto reads = [](std::vector<std::string> addresses) {
    Invite whole = invite();
    whole.addresses = std::move(addresses);
    return Invite::parse(whole.text()).has_value();
  };
  std::string longest(64, 'a');
  CHECK(reads({"a"}));
  CHECK(reads({longest, longest, longest, longest}));
  CHECK_FALSE(reads({}));
  CHECK_FALSE(reads({"a", "b", "c", "d", "e"}));
  CHECK_FALSE(reads({longest + "a"}));
  CHECK_FALSE(reads({""}));
  CHECK_FALSE(reads({"\xff"}));
}

TEST_CASE("an invite survives the clipboard or is refused") {
  Invite whole = invite();
  std::string text = whole.text();
  CHECK(text.starts_with("beckon1:"));
  CHECK(text.size() < 300);
  CHECK(*Invite::parse(text) == whole);
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_FALSE(Invite::parse(text.substr(0, size)));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CAPTURE(i);
    CHECK_FALSE(Invite::parse(changed));
  }
  CHECK_FALSE(Invite::parse(text + "A"));
  CHECK_FALSE(Invite::parse(" " + text));
  CHECK(Invite::parse("hello").error().text == "an invite begins with beckon1:");
  Invite open{.overlay = overlay,
              .name = "town",
              .inviter = whole.inviter,
              .not_after = noon,
              .addresses = {"a:1"}};
  CHECK(*Invite::parse(open.text()) == open);
}

TEST_CASE("enrolment messages keep their layout") {
  EnrolRequest join{.kind = EnrolRequest::Kind::join, .secret = {1, 2}};
  CHECK(to_hex(encode(join)) ==
        "0101"
        "01020000000000000000000000000000");
  CHECK(to_hex(encode(EnrolRequest{})) == "0100");
  CHECK(*decode<EnrolRequest>(encode(join)) == join);
  refuses_every_prefix<EnrolRequest>(encode(join));
  Enrolment full{
      .overlay = builtin_overlay(), .credential = credential(), .revocations = revocations()};
  CHECK(*decode<Enrolment>(encode(full)) == full);
  refuses_every_prefix<Enrolment>(encode(full));
  Enrolment file{.overlay = builtin_overlay()};
  CHECK(*decode<Enrolment>(encode(file)) == file);
}

TEST_SUITE_END();
