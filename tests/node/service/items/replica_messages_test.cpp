// SPDX-License-Identifier: MIT
#include "node/service/items/replica_messages.h"

#include <doctest/doctest.h>

#include <functional>

#include "base/rng.h"
#include "tests/world/codecs.h"

using namespace beckon;
using namespace beckon::service;
using test::check_codec;
using test::id_hex;
using test::id_of;
using test::repeat;

TEST_SUITE_BEGIN("service/replica_messages");

namespace {

ItemKey key(std::uint8_t byte) { return {id_of(byte), ItemKind::author_item, id_of(byte)}; }

const std::string k1 = id_hex("01") + "01" + id_hex("01");
const std::string k2 = id_hex("02") + "01" + id_hex("02");
const std::string k3 = id_hex("03") + "01" + id_hex("03");

}  // namespace

TEST_CASE("put and its reply keep to their layout") {
  PutRequest put;
  put.entries.push_back({{id_of(1), ItemKind::author_item, {0xaa}}, {}});
  put.entries.push_back({{id_of(2), ItemKind::index_item, {}}, 5});
  check_codec(encode(put),
              "0002"
              "00" +
                  id_hex("01") +
                  "01"
                  "00000001"
                  "aa"
                  "01"
                  "0000000000000005" +
                  id_hex("02") +
                  "02"
                  "00000000",
              decode<PutRequest>);
  PutReply reply{.wanted = 3, .entries = {{Status::ok, 3, 7}, {Status::too_old, 0, 9}}};
  check_codec(encode(reply),
              "03"
              "0002"
              "0003"
              "0000000000000007"
              "0500"
              "0000000000000009",
              decode<PutReply>);
}

TEST_CASE("get and its reply keep to their layout") {
  check_codec(encode(GetRequest{.ring = id_of(1), .kind = ItemKind::author_item, .newer_than = 2}),
              id_hex("01") +
                  "01"
                  "0000000000000002"
                  "00",
              decode<GetRequest>);
  check_codec(
      encode(GetRequest{.ring = id_of(1), .kind = ItemKind::author_item, .after = id_of(9)}),
      id_hex("01") +
          "01"
          "0000000000000000"
          "01" +
          id_hex("09"),
      decode<GetRequest>);
  check_codec(encode(GetReply{.more = true, .items = {{1, 2}, {}}}),
              "01"
              "0002"
              "00000002"
              "0102"
              "00000000",
              decode<GetReply>);
}

TEST_CASE("replicate and its reply keep to their layout") {
  check_codec(encode(ReplicateRequest{{{id_of(1), ItemKind::author_item, {0xaa, 0xbb}}}}),
              "0001" + id_hex("01") +
                  "01"
                  "00000002"
                  "aabb",
              decode<ReplicateRequest>);
  check_codec(encode(ReplicateReply{{Status::ok, Status::storage}}),
              "0002"
              "000f",
              decode<ReplicateReply>);
}

TEST_CASE("the messages of a comparison keep to their layout") {
  DigestRequest digests;
  digests.parts.push_back({{key(1), key(1)}, {}});
  digests.parts.push_back({{key(2), key(3)}, {.high = 0xee, .low = 7}});
  check_codec(
      encode(digests),
      "0002" + k1 + k1 + repeat("00", 16) + k2 + k3 + "00000000000000ee" + "0000000000000007",
      decode<DigestRequest>);
  check_codec(encode(DigestReply{{0, 3, 511}}),
              "0003"
              "0000"
              "0003"
              "01ff",
              decode<DigestReply>);

  ListRequest list{.span = {key(1), key(2)}, .offer = true};
  list.entries.push_back({.key = key(1), .seq = 4, .check = {1, 2, 3, 4, 5, 6, 7, 8}});
  check_codec(encode(list),
              k1 + k2 +
                  "01"
                  "0001" +
                  k1 +
                  "0000000000000004"
                  "0102030405060708",
              decode<ListRequest>);
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
              decode<ListReply>);

  check_codec(encode(WantRequest{{key(1), key(2)}}), "0002" + k1 + k2, decode<WantRequest>);
  check_codec(encode(WantReply{.raw_items = {{id_of(1), ItemKind::author_item, {7}}}, .done = 2}),
              "0002"
              "0001" +
                  id_hex("01") +
                  "01"
                  "00000001"
                  "07",
              decode<WantReply>);
  check_codec(encode(ChainRequest{{id_of(1), id_of(2)}}), "02" + id_hex("01") + id_hex("02"),
              decode<ChainRequest>);
}

TEST_CASE("lists that are not in order, or outside their span, are refused") {
  ListRequest list{.span = {key(2), key(4)}};
  list.entries = {{.key = key(3)}, {.key = key(3)}};
  CHECK(!decode<ListRequest>(encode(list)));
  list.entries = {{.key = key(1)}, {.key = key(3)}};
  CHECK(!decode<ListRequest>(encode(list)));
  list.entries = {{.key = key(3)}, {.key = key(5)}};
  CHECK(!decode<ListRequest>(encode(list)));
  list.entries = {{.key = key(2)}, {.key = key(4)}};
  CHECK(decode<ListRequest>(encode(list)));
  CHECK(!decode<ListRequest>(encode(ListRequest{.span = {key(4), key(2)}})));
  CHECK(!decode<ListReply>(encode(ListReply{.wanted = {3, 3}})));
  CHECK(decode<ListReply>(encode(ListReply{.offered = {{.key = key(1)}, {.key = key(2)}}})));
  CHECK(!decode<ListReply>(encode(ListReply{.offered = {{.key = key(2)}, {.key = key(1)}}})));
  CHECK(!decode<ListReply>(encode(ListReply{.offered = {{.key = key(1)}, {.key = key(1)}}})));
}

