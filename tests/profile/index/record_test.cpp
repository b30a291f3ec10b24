// SPDX-License-Identifier: MIT
#include "profile/index/record.h"

#include <bit>

#include "base/rng.h"
#include "profile/index/matcher.h"
#include "profile/schema/schema_json.h"
#include "tests/profile/make.h"
#include "tests/profile/person/people.h"

using namespace beckon;
using namespace beckon::profile;
using test::person;

namespace {

const Schema& schema = Schema::built_in();
const Salt salt{7};
const Ed25519 signer;
const SecretSeed seed{1, 2, 3};

Publication publication() {
  return {.owner_key = signer.public_key(seed),
          .message_key = {9},
          .host = {.id = {5}, .address = "127.0.0.1:40001"},
          .version = 3,
          .expiry = wall_from_ms(1'800'000'000'999)};
}

Record signed_record(const Profile& profile) {
  Record record = build_record(schema, salt, profile, publication());
  sign_record(salt, signer, seed, record);
  return record;
}

Profile alice() {
  return person({"name=Alice Lin", "hobby=chess", "hobby=go", "age=24", "income=40000..60000",
                 "latitude=25.05", "longitude=121.53", "sip=sip:alice@example.net"});
}

Schema small_schema() {
  return *parse_schema(R"({"fold":"1","attributes":[
    {"name":"hobby","type":"text"},{"name":"age","type":"int","min":1,"max":120,"ladder":[16]}],
    "classes":[{"k":8,"slots":{"age":[1,2],"x-":[1,1]}}]})");
}

}  // namespace

