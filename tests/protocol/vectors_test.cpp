// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "filters/bits/positions.h"
#include "node/service/admission/credential.h"
#include "node/service/admission/overlay.h"
#include "profile/index/predicate.h"
#include "profile/index/record.h"
#include "profile/language/query_text.h"
#include "profile/person/profile_json.h"
#include "profile/schema/schema_json.h"
#include "profile/values/text_fold.h"

// vectors.json holds inputs and, beside each, what docs/protocol-index.md makes of it. Here the
// shipped code computes the outputs again from the inputs; second_implementation.py does the same
// from the page alone. With BECKON_WRITE_VECTORS=1 the file is written anew, for new inputs only:
// what changes beside an old input breaks every overlay that exists.

using namespace beckon;
using namespace beckon::profile;
using Json = nlohmann::json;

namespace {

const Schema& schema = Schema::built_in();
const Salt& salt = service::builtin_overlay().salt;
const Ed25519 signer;

template <typename Array>
Array bytes_of(const Json& hex) {
  auto bytes = from_hex(hex.get<std::string>());
  Array out{};
  REQUIRE(bytes.has_value());
  REQUIRE(bytes->size() == out.size());
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out;
}

std::string seed_text(const Hash128& seed) {
  ByteWriter out;
  out.u64(seed.high);
  out.u64(seed.low);
  return to_hex(out.bytes());
}

std::string name_text(const LayoutClass& layout) { return fmt::format("{:08x}", layout.name); }

Json hash_vectors(const Json& given) {
  Json out;
  for (const Json& text : given.at("schemas")) {
    auto read = parse_schema(text.at(0).get<std::string>());
    REQUIRE(read.has_value());
    Json names = Json::array();
    for (const LayoutClass& layout : read->classes()) names.push_back(name_text(layout));
    out["schemas"].push_back({text.at(0), to_hex(sha256(as_bytes(schema_json(*read)))), names});
  }
  for (const Json& fold : given.at("folds")) {
    auto folded = fold_text(fold.at(0).get<std::string>());
    out["folds"].push_back({fold.at(0), folded ? Json(*folded) : Json(nullptr)});
  }
  for (const Json& text : given.at("texts")) {
    auto seed =
        filters::text_seed(salt, text.at(0).get<std::string>(), text.at(1).get<std::string>());
    out["texts"].push_back({text.at(0), text.at(1), seed_text(seed)});
  }
  for (const Json& group : given.at("groups")) {
    auto attribute = filters::attribute_seed(salt, group.at(0).get<std::string>());
    auto seed = filters::group_seed(attribute, group.at(1).get<filters::Kind>(),
                                    std::stoull(group.at(2).get<std::string>()));
    out["groups"].push_back({group.at(0), group.at(1), group.at(2), seed_text(seed)});
  }
  for (const Json& words : given.at("words")) {
    auto hex = words.at(0).get<std::string>();
    Hash128 seed{.low = std::stoull(hex.substr(16), nullptr, 16),
                 .high = std::stoull(hex.substr(0, 16), nullptr, 16)};
    Json expanded;
    for (std::uint32_t j = 0; j < words.at(1).size(); ++j)
      expanded.push_back(filters::word(seed, j));
    out["words"].push_back({words.at(0), expanded});
  }
  return out;
}

/// The hardest puzzle that a solution solves, in zero bits.
int solves(const PublicKey& key, std::uint64_t solution) {
  service::Puzzle puzzle{.overlay = service::builtin_overlay().id(), .bits = 1};
  while (puzzle.bits < 40 && puzzle.solved_by(key, solution)) ++puzzle.bits;
  return puzzle.bits - 1;
}

/// The id of an overlay, and, if the authority's secret is given, the schema document it signs.
Json overlay_vectors(const Json& given) {
  Json out;
  for (const Json& one : given.at("overlays")) {
    auto overlay = service::parse_overlay(one.at(1).dump());
    REQUIRE(overlay.has_value());
    std::string document;
    if (!one.at(0).get<std::string>().empty()) {
      auto secret = bytes_of<SecretSeed>(one.at(0));
      overlay->schema.signature = signer.sign(secret, overlay->schema.signed_part(overlay->id()));
      document = to_hex(overlay->schema.encode());
    }
    out["overlays"].push_back({one.at(0), one.at(1), to_hex(overlay->id()), document});
  }
  return out;
}

Json puzzle_vectors(const Json& given) {
  Json out;
  for (const Json& one : given.at("puzzles")) {
    auto solution = std::stoull(one.at(1).get<std::string>());
    out["puzzles"].push_back(
        {one.at(0), one.at(1), solves(bytes_of<PublicKey>(one.at(0)), solution)});
  }
  for (const Json& one : given.at("solutions")) {
    service::Puzzle puzzle{.overlay = service::builtin_overlay().id(),
                           .bits = one.at(1).get<std::uint8_t>()};
    auto found = puzzle.solve(bytes_of<PublicKey>(one.at(0)));
    out["solutions"].push_back({one.at(0), one.at(1), std::to_string(found)});
  }
  return out;
}

std::string every_filter(const Elements& found) {
  Bytes all;
  for (const LayoutClass& layout : schema.classes()) {
    for (std::uint16_t bits : filter_lengths) {
      filters::BitArray filter = make_filter(schema, found, layout, bits);
      all.insert(all.end(), filter.bytes().begin(), filter.bytes().end());
    }
  }
  return to_hex(sha256(all));
}

std::string signed_bytes(const SecretSeed& secret, Record record) {
  sign_record(salt, signer, secret, record);
  return to_hex(encode(record));
}

struct Person {
  std::string name{};
  Record record{};
};

Person person_vectors(const Json& given, Json& out) {
  auto profile = parse_profile(schema, given.at("profile").dump());
  REQUIRE(profile.has_value());
  auto secret = bytes_of<SecretSeed>(given.at("secret"));
  Publication publication{.owner_key = signer.public_key(secret),
                          .message_key = bytes_of<MessageKey>(given.at("message_key")),
                          .host = {.id = bytes_of<HostId>(given.at("host")),
                                   .address = given.at("address").get<std::string>()},
                          .version = given.at("version").get<std::uint64_t>()};
  publication.expiry = wall_from_ms(given.at("expiry").get<std::int64_t>() * 1000);
  OwnerId owner = owner_id(publication.owner_key);
  Record record = build_record(schema, salt, *profile, publication);
  out = given;
  out["owner"] = to_hex(owner);
  out["record"] = signed_bytes(secret, record);
  out["withdrawal"] = signed_bytes(secret, withdrawal(publication));
  out["every_filter"] = every_filter(elements(schema, salt, *profile));
  out["keys"] = Json::array();
  for (const Placement& placement : placements(schema, salt, *profile, owner))
    out["keys"].push_back(
        {to_hex(placement.key), encode(placement.marks)[0], placement.marks.span});
  return {given.at("name").get<std::string>(), std::move(record)};
}

Json way_vectors(const Access& access) {
  Json out = Json::array();
  for (const auto& [key, wanted] : access.probes) {
    int flags = (wanted.home_only ? 1 : 0) | (wanted.first_x ? 2 : 0) | (wanted.first_y ? 4 : 0);
    out.push_back({to_hex(key), flags, wanted.back});
  }
  return out;
}

Json branch_vectors(const Branch& branch, const std::vector<Person>& people) {
  Predicates blinded = blind(schema, salt, branch);
  Json out{
      {"predicates", to_hex(encode(blinded))}, {"ways", Json::array()}, {"may", Json::array()}};
  auto found = accesses(schema, salt, branch);
  found.pop_back();  // everybody
  for (const Access& access : found) out["ways"].push_back(way_vectors(access));
  for (const Person& person : people) {
    const Record& r = person.record;
    if (may_match(schema, blinded, {schema.class_named(r.layout), r.presence, r.open, r.filter}))
      out["may"].push_back(person.name);
  }
  return out;
}

Json query_vectors(const Json& given, const std::vector<Person>& people) {
  auto query = parse_query(schema, given.at("written").get<std::string>());
  REQUIRE(query.has_value());
  Json out{{"written", given.at("written")},
           {"canonical", canonical(schema, *query)},
           {"branches", Json::array()}};
  for (const Branch& branch : query->branches)
    out["branches"].push_back(branch_vectors(branch, people));
  return out;
}

Json signature_vectors(const Json& given) {
  Json out;
  for (Json one : given.at("signatures")) {
    auto message = *from_hex(one.at(2).get<std::string>());
    one[4] = signer.verify(bytes_of<PublicKey>(one.at(1)), message, bytes_of<Signature>(one.at(3)));
    out["signatures"].push_back(std::move(one));
  }
  return out;
}

Json computed(const Json& given) {
  Json out = hash_vectors(given);
  out.update(puzzle_vectors(given));
  out.update(signature_vectors(given));
  out.update(overlay_vectors(given));
  out["overlay"] = {{"id", to_hex(service::builtin_overlay().id())}, {"salt", to_hex(salt)}};
  out["schema"] = to_hex(sha256(as_bytes(schema_json(schema))));
  for (const LayoutClass& layout : schema.classes()) out["classes"].push_back(name_text(layout));
  for (const Probe& probe : everybody(salt).probes) out["everybody"].push_back(to_hex(probe.key));
  std::vector<Person> people;
  for (const Json& person : given.at("people")) {
    Json vectors;
    people.push_back(person_vectors(person, vectors));
    out["people"].push_back(std::move(vectors));
  }
  for (const Json& query : given.at("queries"))
    out["queries"].push_back(query_vectors(query, people));
  return out;
}

/// One line for each person, query and so on, so that a change shows which.
void write(const Json& all, std::ostream& out) {
  const char* before = "{";
  for (const auto& [name, entries] : all.items()) {
    out << before << "\n" << Json(name).dump() << ": ";
    before = ",";
    if (!entries.is_array()) {
      out << entries.dump();
      continue;
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
      out << (i == 0 ? "[\n " : ",\n ") << entries[i].dump();
    out << "]";
  }
  out << "\n}\n";
}

}  // namespace

TEST_SUITE("protocol/vectors") {
  TEST_CASE("the built-in schema in the documents is the one that ships") {
    std::ifstream file(BECKON_BUILT_IN_SCHEMA);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text == schema_json(schema));
  }

  TEST_CASE("the shipped code agrees with the vectors of the documents") {
    std::ifstream file(BECKON_VECTORS);
    Json given = Json::parse(file);
    Json now = computed(given);
    if (std::getenv("BECKON_WRITE_VECTORS") != nullptr) {
      std::ofstream out(BECKON_VECTORS);
      write(now, out);
      return;
    }
    INFO(Json::diff(given, now).dump(1).substr(0, 2000));
    CHECK(given == now);
  }
}
