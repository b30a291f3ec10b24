#include "node/service/replica_messages.h"

#include <doctest/doctest.h>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::service;

TEST_SUITE_BEGIN("service/replica_messages");

namespace {

Id id(std::uint8_t byte) {
  Id out;
  out.bytes.fill(byte);
  return out;
}

ItemKey key(std::uint8_t byte) { return {id(byte), ItemKind::author_record, id(byte)}; }

/// Round trip, golden bytes, every shorter prefix refused, one byte more refused.
template <typename Decode>
void check_codec(const Bytes& bytes, const std::string& golden, Decode decode) {
  CHECK(to_hex(bytes) == golden);
  auto whole = decode(bytes);
  REQUIRE(whole);
  CHECK(encode(*whole) == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(!decode(ByteView(bytes).first(size)));
  }
  Bytes longer = bytes;
  longer.push_back(0);
  CHECK(!decode(longer));
}

std::string repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

const std::string k1 = repeat("01", 20) + "01" + repeat("01", 20);
const std::string k2 = repeat("02", 20) + "01" + repeat("02", 20);

}  // namespace

TEST_CASE("put and its reply keep to their layout") {
  PutRequest put;
  put.entries.push_back({{id(1), ItemKind::author_record, {0xaa}}, {}});
  put.entries.push_back({{id(2), ItemKind::index_record, {}}, 5});
  check_codec(encode(put),
              "0002"
              "00" +
                  repeat("01", 20) +
                  "01"
                  "00000001"
                  "aa"
                  "01"
                  "0000000000000005" +
                  repeat("02", 20) +
                  "02"
                  "00000000",
              decode_put_request);
  PutReply reply{.wanted = 3, .entries = {{Status::ok, 3, 7}, {Status::too_old, 0, 9}}};
  check_codec(encode(reply),
              "03"
              "0002"
              "0003"
              "0000000000000007"
              "0500"
              "0000000000000009",
              decode_put_reply);
}

TEST_CASE("get and its reply keep to their layout") {
  check_codec(encode(GetRequest{.ring = id(1), .kind = ItemKind::author_record, .newer_than = 2}),
              repeat("01", 20) +
                  "01"
                  "0000000000000002"
                  "00",
              decode_get_request);
  check_codec(encode(GetRequest{.ring = id(1), .kind = ItemKind::author_record, .after = id(9)}),
              repeat("01", 20) +
                  "01"
                  "0000000000000000"
                  "01" +
                  repeat("09", 20),
              decode_get_request);
  check_codec(encode(GetReply{.more = true, .items = {{1, 2}, {}}}),
              "01"
              "0002"
              "00000002"
              "0102"
              "00000000",
              decode_get_reply);
}

TEST_CASE("replicate and its reply keep to their layout") {
  check_codec(encode(ReplicateRequest{{{id(1), ItemKind::author_record, {0xaa, 0xbb}}}}),
              "0001" + repeat("01", 20) +
                  "01"
                  "00000002"
                  "aabb",
              decode_replicate_request);
  check_codec(encode(ReplicateReply{{Status::ok, Status::storage}}),
              "0002"
              "000f",
              decode_replicate_reply);
}

TEST_CASE("the messages of a comparison keep to their layout") {
  DigestRequest digests{.arc = {.after = id(1), .upto = id(2)}};
  digests.digests[63].fill(0xee);
  check_codec(encode(digests),
              repeat("01", 20) + repeat("02", 20) + repeat("00", 63 * 8) + repeat("ee", 8),
              decode_digest_request);
  check_codec(encode(DigestReply{0x8000000000000001}), "8000000000000001", decode_digest_reply);

  ListRequest list{.span = {key(1), key(2)}, .offer = true};
  list.entries.push_back({.key = key(1), .seq = 4, .check = {1, 2, 3, 4, 5, 6, 7, 8}});
  check_codec(encode(list),
              k1 + k2 +
                  "01"
                  "0001" +
                  k1 +
                  "0000000000000004"
                  "0102030405060708",
              decode_list_request);
  ListReply reply{.wanted = {0, 3}, .covered = key(2)};
  reply.offered.push_back({.key = key(2), .seq = 5});
  check_codec(encode(reply),
              "0002"
              "0000"
              "0003"
              "0001" +
                  k2 +
                  "0000000000000005"
                  "0000000000000000" +
                  k2,
              decode_list_reply);

  check_codec(encode(WantRequest{{key(1), key(2)}}), "0002" + k1 + k2, decode_want_request);
  check_codec(encode(WantReply{.parcels = {{id(1), ItemKind::author_record, {7}}}, .done = 2}),
              "0002"
              "0001" +
                  repeat("01", 20) +
                  "01"
                  "00000001"
                  "07",
              decode_want_reply);
  check_codec(encode(ChainRequest{{id(1), id(2)}}), "02" + repeat("01", 20) + repeat("02", 20),
              decode_chain_request);
}

TEST_CASE("lists that are not in order, or outside their span, are refused") {
  ListRequest list{.span = {key(2), key(4)}};
  list.entries = {{.key = key(3)}, {.key = key(3)}};
  CHECK(!decode_list_request(encode(list)));
  list.entries = {{.key = key(1)}, {.key = key(3)}};
  CHECK(!decode_list_request(encode(list)));
  list.entries = {{.key = key(3)}, {.key = key(5)}};
  CHECK(!decode_list_request(encode(list)));
  list.entries = {{.key = key(2)}, {.key = key(4)}};
  CHECK(decode_list_request(encode(list)));
  CHECK(!decode_list_request(encode(ListRequest{.span = {key(4), key(2)}})));
  CHECK(!decode_list_reply(encode(ListReply{.wanted = {3, 3}})));
}

TEST_CASE("an error frame keeps to its layout and cuts long text between characters") {
  check_codec(encode(ErrorBody{Status::rate, 250, "slow"}),
              "0b"
              "000000fa"
              "04"
              "736c6f77",
              decode_error_body);
  std::string text(254, 'a');
  text += "\xc3\xa9";
  auto body = decode_error_body(encode(ErrorBody{Status::rate, 0, text}));
  REQUIRE(body);
  CHECK(body->text == std::string(254, 'a'));
}

TEST_CASE("every status has words and an error of its own") {
  for (std::uint8_t s = 1; s <= last_status; ++s) {
    Error error = to_error(static_cast<Status>(s));
    CHECK(!error.text.empty());
    CHECK(to_status(error) != Status::ok);
  }
}
