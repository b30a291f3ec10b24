// SPDX-License-Identifier: MIT
#include "node/service/admission/overlay.h"

#include <doctest/doctest.h>

#include "profile/schema/schema_json.h"

using namespace beckon;
using namespace beckon::service;

namespace {

Overlay closed_overlay() {
  Overlay out{.name = "club", .admission = Admission::closed, .authority = PublicKey{1, 2, 3}};
  out.salt = {9};
  out.limits = {{"replicas", 3}, {"store_bytes", 1 << 20}};
  return out;
}

const char* schema_text =
    R"({"fold":"1","attributes":[{"name":"team","type":"text"},)"
    R"({"name":"weight","type":"decimal","scale":1,"min":-0.5,"max":300.5}]})";

/// An overlay with a schema of its own; with a seed its authority signs it.
Overlay with_schema(const std::string& text, const std::optional<SecretSeed>& seed,
                    Admission admission = Admission::open) {
  Overlay out{.name = "club", .admission = admission};
  out.schema = *draft_schema(text);
  if (!seed) return out;
  out.authority = Ed25519().public_key(*seed);
  out.schema.signature = Ed25519().sign(*seed, out.schema.signed_part(out.id()));
  return out;
}

const SecretSeed seed{1, 2, 3};

std::string numbered(int number, const std::string& more = "") {
  return "{\"number\":" + std::to_string(number) +
         R"(,"fold":"1","attributes":[{"name":"team","type":"text"},)"
         R"({"name":"weight","type":"decimal","scale":1,"min":-0.5,"max":300.5})" +
         more + "]}";
}

}  // namespace

TEST_SUITE_BEGIN("service/overlay");

TEST_CASE("an overlay file read back is the same overlay") {
  for (const Overlay& overlay :
       {builtin_overlay(), closed_overlay(), with_schema(schema_text, std::nullopt),
        with_schema(schema_text, seed), with_schema(schema_text, seed, Admission::closed)}) {
    auto again = parse_overlay(overlay_json(overlay));
    REQUIRE(again);
    CHECK(*again == overlay);
    CHECK(again->id() == overlay.id());
  }
}

TEST_CASE("the id is a hash over everything else") {
  Overlay base = closed_overlay();
  auto differs = [&](auto change) {
    Overlay other = base;
    change(other);
    return other.id() != base.id();
  };
  CHECK(differs([](Overlay& o) { o.name = "club2"; }));
  CHECK(differs([](Overlay& o) { o.salt[15] = 1; }));
  CHECK(differs([](Overlay& o) { (*o.authority)[31] = 1; }));
  CHECK(differs([](Overlay& o) { o.puzzle = 1; }));
  CHECK(differs([](Overlay& o) { o.limits["replicas"] = 4; }));
  CHECK(differs([](Overlay& o) { o.schema = *draft_schema(schema_text); }));
  CHECK(differs([](Overlay& o) { o.admission = Admission::open; }));
  CHECK(differs([](Overlay& o) {
    o.admission = Admission::open;
    o.authority.reset();
  }));
}

TEST_CASE("a schema without an authority is part of the id, a signed one is not") {
  CHECK(builtin_overlay().schema_kind() == SchemaKind::built_in);
  Overlay fixed = with_schema(numbered(1), std::nullopt);
  CHECK(fixed.schema_kind() == SchemaKind::fixed);
  CHECK(fixed.id() != with_schema(numbered(2), std::nullopt).id());
  Overlay granted = with_schema(numbered(1), seed);
  CHECK(granted.schema_kind() == SchemaKind::granted);
  CHECK(granted.id() == with_schema(numbered(2), seed).id());
  CHECK(check_schema(granted, Ed25519()).has_value());
  CHECK(check_schema(fixed, Ed25519()).has_value());
  CHECK(check_schema(builtin_overlay(), Ed25519()).has_value());
  granted.schema.signature[5] ^= 1;
  CHECK_FALSE(check_schema(granted, Ed25519()).has_value());
  CHECK(schema_of(granted).number() == 1);
  CHECK(schema_of(builtin_overlay()).attributes().size() ==
        profile::Schema::built_in().attributes().size());
}

