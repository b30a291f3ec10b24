// SPDX-License-Identifier: MIT
#include "node/service/find/find_messages.h"

#include <doctest/doctest.h>

#include "node/service/find/index_item.h"
#include "tests/world/codecs.h"

using namespace beckon;
using namespace beckon::service;
using test::check_codec;
using test::id_hex;
using test::id_of;

TEST_SUITE_BEGIN("service/find_messages");

namespace {

QueryRequest some_query() {
  return {.key = id_of(1),
          .wanted = {.home_only = true, .first_x = false, .first_y = true, .back = 3},
          .predicates = {{.slot = 4}},
          .start = id_of(2),
          .after = id_of(3),
          .credit = 16};
}

}  // namespace

TEST_CASE("a query and its reply keep to their layout") {
  check_codec(
      encode(some_query()),
      id_hex("01") + "0503" + id_hex("02") + "01" + id_hex("03") + "10" + "0004" + "01040000",
      decode<QueryRequest>);
  QueryRequest fresh = some_query();
  fresh.after.reset();
  check_codec(encode(fresh),
              id_hex("01") + "0503" + id_hex("02") + "00" + "10" + "0004" + "01040000",
              decode<QueryRequest>);
  QueryReply reply{
      .settling = true, .more = true, .listed = 7, .scanned = 5, .records = {{0xaa, 0xbb}, {0xcc}}};
  check_codec(encode(reply),
              "0101"
              "00000007"
              "00000005"
              "02"
              "0002aabb"
              "0001cc",
              decode<QueryReply>);
}

TEST_CASE("a count and its reply keep to their layout") {
  check_codec(encode(CountRequest{.keys = {id_of(1), id_of(2)}}),
              "02" + id_hex("01") + id_hex("02"), decode<CountRequest>);
  check_codec(encode(CountReply{.listed = {1, 0xffffffff}}), "0200000001ffffffff",
              decode<CountReply>);
}

TEST_CASE("a verification and its reply keep to their layout") {
  check_codec(encode(VerifyRequest{.query = "a=b", .owners = {id_of(9)}}),
              "0003613d62"
              "01" +
                  id_hex("09"),
              decode<VerifyRequest>);
  VerifyReply reply{.entries = {{}, {.yes = true, .version = 258, .card = "{}"}}};
  check_codec(encode(reply),
              "02"
              "00"
              "01"
              "0000000000000102"
              "00027b7d",
              decode<VerifyReply>);
}

TEST_CASE("an index entry is two bytes of marks and a record") {
  profile::Record gone = profile::withdrawal({.host = {.address = "h:1"}, .version = 1});
  Bytes record = profile::encode(gone);
  Bytes bytes =
      encode_index_item({.home = true, .first_x = true, .first_y = false, .span = 4}, record);
  CHECK(to_hex(ByteView(bytes).first(2)) == "0304");
  auto entry = decode_index_item(bytes);
  REQUIRE(entry);
  CHECK(encode_index_item(entry->marks, profile::encode(entry->record)) == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(!decode_index_item(ByteView(bytes).first(size)));
  for (auto [at, value] : {std::pair{0, 8}, {1, 0}, {1, 17}}) {
    Bytes wrong = bytes;
    wrong[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
    CHECK(!decode_index_item(wrong));
  }
}

TEST_CASE("what exceeds a limit or has no meaning is refused") {
  auto bad_query = [](auto change) {
    QueryRequest m = some_query();
    change(m);
    return !decode<QueryRequest>(encode(m));
  };
  CHECK(bad_query([](QueryRequest& m) { m.credit = 0; }));
  CHECK(bad_query([](QueryRequest& m) { m.credit = max_credit + 1; }));
  Bytes flags = encode(some_query());
  flags[20] = 8;
  CHECK(!decode<QueryRequest>(flags));

  CHECK(!decode<QueryReply>(encode(QueryReply{.more = true})));  // nowhere to go on from
  CHECK(!decode<QueryReply>(encode(QueryReply{.records = {{}}})));
  CHECK(!decode<QueryReply>(encode(QueryReply{.records = {Bytes(profile::max_record_size + 1)}})));
  CHECK(!decode<QueryReply>(
      encode(QueryReply{.records = std::vector<Bytes>(max_credit + 1, Bytes{1})})));

  CHECK(!decode<CountRequest>(encode(CountRequest{})));
  CHECK(!decode<CountRequest>(encode(CountRequest{.keys = std::vector<Id>(max_counts + 1)})));
  CHECK(!decode<VerifyRequest>(encode(VerifyRequest{.query = "a=b"})));
  CHECK(!decode<VerifyRequest>(
      encode(VerifyRequest{.query = "a=b", .owners = std::vector<Id>(max_verify + 1)})));
  CHECK(!decode<VerifyRequest>(encode(VerifyRequest{.query = "\xff", .owners = {id_of(1)}})));
  CHECK(!decode<VerifyReply>(
      encode(VerifyReply{.entries = {{.yes = true, .card = std::string(max_card + 1, ' ')}}})));
  CHECK(!decode<VerifyReply>(encode(VerifyReply{.entries = {{.yes = true, .card = "\xff"}}})));
}

TEST_SUITE_END();