TEST_CASE("parts that overlap, are out of order or too many are refused") {
  auto refused = [](const std::vector<Span>& spans) {
    DigestRequest request;
    for (const Span& span : spans) request.parts.push_back({span, {}});
    return !decode<DigestRequest>(encode(request));
  };
  CHECK(!refused({{key(1), key(2)}, {key(3), key(4)}}));
  CHECK(refused({{key(1), key(2)}, {key(2), key(4)}}));
  CHECK(refused({{key(3), key(4)}, {key(1), key(2)}}));
  CHECK(refused({{key(2), key(1)}}));
  std::vector<Span> many;
  ItemKey next{};
  for (std::size_t i = 0; i < max_digests; ++i, next = after(next)) many.push_back({next, next});
  CHECK(!refused(many));
  many.push_back({next, next});
  CHECK(refused(many));
  CHECK(!decode<DigestReply>(encode(DigestReply{{4, 4}})));
}

TEST_CASE("every list of a message is read up to its limit and refused with one entry more") {
  auto rising = [](std::size_t count) {
    std::vector<std::uint16_t> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<std::uint16_t>(i));
    return out;
  };
  auto keys = [](std::size_t count) {
    std::vector<ItemKey> out;
    ItemKey next = key(1);
    for (std::size_t i = 0; i < count; ++i, next = after(next)) out.push_back(next);
    return out;
  };
  auto entries = [&](std::size_t count) {
    std::vector<ItemStamp> out;
    for (const ItemKey& each : keys(count)) out.push_back({.key = each});
    return out;
  };
  const RawItem raw_item{.ring = id_of(1), .kind = ItemKind::author_item};
  struct Case {
    const char* what;
    std::size_t limit;
    std::function<bool(std::size_t count)> reads;
  };
  for (const Case& c : {
           Case{"put", max_parcels,
                [&](std::size_t n) {
                  PutRequest m{std::vector(n, PutRequest::Entry{raw_item, {}})};
                  return decode<PutRequest>(encode(m)).has_value();
                }},
           Case{"put reply", max_parcels,
                [&](std::size_t n) {
                  PutReply m{.entries = std::vector(n, PutReply::Entry{Status::ok, 1, 1})};
                  return decode<PutReply>(encode(m)).has_value();
                }},
           Case{"get reply", max_parcels,
                [&](std::size_t n) {
                  GetReply m{.items = std::vector(n, Bytes{1})};
                  return decode<GetReply>(encode(m)).has_value();
                }},
           Case{"replicate", max_parcels,
                [&](std::size_t n) {
                  ReplicateRequest m{std::vector(n, raw_item)};
                  return decode<ReplicateRequest>(encode(m)).has_value();
                }},
           Case{"replicate reply", max_parcels,
                [&](std::size_t n) {
                  ReplicateReply m{std::vector(n, Status::ok)};
                  return decode<ReplicateReply>(encode(m)).has_value();
                }},
           Case{"digest reply", max_digests,
                [&](std::size_t n) {
                  return decode<DigestReply>(encode(DigestReply{rising(n)})).has_value();
                }},
           Case{"list", max_sync_entries,
                [&](std::size_t n) {
                  ListRequest m{.span = {key(0), key(9)}, .entries = entries(n)};
                  return decode<ListRequest>(encode(m)).has_value();
                }},
           Case{"wanted of a list reply", max_sync_entries,
                [&](std::size_t n) {
                  return decode<ListReply>(encode(ListReply{.wanted = rising(n)})).has_value();
                }},
           Case{"offered of a list reply", max_sync_entries,
                [&](std::size_t n) {
                  return decode<ListReply>(encode(ListReply{.offered = entries(n)})).has_value();
                }},
           Case{"want", max_sync_entries,
                [&](std::size_t n) {
                  return decode<WantRequest>(encode(WantRequest{keys(n)})).has_value();
                }},
           Case{"want reply", max_parcels,
                [&](std::size_t n) {
                  WantReply m{.raw_items = std::vector(n, raw_item)};
                  return decode<WantReply>(encode(m)).has_value();
                }},
           Case{"chain", max_chain,
                [&](std::size_t n) {
                  ChainRequest m{std::vector(n, id_of(1))};
                  return decode<ChainRequest>(encode(m)).has_value();
                }},
       }) {
    CAPTURE(c.what);
    CHECK(c.reads(0));
    CHECK(c.reads(c.limit));
    CHECK_FALSE(c.reads(c.limit + 1));
  }
}

TEST_CASE("an error frame keeps to its layout and cuts long text between characters") {
  check_codec(encode(ErrorBody{Status::rate, 250, "slow"}),
              "0b"
              "000000fa"
              "04"
              "736c6f77",
              decode<ErrorBody>);
  std::string text(254, 'a');
  text += "\xc3\xa9";
  auto body = decode<ErrorBody>(encode(ErrorBody{Status::rate, 0, text}));
  REQUIRE(body);
  CHECK(body->text == std::string(254, 'a'));
}
