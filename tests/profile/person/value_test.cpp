// SPDX-License-Identifier: MIT
#include "profile/person/value.h"

#include <doctest/doctest.h>

#include "profile/values/date.h"
#include "profile/values/ip.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

const Attribute& attribute(const char* name) {
  const Schema& schema = Schema::built_in();
  return schema.at(*schema.slot(name));
}

/// The canonical text of a value as published or as asked, or "!" and the error.
std::string read(const char* name, const char* text, Side side = Side::query) {
  auto value = parse_value(attribute(name), text, side);
  return value ? value_text(attribute(name), *value) : "! " + value.error().text;
}

Interval interval(const char* name, const char* text, Side side = Side::query) {
  auto value = parse_value(attribute(name), text, side);
  REQUIRE(value.has_value());
  REQUIRE(value->number.has_value());
  return *value->number;
}

}  // namespace

TEST_SUITE("profile/value") {
  TEST_CASE("numbers are points or ranges within the scope") {
    CHECK(read("age", "24") == "24");
    CHECK(read("age", "20..30") == "20..30");
    CHECK(read("age", "..30") == "1..30");
    CHECK(read("age", "30..") == "30..120");
    CHECK(read("age", "100..500") == "100..120");  // a query is cut to the scope
    CHECK(read("age", "100..500", Side::publish) == "! age lies in 1..120");
    CHECK(read("age", "200") == "! age lies in 1..120");
    CHECK(read("age", "30..20") == "! the range ends before it starts; write 20..30");
    CHECK(read("age", "20-30") == "! a range is written 20..30");
    CHECK(read("latitude", "-5--3") == "! a range is written -5..-3");
    CHECK(read("age", "20-").starts_with("! '20-' is not a number"));
    CHECK(read("age", "..") ==
          "! the range has no end; to ask for anybody who has one write has=age");
    CHECK(read("age", "old").starts_with("! 'old' is not a number"));
    CHECK(read("income", "40k..1.5M") == "40000..1500000");
  }

  TEST_CASE("publishing rounds to the nearest unit and queries go outwards") {
    CHECK(interval("latitude", "23.26214", Side::publish) == Interval{232'621, 232'621});
    CHECK(interval("latitude", "23.26212..90") == Interval{232'621, 900'000});
    CHECK(interval("latitude", "23.26214") == Interval{232'621, 232'622});
    CHECK(interval("income", "99.5..100.5") == Interval{99, 101});
  }

  TEST_CASE("a measure is converted into the attribute's unit, and what falls between is a range") {
    Attribute height{.name = "height", .type = Type::integer, .unit = "cm", .min = 0, .max = 300};
    auto read_height = [&](const char* text, Side side) {
      auto value = parse_value(height, text, side);
      return value ? value_text(height, *value) : "! " + value.error().text;
    };
    for (Side side : {Side::publish, Side::query}) {
      CHECK(read_height("180", side) == "180");
      CHECK(read_height("180cm", side) == "180");
      CHECK(read_height("1.8 m", side) == "180");
      CHECK(read_height("1800mm", side) == "180");
      CHECK(read_height("5ft", side) == "152..153");
      CHECK(read_height("1.7..1.8m", side) == "170..180");
      CHECK(read_height("1.7m..180", side) == "170..180");
      CHECK(read_height("6ft..", side) == "182..300");
      CHECK(read_height("80kg", side) == "! 'kg' is no unit of height; write it in cm");
      CHECK(read_height("80xy", side) == "! 'xy' is no unit of height; write it in cm");
      CHECK(read_height("m", side).starts_with("! '' is not a number"));
      CHECK(read_height("1km", side) == "! height lies in 0..300");
      CHECK(read_height("1e30km", side) == "! the number is too large");
      CHECK(read_height("1e-90km", side) == "0..1");
      CHECK(read_height("-1m", side) == "! height lies in 0..300");
    }
    CHECK(read_height("179.6cm", Side::publish) == "180");  // its own unit: rounded as ever
    Attribute weight{
        .name = "weight", .type = Type::decimal, .scale = 3, .unit = "kg", .max = 900'000};
    CHECK(parse_value(weight, "1lb", Side::query)->number == Interval{453, 454});
    CHECK(parse_value(weight, "0.5t", Side::query)->number == Interval{500'000, 500'000});
  }

  TEST_CASE("a circular attribute's ranges may run over its end") {
    CHECK(interval("hours", "22..6") == Interval{22, 6});
    CHECK(interval("hours", "9..24") == Interval{9, 0});
    CHECK(interval("hours", "24") == Interval{0, 0});
    CHECK(interval("hours", "0..24") == Interval{0, 23});
    CHECK(interval("hours", "10..9") == Interval{0, 23});
    CHECK(interval("longitude", "170..-170") == Interval{1'700'000, -1'700'000});
    CHECK(interval("longitude", "180") == Interval{-1'800'000, -1'800'000});
    CHECK(interval("longitude", "-180..180") == Interval{-1'800'000, 1'799'999});
    CHECK(read("hours", "25") == "! hours lies in 0..23");
    CHECK(pieces(attribute("hours"), {22, 6}) == std::vector<Interval>{{0, 6}, {22, 23}});
    CHECK(pieces(attribute("hours"), {6, 22}) == std::vector<Interval>{{6, 22}});
  }

  TEST_CASE("dates may be days, months or years") {
    CHECK(read("born", "2008") == "2008-01-01..2008-12-31");
    CHECK(read("born", "2008-02") == "2008-02-01..2008-02-29");
    CHECK(read("born", "1970-01-01") == "1970-01-01");
    CHECK(read("born", "2008..2010-05") == "2008-01-01..2010-05-31");
    CHECK(read("born", "2009..2008-03").starts_with("! the range ends"));
    CHECK(read("born", "2009-12-31") == "2009-12-31");
    CHECK(parse_date("0001-01-01").has_value());
    CHECK(date_text(parse_date("0001-02-03")->first) == "0001-02-03");
    CHECK(date_text(parse_date("9999-12-31")->last) == "9999-12-31");
    for (const char* bad :
         {"0000-01-01", "2009-01-00", "2009-01-32", "2009-0", "-009-01-01", "+200", "2009-",
          "2009-01-", "2009/01", "2009-01/01", "2009-02-29", "2009-13", "2009-00-01", "09-01-01",
          "2009-1-1", "2009-01-01x", "20090101"}) {
      CAPTURE(bad);
      CHECK_FALSE(parse_date(bad).has_value());
    }
    CHECK(parse_date("1970-01-01")->first == 0);
    CHECK(parse_date("2000-03-01")->first == 11'017);
    CHECK(years_between(parse_date("2000-05-02")->first, parse_date("2026-05-01")->first) == 25);
    CHECK(years_between(parse_date("2000-05-02")->first, parse_date("2026-05-02")->first) == 26);
    CHECK(years_between(parse_date("2000-05-02")->first, parse_date("2026-04-30")->first) == 25);
    CHECK(years_between(parse_date("2000-05-02")->first, parse_date("2026-06-01")->first) == 26);
  }

  TEST_CASE("addresses and prefixes are ranges, and IPv6 keeps its upper half") {
    CHECK(interval("ip", "140.113.214.0/24") == Interval{0x8C71D600, 0x8C71D6FF});
    CHECK(read("ip", "140.113.214.7/24") == "140.113.214.0/24");
    CHECK(read("ip", "140.113.214.7") == "140.113.214.7");
    CHECK(read("ip", "0.0.0.0/0") == "0.0.0.0/0");
    CHECK(read("ip", "10.0.0.1..10.0.0.9") == "10.0.0.1..10.0.0.9");
    CHECK(read("ip", "::ffff:10.0.0.1") == "10.0.0.1");
    CHECK(read("ip", "2001:db8::1") == "2001:db8:0:0::/64");
    CHECK(read("ip", "2001:db8::/32") == "2001:db8:0:0::/32");
    CHECK(read("ip", "::/0") == "0:0:0:0::/0");
    CHECK(read("ip", "::ffff:0:0/96") == "0.0.0.0/0");
    CHECK(read("ip", "::ffff:10.1.2.3/104") == "10.0.0.0/8");
    CHECK(read("ip", "::ffff:10.1.2.3/128") == "10.1.2.3");
    CHECK(read("ip", "10.1.2.3/32") == "10.1.2.3");
    CHECK(read("ip", "10.1.2.3/31") == "10.1.2.2/31");
    CHECK(read("ip", "1:2:3:4:5:6:7:8") == "1:2:3:4::/64");
    CHECK(read("ip", "1:2:3:4:5:6:7.8.9.10") == "1:2:3:4::/64");
    CHECK(read("ip", "1:2:3:4:5:6:7::") == "1:2:3:4::/64");
    CHECK(read("ip", "::2:3:4:5:6:7:8") == "0:2:3:4::/64");
    CHECK(read("ip", "1:2:3:4::/63") == "1:2:3:4::/63");
    CHECK(read("ip", "::1/128") == "0:0:0:0::/64");
    CHECK(read("ip", "10.0.0.1..10.0.0.1") == "10.0.0.1");
    CHECK(read("ip", "255.255.255.255") == "255.255.255.255");
    CHECK(read("ip", "ffff:ffff::..ffff:ffff:0:1::") == "ffff:ffff:0:0::/63");
    for (const char* bad : {"1.2.3",
                            "1.2.3.4.5",
                            "256.1.1.1",
                            "1.2.3.4/33",
                            ":::",
                            "1::2::3",
                            "1:2:3:4:5:6:7:8:9",
                            "g::",
                            "1:",
                            "::1/129",
                            "::ffff:1.2.3.4/95",
                            "1:2:3:4:5:6:7:1.2.3.4",
                            "12345::",
                            "1:2:3:4:5:6:7::8",
                            "::2:3:4:5:6:7:8:9",
                            "1.2.3.4/",
                            "1.2.3.4/0032",
                            "0001.2.3.4",
                            "::1.2.3",
                            "1.2.3.4..::1",
                            "10.0.0.9..10.0.0.1",
                            "1.2.3.-4",
                            ""}) {
      CAPTURE(bad);
      CHECK_FALSE(parse_ip(bad).has_value());
    }
  }

  TEST_CASE("a hybrid value is a template and a number") {
    auto value = parse_value(attribute("course"), "CS2008", Side::publish);
    REQUIRE(value.has_value());
    CHECK(value->text == "cs#");
    CHECK(*value->number == Interval{2008, 2008});
    CHECK(value->shown == "CS2008");
    CHECK(read("room", "EC-300..399") == "ec-300..399");
    CHECK(read("room", "EC-[300..399]") == "ec-300..399");
    CHECK(read("room", "b2-017a") == "b2-17a");
    CHECK(read("room", "Lobby") == "lobby");
    CHECK(read("room", "301") == "301");
    CHECK(read("room", "EC-*") == "ec-*");
    CHECK(read("room", "EC-*", Side::publish).starts_with("!"));
    CHECK(read("room", "a#1").starts_with("!"));
    CHECK(read("room", "EC-399..300").starts_with("!"));
    CHECK(read("room", "x1234567890").starts_with("!"));
    CHECK(read("room", "x0000000000012") == "x12");
  }

  TEST_CASE("a hybrid value has a range wherever digits stand on both sides of two dots") {
    struct Case {
      const char* given;
      const char* text;
      Interval number;
    };
    for (const Case& c :
         {Case{"1..2", "#", {1, 2}}, Case{"r1..2", "r#", {1, 2}}, Case{"r1..2b", "r#b", {1, 2}},
          Case{"a-10..20", "a-#", {10, 20}}, Case{"..5", "..#", {5, 5}},
          Case{"a..5", "a..#", {5, 5}}, Case{"1.5", "1.#", {5, 5}}, Case{"5..5", "#", {5, 5}},
          Case{"x999999999", "x#", {999'999'999, 999'999'999}}, Case{"x0", "x#", {0, 0}}}) {
      CAPTURE(c.given);
      auto value = parse_value(attribute("room"), c.given, Side::publish);
      REQUIRE(value.has_value());
      CHECK(value->text == c.text);
      CHECK(value->number == c.number);
    }
  }

  TEST_CASE("a user's own attribute is a number if it reads as one") {
    CHECK(read("x-height", "1.85") == "1.85");
    CHECK(read("x-height", "170..190") == "170..190");
    CHECK(read("x-height", "1\f") == "1");
    CHECK(read("x-height", "１２") == "12");
    for (const char* text : {" 12", "12 ", "  12  ", "12   "})
      CHECK(read("x-height", text) == "12");
    CHECK(read("x-color", "Dark Red") == "dark red");
    CHECK(parse_value(attribute("x-height"), "1.85", Side::publish)->number ==
          Interval{1850, 1850});
    CHECK_FALSE(parse_value(attribute("x-color"), "red", Side::publish)->number.has_value());
  }
}
