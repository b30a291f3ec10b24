// SPDX-License-Identifier: MIT
#include "node/service/mail/letter.h"

#include <doctest/doctest.h>

#include "base/secret_rng.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

TEST_SUITE_BEGIN("service/letter");

namespace {

const WallTime start = wall_from_ms(1'790'000'000'000);
const Ed25519 signer;
const Digest overlay = sha256(as_bytes("test overlay"));

struct Pair {
  SecretRng secrets{{1}};
  User alice = make_user(signer, secrets.next(), secrets.next(), start);
  User bob = make_user(signer, secrets.next(), secrets.next(), start);

  Letter letter(std::string text) const {
    Letter out;
    out.from = alice.key;
    out.to = bob.id();
    out.id = {1, 2, 3};
    out.time = start;
    out.name = "Alice";
    out.body = std::move(text);
    return out;
  }

  Result<Envelope> sealed(const Letter& letter) {
    return seal(letter, alice.seed, signer,
                {.overlay = overlay,
                 .to_key = hpke::public_key(bob.message_keys.front().secret),
                 .expiry = start + 24h,
                 .ephemeral = secrets.next()});
  }
};

}  // namespace

TEST_CASE("the recipient reads what the sender wrote") {
  Pair p;
  for (std::size_t size : {0, 1, 200, 5000, 65536}) {
    Letter letter = p.letter(std::string(size, 'x'));
    auto envelope = p.sealed(letter);
    REQUIRE(envelope);
    auto carried = decode_envelope(envelope->bytes);
    REQUIRE(carried);
    CHECK(carried->to == p.bob.id());
    CHECK(carried->expiry == start + 24h);
    auto opened = open(*carried, p.bob, signer, overlay);
    REQUIRE(opened);
    CHECK(*opened == letter);
  }
}

TEST_CASE("sizes on the way are powers of two, whatever was said") {
  Pair p;
  auto size = [&](std::size_t n) { return p.sealed(p.letter(std::string(n, 'x')))->bytes.size(); };
  CHECK(size(0) == size(60));
  CHECK(size(1000) == size(1500));
  CHECK(size(0) < size(1000));
}

TEST_CASE("no byte of the text or of the sender is visible outside") {
  Pair p;
  Bytes bytes = p.sealed(p.letter("a needle in the hay"))->bytes;
  CHECK(as_text(bytes).find("needle") == std::string_view::npos);
  CHECK(as_text(bytes).find(as_text(p.alice.key)) == std::string_view::npos);
}

TEST_CASE("a flipped bit anywhere, header included, opens nothing") {
  Pair p;
  auto envelope = p.sealed(p.letter("hello"));
  for (std::size_t bit = 0; bit < envelope->bytes.size() * 8; bit += 3) {
    Bytes bad = envelope->bytes;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    auto carried = decode_envelope(bad);
    bool refused = !carried || !open(*carried, p.bob, signer, overlay);
    CHECK(refused);
  }
}

TEST_CASE("every shorter envelope is refused") {
  Pair p;
  Bytes bytes = p.sealed(p.letter("hello"))->bytes;
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_FALSE(decode_envelope(ByteView(bytes).first(n)));
}

TEST_CASE(
    "nobody can speak for another, and a letter cannot be passed on as if meant for a third") {
  Pair p;
  User carol = make_user(signer, p.secrets.next(), p.secrets.next(), start);
  Letter forged = p.letter("from Alice, says Carol");
  auto options = SealOptions{.overlay = overlay,
                             .to_key = hpke::public_key(p.bob.message_keys.front().secret),
                             .expiry = start + 24h,
                             .ephemeral = p.secrets.next()};
  auto by_carol = seal(forged, carol.seed, signer, options);
  CHECK_FALSE(open(*by_carol, p.bob, signer, overlay));

  auto honest = p.sealed(p.letter("for Bob only"));
  CHECK_FALSE(open(*honest, carol, signer, overlay));
  CHECK_FALSE(open(*honest, p.bob, signer, sha256(as_bytes("another overlay"))));
}

TEST_CASE("an older message key still opens what was sealed to it") {
  Pair p;
  auto envelope = p.sealed(p.letter("late"));
  rotate_message_keys(p.bob, p.secrets.next(), start + 8 * 24h);
  CHECK(open(*envelope, p.bob, signer, overlay));
}

TEST_CASE("an envelope is opened with the key that its tag names and with no other") {
  Pair p;
  Bytes bytes = p.sealed(p.letter("hello"))->bytes;
  constexpr std::size_t tag = 1 + UserId::size + 8, head = tag + 4 + 4;
  ByteWriter writer;
  writer.raw(as_bytes("beckon/msg/v1"));
  writer.raw(p.bob.id().bytes);
  const Bytes info = writer.take();
  const auto& secret = p.bob.message_keys.front().secret;
  auto inner = hpke::open(secret, info, ByteView(bytes).first(head), ByteView(bytes).subspan(head));
  REQUIRE(inner);
  for (bool named : {true, false}) {
    CAPTURE(named);
    bytes.resize(head);
    if (!named) bytes[tag] ^= 1;
    auto sealed = hpke::seal(hpke::public_key(secret), p.secrets.next(), info, bytes, *inner);
    REQUIRE(sealed);
    bytes.insert(bytes.end(), sealed->begin(), sealed->end());
    auto envelope = decode_envelope(bytes);
    REQUIRE(envelope);
    CHECK(open(*envelope, p.bob, signer, overlay).has_value() == named);
  }
}

TEST_CASE("too long a text, too long a name and broken UTF-8 are refused before sealing") {
  Pair p;
  CHECK_FALSE(p.sealed(p.letter(std::string(65537, 'x'))));
  CHECK_FALSE(p.sealed(p.letter("\xff")));
  Letter letter = p.letter("x");
  letter.name = std::string(129, 'n');
  CHECK_FALSE(p.sealed(letter));
}

TEST_SUITE_END();
