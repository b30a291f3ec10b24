// SPDX-License-Identifier: MIT
#include "chord/wire.h"

#include <doctest/doctest.h>

#include "base/rng.h"

using namespace beckon;
using namespace beckon::chord;

TEST_SUITE_BEGIN("chord/wire");

namespace {

Id id_of(std::uint8_t first) {
  Id id;
  id.bytes[0] = first;
  return id;
}

PeerRef peer(std::uint8_t first) {
  return {.id = id_of(first), .address = "h" + std::to_string(first) + ":1"};
}

std::vector<Message> examples() {
  return {StateRequest{},
          StateReply{Mode::member, 7, peer(1), {peer(2), peer(3)}},
          StateReply{Mode::joining, 1, std::nullopt, {}},
          Notify{},
          NextRequest{id_of(9)},
          NextReply{Mode::member, peer(4), {peer(5)}, {peer(6), peer(7)}},
          Ping{0x0102030405060708},
          Pong{1, Mode::leaving},
          Leave{3},
          LeaveAck{},
          ErrorReply{Status::rate, 1000}};
}

std::uint8_t type_byte(const Message& message) {
  return static_cast<std::uint8_t>(type_of(message));
}

}  // namespace

TEST_CASE("every ring message reads back as it was written") {
  for (const Message& message : examples()) {
    auto read = decode(type_byte(message), encode(message));
    REQUIRE(read);
    CHECK(*read == message);
  }
}

TEST_CASE("ring messages keep their bytes") {
  auto hex = [](const Message& message) {
    return to_hex(Bytes{type_byte(message)}) + " " + to_hex(encode(message));
  };
  std::string zeros(38, '0');
  CHECK(hex(StateRequest{}) == "08 01");
  CHECK(hex(StateReply{Mode::member, 7, peer(1), {peer(2)}}) ==
        "09 0102000000000000000701"
        "01" +
            zeros +
            "0468313a31"
            "01"
            "02" +
            zeros + "0468323a31");
  CHECK(hex(StateReply{Mode::joining, 1, std::nullopt, {}}) == "09 010100000000000000010000");
  CHECK(hex(Notify{}) == "0a 01");
  CHECK(hex(NextRequest{id_of(9)}) == "0b 0109" + zeros);
  CHECK(hex(NextReply{Mode::member, std::nullopt, {}, {peer(6)}}) ==
        "0c 0102000001"
        "06" +
            zeros + "0468363a31");
  CHECK(hex(Ping{0x0102030405060708}) == "0d 010102030405060708");
  CHECK(hex(Pong{1, Mode::leaving}) == "0e 01000000000000000103");
  CHECK(hex(Leave{3}) == "0f 010000000000000003");
  CHECK(hex(LeaveAck{}) == "10 01");
  CHECK(hex(ErrorReply{Status::rate, 1000}) == "1f 010b000003e8");
}

TEST_CASE(
    "no shorter prefix of a ring message is accepted, and what stands behind is passed over") {
  for (const Message& message : examples()) {
    Bytes bytes = encode(message);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CAPTURE(size);
      CHECK_FALSE(decode(type_byte(message), ByteView(bytes).first(size)));
    }
    Bytes longer = bytes;
    longer.insert(longer.end(), {0, 7});
    auto read = decode(type_byte(message), longer);
    REQUIRE(read);
    CHECK(encode(*read) == bytes);
  }
}

TEST_CASE("what decodes encodes to the same bytes, whatever bits are flipped") {
  Rng rng(5);
  for (int i = 0; i < 20000; ++i) {
    std::vector<Message> all = examples();
    const Message& message = all[rng.below(all.size())];
    Bytes bytes = encode(message);
    bytes[rng.below(bytes.size())] ^= static_cast<std::uint8_t>(1 << rng.below(8));
    auto read = decode(type_byte(message), bytes);
    if (!read) continue;
    Bytes again = encode(*read);  // a shorter count leaves an addition
    REQUIRE(again.size() <= bytes.size());
    CHECK(std::equal(again.begin(), again.end(), bytes.begin()));
  }
}

TEST_CASE("a mode or code of a later version is read, and is none of ours") {
  auto pong = decode(0x0e, Bytes{1, 0, 0, 0, 0, 0, 0, 0, 0, 5});
  REQUIRE(pong);
  CHECK(std::get<Pong>(*pong).mode > Mode::left);
  auto error = decode(0x1f, Bytes{1, 15, 0, 0, 0, 0});
  REQUIRE(error);
  CHECK(std::get<ErrorReply>(*error).code == Status::storage);
}

TEST_CASE("a type or layout that is not known is told from a broken message") {
  CHECK(is_known(0x08, Bytes{1}));
  CHECK(is_known(0x08, {}));  // broken
  CHECK_FALSE(is_known(0x08, Bytes{2}));
  CHECK_FALSE(is_known(0x11, Bytes{1}));
  for (std::uint8_t type : Bytes{0x09, 0x0c, 0x0e, 0x10, 0x1f, 0x12, 0x1c}) CHECK(is_reply(type));
  for (std::uint8_t type : Bytes{0x08, 0x0a, 0x0b, 0x0d, 0x0f, 0x11, 0x1d})
    CHECK_FALSE(is_reply(type));
}

TEST_CASE("lists beyond their limit, no code, other layouts and addresses are refused") {
  StateReply long_list{.mode = Mode::member};
  for (int i = 0; i < 32; ++i) long_list.successors.push_back(peer(1));
  Bytes bytes = encode(long_list);
  REQUIRE(decode(0x09, bytes));
  bytes[11] = 33;  // the count
  for (int i = 0; i < 25; ++i) bytes.push_back('a');
  CHECK_FALSE(decode(0x09, bytes));
  CHECK_FALSE(decode(0x1f, Bytes{1, 0, 0, 0, 0, 0}));
  CHECK_FALSE(decode(0x08, Bytes{2}));
  CHECK_FALSE(decode(0x11, Bytes{1}));
  Bytes spaced = encode(StateReply{Mode::member, 1, PeerRef{Id{}, "a b"}, {}});
  CHECK_FALSE(decode(0x09, spaced));
}

TEST_SUITE_END();
