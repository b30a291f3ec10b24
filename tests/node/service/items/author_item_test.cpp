// SPDX-License-Identifier: MIT
#include "node/service/items/author_item.h"

#include <doctest/doctest.h>

#include "tests/world/authors.h"

using namespace beckon;
using namespace beckon::service;
using test::Author;
using test::test_overlay;

TEST_SUITE_BEGIN("service/author_item");

namespace {

const WallTime now = wall_from_ms(1'800'000'000'000);

struct Fixture {
  Ed25519 signer{};
  AuthorItemRules rules{test_overlay, signer};
  RuleBook book{};
  Author author{1, signer};
  Fixture() { book.add(rules); }

  Status judge(const RawItem& raw_item, WallTime at = now) const {
    return book.judge_fully(raw_item, at).status;
  }
};

std::uint64_t ms(WallTime t) { return static_cast<std::uint64_t>(to_ms(t)); }

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a record reads back as it was signed, and is accepted") {
  AuthorItem record = author.record(7, now, "hello");
  RawItem raw_item = author.raw_item(record);
  CHECK(*decode_author_record(raw_item.bytes, test_overlay) == record);
  CHECK(judge(raw_item) == Status::ok);
  auto judged = book.judge_fully(raw_item, now);
  CHECK(judged.item.key == author.item_key());
  CHECK(judged.item.info.seq == 7);
  CHECK(judged.item.info.expiry == now + std::chrono::hours(24));
  CHECK(judged.item.bytes == raw_item.bytes);
}

TEST_CASE_FIXTURE(Fixture, "the layout is the one of the protocol page, byte for byte") {
  AuthorItem record = author.record(0x0102030405060708, now, "hi");
  record.topic = 9;
  Bytes bytes = author.raw_item(record).bytes;
  std::string expected = to_hex(as_bytes("beckon/record/v1")) + to_hex(test_overlay) + "09" +
                         to_hex(author.key()) + "0102030405060708" + "000001a3185c5000" +
                         "00015180" + "00" + "00000002" + "6869";
  CHECK(to_hex(ByteView(bytes).first(bytes.size() - 64)) == expected);
  CHECK(author.ring(9).hex() ==
        to_hex(sha256({as_bytes("key"), test_overlay, Bytes{9}, author.key()})).substr(0, 40));
}

TEST_CASE_FIXTURE(Fixture, "every shorter prefix and every longer form is malformed") {
  RawItem whole = author.raw_item(7, now, "hello");
  for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
    RawItem cut = whole;
    cut.bytes.resize(size);
    CHECK(judge(cut) != Status::ok);
  }
  RawItem longer = whole;
  longer.bytes.push_back(0);
  CHECK(judge(longer) != Status::ok);
}

TEST_CASE_FIXTURE(Fixture, "no bit of a record can be changed") {
  RawItem whole = author.raw_item(7, now, "hello");
  for (std::size_t bit = 0; bit < whole.bytes.size() * 8; ++bit) {
    RawItem bent = whole;
    bent.bytes[bit / 8] = static_cast<std::uint8_t>(bent.bytes[bit / 8] ^ (1u << (bit % 8)));
    CHECK(judge(bent) != Status::ok);
  }
}

TEST_CASE_FIXTURE(Fixture, "a record is refused under any key but its own, and for any other use") {
  Author other(2, signer);
  RawItem mine = author.raw_item(7, now, "hello");
  RawItem swapped = mine;
  swapped.ring = other.ring();
  CHECK(judge(swapped) == Status::wrong_key);
  swapped.ring = author.ring(2);  // another topic of the same author
  CHECK(judge(swapped) == Status::wrong_key);

  AuthorItemRules elsewhere(sha256(as_bytes("another overlay")), signer);
  RuleBook there;
  there.add(elsewhere);
  CHECK(there.judge_fully(mine, now).status == Status::wrong_key);

  RawItem other_kind = mine;
  other_kind.kind = ItemKind::mailbox_item;
  CHECK(judge(other_kind) == Status::unsupported);

  // Signed by one, claimed for another: the signature is the other's business.
  AuthorItem record = author.record(7, now, "hello");
  Bytes body = author.raw_item(record).bytes;
  body.resize(body.size() - 64);
  Signature foreign = signer.sign(other.seed(), body);
  body.insert(body.end(), foreign.begin(), foreign.end());
  CHECK(judge({author.ring(), ItemKind::author_item, body}) == Status::bad_signature);
}

