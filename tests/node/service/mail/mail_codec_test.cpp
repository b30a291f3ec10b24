// SPDX-License-Identifier: MIT
// Byte layouts of what carries letters: golden bytes, every shorter prefix refused, round trips.
#include <doctest/doctest.h>

#include <algorithm>

#include "node/service/mail/locator.h"
#include "node/service/mail/mail_messages.h"
#include "node/service/mail/mailbox_item.h"

using namespace beckon;
using namespace beckon::service;

namespace {

std::string times(int count, const std::string& byte) {
  std::string out;
  for (int i = 0; i < count; ++i) out += byte;
  return out;
}

template <typename Decode>
void check_prefixes(const Bytes& bytes, Decode decode, bool grows = false) {
  CHECK(decode(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode(ByteView(bytes).first(size)));
  Bytes longer = bytes;
  longer.push_back(0);
  CHECK(bool(decode(longer)) == grows);
}

const WallTime moment = wall_from_ms(0x018bcfe56800);
const std::string moment_hex = "0000018bcfe56800";

}  // namespace

TEST_SUITE_BEGIN("service/mail_codec");

TEST_CASE("a request for a mailbox has its layout, with and without a place to go on behind") {
  FetchRequest request{.time = moment};
  request.user.fill(0x11);
  request.signature.fill(0x33);
  CHECK(to_hex(encode(request)) == times(32, "11") + moment_hex + "00" + times(64, "33"));
  check_prefixes(encode(request), decode<FetchRequest>);
  request.after = Id{};
  request.after->bytes.fill(0x22);
  std::string after = "01" + times(20, "22");
  CHECK(to_hex(encode(request)) == times(32, "11") + moment_hex + after + times(64, "33"));
  check_prefixes(encode(request), decode<FetchRequest>);
  CHECK(encode(*decode<FetchRequest>(encode(request))) == encode(request));
  Bytes bad = encode(request);
  bad[40] = 2;
  CHECK_FALSE(decode<FetchRequest>(bad));

  Digest overlay;
  overlay.fill(0x44);
  Id asked;
  asked.bytes.fill(0x55);
  CHECK(to_hex(fetch_signed_bytes(request, overlay, asked)) ==
        to_hex(as_bytes("beckon/mbox-fetch/v1")) + times(32, "44") + times(20, "55") +
            times(32, "11") + moment_hex + after);
}

TEST_CASE("letters from a mailbox and the answer to a letter have their layouts") {
  FetchReply reply{.more = true, .envelopes = {{1, 2, 3}, {4}}};
  CHECK(to_hex(encode(reply)) ==
        "01"
        "0002"
        "00000003"
        "010203"
        "00000001"
        "04");
  check_prefixes(encode(reply), decode<FetchReply>, FetchReply::form.grows);
  CHECK_FALSE(decode<FetchReply>(Bytes{0, 0, 1, 0, 0, 0, 0}));  // an empty letter
  CHECK_FALSE(decode<FetchReply>(Bytes{2, 0, 0}));
  CHECK_FALSE(decode<FetchReply>(Bytes{0, 0, 1, 0xff, 0xff, 0xff, 0xff}));
  CHECK(encode(DeliverReply{Delivery::not_here}) == Bytes{2});
  CHECK(encode(DeliverReply{Delivery::later}) == Bytes{3});
  CHECK(decode<DeliverReply>(Bytes{4})->outcome > Delivery::later);  // of a later version
  CHECK_FALSE(decode<DeliverReply>(Bytes{}));
  CHECK(decode<DeliverReply>(Bytes{0, 0})->outcome == Delivery::delivered);
}

TEST_CASE("a locator has its layout") {
  Locator locator{.hosts = {{.address = "[::1]:7"}}};
  locator.hosts[0].id.bytes.fill(0x11);
  locator.message_key.fill(0x22);
  CHECK(to_hex(encode(locator)) ==
        "0201" + times(20, "11") + "07" + to_hex(as_bytes("[::1]:7")) + times(32, "22") + "0000");
  check_prefixes(encode(locator), decode<Locator>);
  CHECK(*decode<Locator>(encode(locator)) == locator);
  Bytes bad = encode(locator);
  bad[0] = 1;
  CHECK_FALSE(decode<Locator>(bad));
}

TEST_CASE("a locator may name four hosts and say what this version does not know") {
  Locator locator{.hosts = {4, {.address = "h:1"}}, .additions = Bytes(256, 9)};
  check_prefixes(encode(locator), decode<Locator>);
  CHECK(*decode<Locator>(encode(locator)) == locator);
  Bytes bad = encode(locator);
  for (int count : {0, 5}) {
    bad[1] = static_cast<std::uint8_t>(count);
    CHECK_FALSE(decode<Locator>(bad));
  }
}

TEST_CASE("an acknowledgement has its layout, and only its recipient can make it") {
  Ed25519 signer;
  SecretSeed seed{};
  seed[0] = 1;
  Digest overlay;
  overlay.fill(0x44);
  MailboxAck ack{.recipient = signer.public_key(seed), .expiry = moment};
  ack.entry.bytes.fill(0x22);
  Bytes bytes = sign_mailbox_ack(ack, overlay, seed, signer);
  REQUIRE(bytes.size() == 125);
  std::string body = "80" + to_hex(ack.recipient) + times(20, "22") + moment_hex;
  CHECK(to_hex(ByteView(bytes).first(61)) == body);
  Signature signature{};
  std::copy(bytes.begin() + 61, bytes.end(), signature.begin());
  ByteWriter message;
  message.raw(as_bytes("beckon/mbox-ack/v1"));
  message.raw(overlay);
  message.raw(ByteView(bytes).first(61));
  CHECK(signer.verify(ack.recipient, message.bytes(), signature));

  MailboxRules rules(overlay, signer);
  Id place = mailbox_key(overlay, user_id(ack.recipient));
  check_prefixes(bytes, [&](ByteView b) { return rules.read(place, b).has_value(); });
  CHECK(rules.genuine(bytes));
  CHECK_FALSE(rules.read(Id{}, bytes));
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 7) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    CAPTURE(bit);
    CHECK_FALSE((rules.read(place, flipped).has_value() && rules.genuine(flipped)));
  }
}

TEST_SUITE_END();