TEST_SUITE("profile/record") {
  TEST_CASE("a record survives as bytes and its signature holds") {
    Record record = signed_record(alice());
    Bytes bytes = encode(record);
    CHECK(bytes.size() <= max_record_size);
    auto again = decode_record(bytes);
    REQUIRE(again.has_value());
    CHECK(*again == record);
    CHECK(encode(*again) == bytes);
    CHECK(verify_record(salt, signer, *again));
    CHECK(to_ms(again->expiry) == 1'800'000'000'000);  // whole seconds
  }

  TEST_CASE("a flipped bit anywhere is refused or breaks the signature") {
    Bytes bytes = encode(signed_record(alice()));
    int refused = 0;
    for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
      Bytes other = bytes;
      other[i / 8] = static_cast<std::uint8_t>(other[i / 8] ^ (1 << (i % 8)));
      auto record = decode_record(other);
      if (record && verify_record(salt, signer, *record)) continue;
      ++refused;
    }
    CHECK(refused == static_cast<int>(bytes.size() * 8));
  }

  TEST_CASE("a record of another overlay or by another key does not verify") {
    Record record = signed_record(alice());
    CHECK_FALSE(verify_record(Salt{8}, signer, record));
    sign_record(salt, signer, SecretSeed{4}, record);
    CHECK_FALSE(verify_record(salt, signer, record));
  }

  TEST_CASE("every shorter or longer record is refused") {
    for (const Record& record : {signed_record(alice()), withdrawal(publication())}) {
      Bytes bytes = encode(record);
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        REQUIRE_FALSE(decode_record(ByteView(bytes).first(size)).has_value());
      }
      bytes.push_back(0);
      CHECK_FALSE(decode_record(bytes).has_value());
    }
    CHECK_FALSE(decode_record(Bytes(1000)).has_value());
  }

  TEST_CASE("a withdrawn record says nothing of the profile and matches nobody") {
    Record record = withdrawal(publication());
    sign_record(salt, signer, seed, record);
    auto again = decode_record(encode(record));
    REQUIRE(again.has_value());
    CHECK(again->withdrawn);
    CHECK(verify_record(salt, signer, *again));
    CHECK_FALSE(Matcher(schema, {}).may_match(*again));
    record.presence = 1;
    CHECK_FALSE(decode_record(encode(record)).has_value());
  }

  TEST_CASE("what only later versions know is kept as it came") {
    Record record = signed_record(alice());
    record.layout = 0x12345678;
    record.presence |= std::uint32_t{1} << 30;
    record.open |= std::uint32_t{1} << 30;
    record.ignorable = 0xff;
    record.additions = Bytes(max_additions, 7);
    record.hosts.resize(max_hosts, {.id = {6}, .address = std::string(max_host_address, 'h')});
    record.hosts[0].address = std::string(max_host_address, 'g');
    record.filter = filters::BitArray(base_bits);
    sign_record(salt, signer, seed, record);
    Bytes bytes = encode(record);
    CHECK(bytes.size() == max_record_size);
    auto again = decode_record(bytes);
    REQUIRE(again.has_value());
    CHECK(*again == record);
    CHECK(encode(*again) == bytes);
    CHECK(verify_record(salt, signer, *again));
    again->additions.back() ^= 1;
    CHECK_FALSE(verify_record(salt, signer, *again));
    record.hosts.resize(1);
    record.open |= ~record.presence;
    CHECK_FALSE(decode_record(encode(record)).has_value());
  }

  TEST_CASE("a record that needs an unknown feature is refused by the feature's name") {
    Bytes bytes = encode(signed_record(alice()));
    bytes[1] = 8;
    CHECK(decode_record(bytes).error().text ==
          "record: needs feature bit 3, which this node does not know");
    bytes[1] = 0x83;
    CHECK(decode_record(bytes).error().text ==
          "record: needs feature bit 1, which this node does not know");
    bytes[1] = 0;
    bytes[0] = 1;
    CHECK(decode_record(bytes).error().text == "record: unknown format");
  }

  TEST_CASE("a record names one to four hosts, each with an address") {
    Record record = signed_record(alice());
    Bytes bytes = encode(record);
    std::size_t count = 3 + 32 + 32;
    REQUIRE(bytes[count] == 1);
    for (int wrong : {0, 2, 5}) {
      bytes[count] = static_cast<std::uint8_t>(wrong);
      CHECK_FALSE(decode_record(bytes).has_value());
    }
    record.hosts.push_back({.id = {6}, .address = "[::1]:2"});
    auto two = decode_record(encode(record));
    REQUIRE(two.has_value());
    CHECK(two->hosts[1].address == "[::1]:2");
    Bytes blank = encode(record);
    blank[count + 22] = ' ';
    CHECK_FALSE(decode_record(blank).has_value());
  }

  TEST_CASE("a record of an unknown class passes by presence alone") {
    Record record = signed_record(alice());
    record.layout ^= 1;
    CHECK(schema.class_named(record.layout) == Schema::unknown_class);
    auto may = [&](const char* text) {
      Predicates predicates = blind(schema, salt, test::query(text).branches[0]);
      bool quick = Matcher(schema, predicates).may_match(record);
      FilterView view{Schema::unknown_class, record.presence, record.open, record.filter};
      REQUIRE(may_match(schema, predicates, view) == quick);
      return quick;
    };
    CHECK(may("hobby=chess"));
    CHECK(may("hobby=kendo age=90"));  // only the filter could tell
    CHECK_FALSE(may("city=rome"));
    CHECK_FALSE(may("age=24 !has=hobby"));
    CHECK(may("age=24 !has=city"));
  }

  TEST_CASE("of a slot that the schema lacks, presence decides and nothing else") {
    Record record = signed_record(alice());
    for (bool there : {true, false}) {
      for (bool absent : {true, false}) {
        Clause clause{.slot = 30, .absent = absent};
        if (!absent) clause.any = {TextTest{{1, 2}}, NumberTest{filters::AttributeSeed{3}, 1, 2}};
        Record one = record;
        if (there) one.presence |= std::uint32_t{1} << 30;
        FilterView view{schema.class_named(one.layout), one.presence, one.open, one.filter};
        CHECK(Matcher(schema, {clause}).may_match(one) == (there != absent));
        CHECK(may_match(schema, {clause}, view) == (there != absent));
      }
    }
  }

  TEST_CASE("a folded filter is the filter hashed into fewer bits") {
    Rng rng(31);
    for (int round = 0; round < 50; ++round) {
      Elements found = elements(schema, salt, test::random_person(rng));
      for (const LayoutClass& layout : schema.classes()) {
        filters::BitArray base = make_filter(schema, found, layout);
        for (std::uint16_t length : filter_lengths) {
          REQUIRE(base.fold(length) == make_filter(schema, found, layout, length));
        }
      }
    }
  }

  TEST_CASE("the filter is the shortest that is good enough") {
    Rng rng(37);
    for (int round = 0; round < 100; ++round) {
      Elements found = elements(schema, salt, test::random_person(rng));
      FilterChoice choice = choose_filter(schema, found, default_target_fpr);
      double best_shorter = 1e9;
      double best = 1e9;
      for (const LayoutClass& layout : schema.classes()) {
        if (std::popcount(open_slots(schema, found, layout)) > std::popcount(choice.open)) continue;
        filters::BitArray base = make_filter(schema, found, layout);
        for (std::uint16_t length : filter_lengths) {
          double fpr = total_fpr(schema, found, layout,
                                 static_cast<double>(base.fold(length).count()) / length);
          best = std::min(best, fpr);
          if (length < choice.filter.size()) best_shorter = std::min(best_shorter, fpr);
        }
      }
      if (choice.fpr > default_target_fpr) {
        CHECK(choice.fpr == doctest::Approx(best));
      } else {
        CHECK(best_shorter > default_target_fpr);
      }
    }
  }

  TEST_CASE("private values leave no trace in the record") {
    Profile with = person({"age=24", "phone=123"});
    Profile without = person({"age=24"});
    CHECK(signed_record(with) == signed_record(without));
  }

  TEST_CASE("a usual record has about 110 bytes besides keys and signature") {
    std::size_t size = encode(signed_record(alice())).size();
    MESSAGE("record of a usual profile: " << size << " bytes, " << size - 128
                                          << " without its two keys and signature");
    CHECK(size - 128 <= 130);
  }

  TEST_CASE("golden: the bytes of a small record never change") {
    Schema small = small_schema();
    Profile profile;
    REQUIRE(profile.set(small, "hobby", std::vector<std::string>{"chess"}).has_value());
    REQUIRE(profile.set(small, "age", std::vector<std::string>{"20..24"}).has_value());
    Record record = build_record(small, Salt{}, profile, publication());
    sign_record(Salt{}, signer, seed, record);
    CHECK(
        to_hex(encode(record)) ==
        "020000221fe5f6859a1a4fec79057c9d32c8d3fc356e144b1da3b0f9016ef6f29888da09000000000000000000"
        "000000000000000000000000000000000000000000000105000000000000000000000000000000000000000f31"
        "32372e302e302e313a343030303100000000000000036b49d2000000000300000000eec00dcc00840417e20008"
        "d0680000a9c229ccef5740871f8992bfc4bde38a7a3ac79b0c5b5a4de7fb67c510fbc4a45c463019b7c56a3cac"
        "64e722c1865f91e3b9ef30bfc36d147a615b90d6fad60b");
    CHECK(to_hex(owner_id(record.owner_key)) == "4c53ccd175853ba7cfca168183cf879f24d8d427");
  }
}