TEST_CASE_FIXTURE(Fixture, "a record can be issued from 1970 to a far year, and at no other time") {
  auto readable = [&](std::int64_t ms_since_1970) {
    AuthorItem record = author.record(7, wall_from_ms(ms_since_1970), "x");
    return decode_author_record(author.raw_item(record).bytes, test_overlay).has_value();
  };
  constexpr std::int64_t last = std::int64_t{1} << 52;
  CHECK(readable(0));
  CHECK(readable(last));
  CHECK_FALSE(readable(-1));
  CHECK_FALSE(readable(last + 1));
}

TEST_CASE_FIXTURE(Fixture, "time and size limits hold on both sides of each bound") {
  using namespace std::chrono;
  auto with = [&](auto change) {
    AuthorItem record = author.record(7, now, "x");
    change(record);
    return judge(author.raw_item(record));
  };
  CHECK(with([](auto& r) { r.issued = now + minutes(5); }) == Status::ok);
  CHECK(with([](auto& r) { r.issued = now + minutes(5) + milliseconds(1); }) == Status::too_new);
  CHECK(with([](auto& r) { r.life = hours(24) + seconds(1); }) == Status::malformed);
  CHECK(with([](auto& r) { r.issued = now - hours(24) + milliseconds(1); }) == Status::ok);
  CHECK(with([](auto& r) { r.issued = now - hours(24); }) == Status::expired);
  CHECK(with([](auto& r) { r.seq = ms(now + hours(1)); }) == Status::ok);
  CHECK(with([](auto& r) { r.seq = ms(now + hours(1)) + 1; }) == Status::too_new);
  CHECK(with([](auto& r) { r.seq = UINT64_MAX; }) == Status::too_new);
  CHECK(with([](auto& r) { r.payload.resize(AuthorItemRules::max_payload); }) == Status::ok);
  RawItem huge{author.ring(), ItemKind::author_item, Bytes(64 * 1024 + 1)};
  CHECK(judge(huge) == Status::too_large);
}

TEST_CASE_FIXTURE(Fixture, "a tombstone outlives what it deletes and carries nothing") {
  AuthorItem record = author.record(7, now, "x");
  record.life = std::chrono::seconds(5000);
  WallTime later = now + std::chrono::milliseconds(1'234'567);
  AuthorItem grave = tombstone_for(record, next_seq(record.seq, later), later);
  CHECK(grave.seq > record.seq);
  CHECK(grave.expiry() >= record.expiry());
  CHECK(judge(author.raw_item(grave), later) == Status::ok);
  CHECK(book.judge_fully(author.raw_item(grave), later).item.info.tombstone);
}

TEST_CASE("sequence numbers rise with every version, and with the clock for whoever lost them") {
  CHECK(next_seq(0, now) == ms(now));
  CHECK(next_seq(ms(now), now) == ms(now) + 1);
  CHECK(next_seq(ms(now) + 10, now) == ms(now) + 11);
  CHECK(next_seq(0, wall_from_ms(-5)) == 1);
}

TEST_CASE("merging versions is commutative, associative and idempotent") {
  Rng rng(3);
  auto any = [&] {
    Version v{.seq = rng.below(4)};
    v.digest[0] = static_cast<std::uint8_t>(rng.below(3));
    return v;
  };
  auto merge = [](const Version& a, const Version& b) { return std::max(a, b); };
  for (int i = 0; i < 10'000; ++i) {
    Version a = any(), b = any(), c = any();
    CHECK(merge(a, b) == merge(b, a));
    CHECK(merge(a, merge(b, c)) == merge(merge(a, b), c));
    CHECK(merge(a, a) == a);
    CHECK((a.seq < b.seq ? merge(a, b) == b : true));
  }
}