TEST_CASE("a schema grows only by a document that the authority signed and that extends it") {
  Overlay club = with_schema(numbered(3), seed);
  auto why = [&](const std::string& text, const SecretSeed& key, const Overlay& overlay) {
    SchemaDocument next = *draft_schema(text);
    next.signature = Ed25519().sign(key, next.signed_part(overlay.id()));
    auto good = check_growth(overlay, next, Ed25519());
    return good ? "" : good.error().text;
  };
  const std::string more = R"(,{"name":"sport","type":"text"})";
  CHECK(why(numbered(4, more), seed, club) == "");
  CHECK(why(numbered(4), seed, club) == "");
  CHECK(why(numbered(4, more), SecretSeed{9}, club).find("not signed") != std::string::npos);
  CHECK(why(numbered(3, more), seed, club).find("greater than 3") != std::string::npos);
  CHECK(why(numbered(2, more), seed, club).find("greater than 3") != std::string::npos);
  CHECK(why(R"({"number":4,"fold":"1","attributes":[{"name":"team","type":"text"}]})", seed, club)
            .find("attribute 2 must be weight") != std::string::npos);
  CHECK(why(numbered(4, more), seed, with_schema(numbered(3), std::nullopt)).find("no authority") !=
        std::string::npos);
  CHECK(why(numbered(4, more), seed, builtin_overlay()).find("releases") != std::string::npos);
  SchemaDocument loose{.text = numbered(4, more)};  // not canonical
  loose.signature = Ed25519().sign(seed, loose.signed_part(club.id()));
  CHECK(check_growth(club, loose, Ed25519()).error().text.find("canonical") != std::string::npos);
  Overlay other = club;
  other.name = "other";
  SchemaDocument elsewhere = *draft_schema(numbered(4));
  elsewhere.signature = Ed25519().sign(seed, elsewhere.signed_part(other.id()));
  CHECK_FALSE(check_growth(club, elsewhere, Ed25519()).has_value());
}

TEST_CASE("a schema document has its layout") {
  SchemaDocument document{.text = "{}"};
  document.signature.fill(0x11);
  Bytes bytes = document.encode();
  CHECK(to_hex(ByteView(bytes).first(8)) == "01000000027b7d11");
  CHECK(to_hex(document.signed_part(OverlayId{0xaa}))
            .starts_with(to_hex(as_bytes("beckon/schema/1")) + "aa00"));
  CHECK(*SchemaDocument::decode(bytes) == document);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(SchemaDocument::decode(ByteView(bytes).first(size)));
  bytes.push_back(0);
  CHECK_FALSE(SchemaDocument::decode(bytes));
  CHECK_FALSE(SchemaDocument::decode(SchemaDocument{}.encode()));
  CHECK_FALSE(SchemaDocument::decode(
      SchemaDocument{.text = std::string(SchemaDocument::max_text + 1, ' ')}.encode()));
}

TEST_CASE("the largest schema fits into an overlay file") {
  std::vector<profile::Attribute> attributes;
  for (int i = 0; i < 31; ++i) {
    attributes.push_back({.name = std::string(30, 'a') + static_cast<char>('a' + i / 26) +
                                  static_cast<char>('a' + i % 26),
                          .type = profile::Type::decimal,
                          .circular = true,
                          .scale = 9,
                          .unit = "cm",
                          .min = -999'999'999'999'999,
                          .max = 999'999'999'999'999,
                          .ladder = {1, 2, UINT64_MAX},
                          .published_width = UINT64_MAX,
                          .queried_width = UINT64_MAX,
                          .point_group = UINT64_MAX});
  }
  std::vector<profile::LayoutClass> classes;
  for (std::uint8_t k = 20; k < 36; ++k) {
    classes.push_back({.k = k,
                       .slots = std::vector<profile::SlotLayout>(32, {UINT64_MAX, 10}),
                       .said = ~std::uint32_t{0}});
  }
  auto schema = profile::Schema::make(UINT32_MAX, attributes, classes);
  REQUIRE_MESSAGE(schema.has_value(), schema.error().text);
  std::string text = profile::schema_json(*schema);
  REQUIRE(text.size() <= SchemaDocument::max_text);
  Overlay overlay = with_schema(text, seed);
  CHECK(overlay_json(overlay).size() <= max_overlay_file);
  CHECK(*parse_overlay(overlay_json(overlay)) == overlay);
}

TEST_CASE("a file of the first protocol is refused by a sentence that names the cure") {
  auto old = parse_overlay(R"({"name":"x","admission":"open","schema":"default",)"
                           R"("salt":"00000000000000000000000000000001"})");
  REQUIRE_FALSE(old);
  CHECK(old.error().text.find("ask for a new invite") != std::string::npos);
  CHECK(old.error().text.find("beckon overlay create NAME") != std::string::npos);
}

TEST_CASE("the built-in overlay keeps the id nodes in the field know") {
  CHECK(to_hex(builtin_overlay().id()) ==
        "c8c07e404077565a81591261ea92f5ccf697eb6dacd090d6fd26f20883a622fa");
}

TEST_CASE("white space and the order of fields do not matter, content does") {
  auto parsed =
      parse_overlay(R"({ "schema" : {"attributes":[ {"type":"text","name":"a"}], "fold":"1"},
                         "salt":"00000000000000000000000000000001",
                         "admission":"open", "name":"x", "version" : 2 })");
  REQUIRE(parsed);
  CHECK(parsed->schema ==
        *draft_schema(R"({"fold":"1","attributes":[{"name":"a","type":"text"}]})"));
  CHECK(parsed->limit("replicas", 3) == 3);
}

