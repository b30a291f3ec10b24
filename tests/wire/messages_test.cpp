// SPDX-License-Identifier: MIT
// Promises that every message keeps, over the one list of all of them. What is special about a
// message, and its golden bytes, is tested beside its own room.
#include <doctest/doctest.h>

#include <set>

#include "tests/wire/all_messages.h"
#include "tests/wire/field_table.h"

using namespace beckon;
using namespace beckon::test;

namespace {

constexpr int rounds = 60;

/// Random messages of every type, with their bytes.
template <typename Check>
void each_sample(Check check) {
  each_message([&](auto listed) {
    using M = typename decltype(listed)::Message;
    CAPTURE(std::string(M::form.name));
    Rng rng(7);
    for (int i = 0; i < rounds; ++i)
      check.template operator()<M>(beckon::encode(random_message<M>(rng)));
  });
}

}  // namespace

TEST_SUITE("wire/messages") {
  TEST_CASE("every message survives its encoding, within the size that its list promises") {
    each_sample([]<typename M>(const Bytes& bytes) {
      auto read = beckon::decode<M>(bytes);
      REQUIRE(read);
      CHECK(beckon::encode(*read) == bytes);
      CHECK(bytes.size() >= table_of<M>().least);
      CHECK(bytes.size() <= max_size<M>());
    });
  }

  TEST_CASE("every message refuses each shorter prefix of itself and a byte more") {
    each_sample([]<typename M>(Bytes bytes) {
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        REQUIRE_FALSE(beckon::decode<M>(ByteView(bytes).first(size)));
      }
      bytes.push_back(0);
      CHECK_FALSE(beckon::decode<M>(bytes));
    });
  }

  TEST_CASE("a refusal names the message and the field") {
    Bytes bytes = beckon::encode(chord::Pong{});
    bytes.back() = 9;
    CHECK(beckon::decode<chord::Pong>(bytes).error().text == "PONG: bad mode");
    bytes.pop_back();
    CHECK(beckon::decode<chord::Pong>(bytes).error().text == "PONG is cut short or malformed");
  }

  TEST_CASE("no two messages have the same frame type") {
    std::set<int> types;
    each_message([&](auto listed) {
      int type = decltype(listed)::Message::form.frame;
      if (type != 0) CHECK(types.insert(type).second);
    });
    CHECK(types.size() > 30);
  }
}
