#include "node/service/admission/overlay.h"

#include <doctest/doctest.h>

using namespace beckon;
using namespace beckon::service;

namespace {

Overlay closed_overlay() {
  Overlay out{.name = "club", .admission = Admission::closed, .authority = PublicKey{1, 2, 3}};
  out.salt = {9};
  out.limits = {{"replicas", 3}, {"store_bytes", 1 << 20}};
  out.schema = R"({"attributes":[{"name":"age"}],"version":1})";
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("service/overlay");

TEST_CASE("an overlay file read back is the same overlay") {
  for (const Overlay& overlay : {builtin_overlay(), closed_overlay()}) {
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
  CHECK(differs([](Overlay& o) { o.schema = "\"default\""; }));
  CHECK(differs([](Overlay& o) {
    o.admission = Admission::open;
    o.authority.reset();
  }));
}

TEST_CASE("the built-in overlay keeps the id nodes in the field know") {
  CHECK(to_hex(builtin_overlay().id()) ==
        "528a25dbcb070840559d9267c8911c10a256fa2f76fc978b0aa88ee9ebfaefe6");
}

TEST_CASE("white space and the order of fields do not matter, content does") {
  auto parsed =
      parse_overlay(R"({ "schema" : {"b":1, "a":[ ]}, "salt":"00000000000000000000000000000001",
                                   "admission":"open", "name":"x" })");
  REQUIRE(parsed);
  CHECK(parsed->schema == R"({"a":[],"b":1})");
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
           {R"({"name":"x","admission":"open","schema":1,)" + key + "," + salt + "}",
            "\"authority\""},
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
           {R"({"name":"x","admission":"open","schema":1,"id":")" + std::string(64, '0') + "\"," +
                salt + "}",
            "was changed"},
           {R"({"name":"x","admission":"open","schema":)" + std::string(20, '[') +
                std::string(20, ']') + "," + salt + "}",
            "16 levels"},
           {std::string(70000, ' '), "at most 65536"}}) {
    CAPTURE(c.text);
    auto parsed = parse_overlay(c.text);
    REQUIRE_FALSE(parsed);
    CAPTURE(parsed.error().text);
    CHECK(parsed.error().text.find(c.names) != std::string::npos);
  }
}

TEST_CASE("a schema that grows when it is written canonically can still be written") {
  std::string numbers;
  for (int i = 0; i < 12000; ++i) numbers += i > 0 ? ",1e15" : "1e15";
  auto overlay = parse_overlay(
      R"({"name":"x","admission":"open","salt":"00000000000000000000000000000001","schema":[)" +
      numbers + "]}");
  REQUIRE(overlay);
  CHECK(overlay->schema.size() > max_overlay_file);
  CHECK(overlay_json(*overlay).find("1e+15") != std::string::npos);
}

TEST_SUITE_END();
