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
          .host = {5},
          .address = "127.0.0.1:40001",
          .version = 3,
          .expiry = wall_from_ms(1'800'000'000'999)};
}

Record signed_record(const Profile& profile) {
  Record record = build_record(schema, salt, profile, publication());
  sign_record(schema, salt, signer, seed, record);
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
    auto again = decode_record(schema, bytes);
    REQUIRE(again.has_value());
    CHECK(*again == record);
    CHECK(encode(*again) == bytes);
    CHECK(verify_record(schema, salt, signer, *again));
    CHECK(to_ms(again->expiry) == 1'800'000'000'000);  // whole seconds
  }

  TEST_CASE("a flipped bit anywhere is refused or breaks the signature") {
    Bytes bytes = encode(signed_record(alice()));
    int refused = 0;
    for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
      Bytes other = bytes;
      other[i / 8] = static_cast<std::uint8_t>(other[i / 8] ^ (1 << (i % 8)));
      auto record = decode_record(schema, other);
      if (record && verify_record(schema, salt, signer, *record)) continue;
      ++refused;
    }
    CHECK(refused == static_cast<int>(bytes.size() * 8));
  }

  TEST_CASE("a record of another overlay or by another key does not verify") {
    Record record = signed_record(alice());
    CHECK_FALSE(verify_record(schema, Salt{8}, signer, record));
    CHECK_FALSE(verify_record(small_schema(), salt, signer, record));
    sign_record(schema, salt, signer, SecretSeed{4}, record);
    CHECK_FALSE(verify_record(schema, salt, signer, record));
  }

  TEST_CASE("every shorter or longer record is refused") {
    for (const Record& record : {signed_record(alice()), withdrawal(publication())}) {
      Bytes bytes = encode(record);
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        REQUIRE_FALSE(decode_record(schema, ByteView(bytes).first(size)).has_value());
      }
      bytes.push_back(0);
      CHECK_FALSE(decode_record(schema, bytes).has_value());
    }
    CHECK_FALSE(decode_record(schema, Bytes(1000)).has_value());
  }

  TEST_CASE("a withdrawn record says nothing of the profile and matches nobody") {
    Record record = withdrawal(publication());
    sign_record(schema, salt, signer, seed, record);
    auto again = decode_record(schema, encode(record));
    REQUIRE(again.has_value());
    CHECK(again->withdrawn);
    CHECK(verify_record(schema, salt, signer, *again));
    CHECK_FALSE(Matcher(schema, {}).may_match(*again));
    record.presence = 1;
    CHECK_FALSE(decode_record(schema, encode(record)).has_value());
  }

  TEST_CASE("classes and presence bits that the schema lacks are refused") {
    Record record = signed_record(alice());
    record.layout = static_cast<std::uint8_t>(schema.classes().size());
    CHECK_FALSE(decode_record(schema, encode(record)).has_value());
    record.layout = 0;
    record.presence |= std::uint32_t{1} << 30;
    CHECK_FALSE(decode_record(schema, encode(record)).has_value());
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
    sign_record(small, Salt{}, signer, seed, record);
    CHECK(
        to_hex(encode(record)) ==
        "0100221fe5f6859a1a4fec79057c9d32c8d3fc356e144b1da3b0f9016ef6f29888da0900000000000000000000"
        "00000000000000000000000000000000000000000005000000000000000000000000000000000000000f313237"
        "2e302e302e313a343030303100000000000000036b49d20000000003000000000000840417e20008d068491e5d"
        "d4b2c6e87d549cb42a6defd323fd80b7b192d5991263b9fcb8e2098fc9bd731ef92378fe7b93d3d860fab63899"
        "f63c6798250277efab3de01efc35450c");
    CHECK(to_hex(owner_id(record.owner_key)) == "4c53ccd175853ba7cfca168183cf879f24d8d427");
  }
}
