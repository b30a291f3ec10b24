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

  TEST_CASE("every message refuses each shorter prefix of itself") {
    each_sample([]<typename M>(const Bytes& bytes) {
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        REQUIRE_FALSE(beckon::decode<M>(ByteView(bytes).first(size)));
      }
    });
  }

  TEST_CASE("what stands behind a message is passed over if it may grow, and refused if not") {
    Rng rng(3);
    each_sample([&]<typename M>(const Bytes& bytes) {
      for (std::size_t more : {1U, 2U, 40U}) {
        Bytes longer = bytes;
        longer.resize(bytes.size() + more);
        rng.fill(std::span(longer).subspan(bytes.size()));
        auto read = beckon::decode<M>(longer);
        REQUIRE(read.has_value() == M::form.grows);
        if (read) CHECK(beckon::encode(*read) == bytes);
      }
    });
  }

  TEST_CASE("requests and replies may grow, what is signed and what is part of others is exact") {
    const std::set<int> signed_frames{service::Revocations::form.frame,
                                      service::FetchRequest::form.frame};
    each_message([&](auto listed) {
      constexpr Form form = decltype(listed)::Message::form;
      CAPTURE(std::string(form.name));
      CHECK(form.grows == (form.frame != 0 && !signed_frames.contains(form.frame)));
    });
  }

  TEST_CASE("unknown ignorable flags are passed over, unknown critical ones are named") {
    profile::Marks marks{.home = false, .span = 3};
    Bytes bytes = beckon::encode(marks);
    for (unsigned bit = 4; bit < 8; ++bit) {
      Bytes later = bytes;
      later[0] = static_cast<std::uint8_t>(later[0] | 1U << bit);
      auto read = beckon::decode<profile::Marks>(later);
      REQUIRE(read);
      CHECK(*read == marks);
    }
    bytes[0] |= 1U << 3;
    CHECK(beckon::decode<profile::Marks>(bytes).error().text ==
          "marks: bad flag bit 3, critical and not known here");
    CHECK_FALSE(beckon::decode<profile::Wanted>(Bytes{0x08, 0}));
    CHECK(beckon::decode<profile::Wanted>(Bytes{0xf1, 0})->home_only);
  }

  TEST_CASE("a refusal names the message and the field") {
    Bytes bytes = beckon::encode(chord::ErrorReply{Status::rate});
    bytes[1] = 0;
    CHECK(beckon::decode<chord::ErrorReply>(bytes).error().text == "ERROR: bad code");
    bytes.resize(1);
    CHECK(beckon::decode<chord::ErrorReply>(bytes).error().text ==
          "ERROR is cut short or malformed");
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
