// SPDX-License-Identifier: MIT
// A record from anybody, judged as a storing node does, and a row from a damaged disk. A target
// that signs its mutated input again reaches what lies behind the signature.
#include "node/service/items/author_item.h"
#include "tests/fuzz/fuzz.h"
#include "tests/world/authors.h"

using namespace beckon;
using namespace beckon::service;

namespace {

const WallTime now = wall_from_ms(1'800'000'000'000);

struct Rules {
  test::FastSigner signer{};
  AuthorItemRules rules{test::test_overlay, signer};
  RuleBook book{};
  test::Author author{1, signer};
  Rules() { book.add(rules); }
};

void check(const Rules& r, const Bytes& bytes) {
  auto record = decode_author_record(bytes, test::test_overlay);
  Id ring = record ? author_record_key(test::test_overlay, record->topic, record->author) : Id{};
  auto judged = r.book.judge_fully({ring, ItemKind::author_item, bytes}, now);
  if (judged.status != Status::ok) return;
  ENSURE(record.has_value());
  ENSURE(judged.item.live(now) && judged.item.bytes == bytes);
  ENSURE(judged.item.info.seq == record->seq);
  auto row = decode_row(encode(judged.item.key), encode_row(judged.item), r.book);
  ENSURE(row && row->bytes == bytes);
}

void check_row(const Rules& r, ByteView input) {
  if (input.size() < ItemKey::size) return;
  auto item = decode_row(input.first(ItemKey::size), input.subspan(ItemKey::size), r.book);
  if (!item) return;
  ENSURE(encode_row(*item).size() == input.size() - ItemKey::size);
  ENSURE(item->key.sub == item->info.sub);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Rules r;
  ByteView input(data, size);
  check(r, Bytes(input.begin(), input.end()));
  check_row(r, input);
  if (size > 64) {
    Bytes body(input.begin(), input.end() - 64);
    Signature again = r.signer.sign(r.author.seed(), body);
    body.insert(body.end(), again.begin(), again.end());
    check(r, body);
  }
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  static const Rules r;
  Bytes record = r.author.raw_item(7, now, "hello").bytes;
  Bytes grave = r.author.raw_item(tombstone_for(r.author.record(7, now, "x"), 8, now)).bytes;
  auto judged = r.book.judge_fully({r.author.ring(), ItemKind::author_item, record}, now);
  Bytes row = encode(judged.item.key);
  Bytes value = encode_row(judged.item);
  row.insert(row.end(), value.begin(), value.end());
  return {record, grave, row};
}