TEST_CASE("names, limits, puzzle and file are taken up to their bounds and not beyond") {
  auto reads = [](auto change) {
    Overlay draft{.name = "x"};
    change(draft);
    return parse_overlay(overlay_json(draft)).has_value();
  };
  auto limits = [](std::size_t count, std::uint64_t value) {
    return [=](Overlay& o) {
      for (std::size_t i = 0; i < count; ++i) o.limits[std::string(i + 1, 'a')] = value;
    };
  };
  CHECK(reads([](Overlay& o) { o.name = std::string(64, 'a'); }));
  CHECK_FALSE(reads([](Overlay& o) { o.name = std::string(65, 'a'); }));
  CHECK(reads([](Overlay& o) { o.puzzle = 40; }));
  CHECK_FALSE(reads([](Overlay& o) { o.puzzle = 41; }));
  CHECK(reads(limits(32, std::uint64_t{1} << 53)));
  CHECK_FALSE(reads(limits(33, 1)));
  CHECK_FALSE(reads(limits(1, (std::uint64_t{1} << 53) + 1)));
  CHECK(reads([](Overlay& o) { o.limits[std::string(64, 'a')] = 1; }));
  CHECK_FALSE(reads([](Overlay& o) { o.limits[std::string(65, 'a')] = 1; }));
  std::string file = overlay_json(closed_overlay());
  file.resize(max_overlay_file, ' ');
  CHECK(parse_overlay(file));
  CHECK_FALSE(parse_overlay(file + " "));
}

TEST_CASE("whatever is missing, doubled, unknown or of the wrong kind is named") {
  std::string salt = R"("salt":"00000000000000000000000000000001")";
  std::string key = R"("authority":")" + std::string(64, 'a') + "\"";
  struct Case {
    std::string text, names;
  };
  for (const Case& c : std::vector<Case>{
           {"", "not JSON"},
           {"[]", "one JSON object"},
           {R"({"name":"x","admission":"open","schema":1})", "\"salt\""},
           {R"({"name":"x","admission":"open",)" + salt + "}", "\"schema\""},
           {R"({"name":"X","admission":"open","schema":1,)" + salt + "}", "\"name\""},
           {R"({"name":"","admission":"open","schema":1,)" + salt + "}", "\"name\""},
           {R"({"name":"x","admission":"ajar","schema":1,)" + salt + "}", "\"admission\""},
           {R"({"name":"x","admission":"closed","schema":1,)" + salt + "}", "\"authority\""},
           {R"({"name":"x","admission":"open","schema":"default","schema_signature":"00",)" + salt +
                "}",
            "\"schema_signature\""},
           {R"({"name":"x","admission":"closed","schema":)" + numbered(1) + "," + key + "," + salt +
                "}",
            "\"schema_signature\""},
           {R"({"name":"x","admission":"open","schema":)" + numbered(1) +
                R"(,"schema_signature":")" + std::string(128, '0') + "\"," + salt + "}",
            "\"schema_signature\""},
           {R"({"name":"x","admission":"open","schema":1,)" + salt + "}", "\"schema\""},
           {R"({"name":"x","admission":"open","schema":"other",)" + salt + "}", "\"schema\""},
           {R"({"name":"x","admission":"open","schema":{"fold":"1","attributes":[]},)" + salt + "}",
            "1..31 attributes"},
           {R"({"name":"x","admission":"closed","puzzle":3,"schema":1,)" + key + "," + salt + "}",
            "\"puzzle\""},
           {R"({"name":"x","admission":"open","puzzle":41,"schema":1,)" + salt + "}", "\"puzzle\""},
           {R"({"name":"x","admission":"open","puzzle":-1,"schema":1,)" + salt + "}", "\"puzzle\""},
           {R"({"name":"x","admission":"open","limits":{"A":1},"schema":1,)" + salt + "}",
            "\"limits\""},
           {R"({"name":"x","admission":"open","limits":{"a":1.5},"schema":1,)" + salt + "}",
            "limits.a"},
           {R"({"name":"x","admission":"open","colour":1,"schema":1,)" + salt + "}", "\"colour\""},
           {R"({"name":"x","name":"y","admission":"open","schema":1,)" + salt + "}",
            "\"name\" occurs twice"},
           {R"({"name":"x","admission":"open","schema":{"a":1,"a":2},)" + salt + "}",
            "\"a\" occurs twice"},
           {R"({"name":"x","admission":"open","schema":"default","id":")" + std::string(64, '0') +
                "\"," + salt + "}",
            "was changed"},
           {R"({"name":"x","admission":"open","schema":)" + std::string(20, '[') +
                std::string(20, ']') + "," + salt + "}",
            "16 levels"},
           {std::string(140000, ' '), "at most 131072"}}) {
    CAPTURE(c.text);
    std::string text = c.text;
    if (text.starts_with('{')) text.insert(1, "\"version\":2,");
    auto parsed = parse_overlay(text);
    REQUIRE_FALSE(parsed);
    CAPTURE(parsed.error().text);
    CHECK(parsed.error().text.find(c.names) != std::string::npos);
  }
}

TEST_SUITE_END();
