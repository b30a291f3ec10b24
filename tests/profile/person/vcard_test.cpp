// SPDX-License-Identifier: MIT
#include "profile/person/vcard.h"

#include <doctest/doctest.h>

#include "profile/person/profile_json.h"
#include "profile/values/date.h"

using namespace beckon;
using namespace beckon::profile;

namespace {

const Schema& schema = Schema::built_in();

Result<VcardImport> read(const std::string& text) {
  return parse_vcard(schema, text, parse_date("2026-05-01")->first);
}

std::string error_of(const std::string& text) {
  auto card = read(text);
  return card ? "" : card.error().text;
}

}  // namespace

TEST_SUITE("profile/vcard") {
  TEST_CASE("a vCard 4 becomes a profile") {
    auto card = read(
        "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Alice "
        "Lin\r\nN:Lin;Alice;;;\r\nHOBBY;LEVEL=high:reading\\, writing\r\n"
        "INTEREST:che\r\n "
        "ss\r\nEXPERTISE:C++\r\nGEO:geo:25.05,121.53;u=10\r\nLANG;PREF=1:zh\r\nORG:Acme;R\\;D\r\n"
        "TITLE:Engineer\r\nBDAY:20000502\r\nIMPP;TYPE=\"a:b\":sip:alice@example.net\r\nIMPP:xmpp:a@"
        "b\r\nPHOTO:data:xyz\r\n"
        "item1.ADR:;;Road 1;Taipei;;100;TW\r\nNICKNAME:al,lin\r\nEND:VCARD\r\n");
    REQUIRE_MESSAGE(card.has_value(), card.error().text);
    CHECK(
        profile_json(schema, card->profile) ==
        R"({"name":"Alice Lin","last_name":"Lin","nickname":["al","lin"],"hobby":["reading, writing","chess"],)"
        R"("vocation":"Engineer","age":25,"longitude":121.53,"latitude":25.05,"sip":"sip:alice@example.net","lang":"zh",)"
        R"("city":"Taipei","org":"Acme","skill":"C++"})");
    CHECK(card->left_out == std::vector<std::string>{"IMPP: only sip: is known", "PHOTO"});
  }

  TEST_CASE("a vCard 3 writes places and birthdays its own way") {
    auto card = read(
        "begin:vcard\nversion:3.0\nfn:Bo\ngeo:25.05;121.53\nbday:2000-04-30T00:00:00Z\nend:"
        "vcard\n");
    REQUIRE(card.has_value());
    CHECK(profile_json(schema, card->profile) ==
          R"({"name":"Bo","age":26,"longitude":121.53,"latitude":25.05})");
  }

  TEST_CASE("what does not fit is told, not lost without a word") {
    std::string text = "BEGIN:VCARD\nVERSION:4.0\nBDAY:--0415\nGEO:nowhere\n";
    for (int i = 0; i < 10; ++i) text += "HOBBY:h" + std::to_string(i) + "\n";
    auto card = read(text + "END:VCARD\n");
    REQUIRE(card.has_value());
    CHECK(card->profile.values("hobby").size() == 8);
    CHECK(card->left_out == std::vector<std::string>{"BDAY: no full date", "GEO",
                                                     "HOBBY: at most 8 values are allowed",
                                                     "HOBBY: at most 8 values are allowed"});
  }

  TEST_CASE("what is no vCard is refused") {
    CHECK(error_of("").find("END:VCARD is missing") != std::string::npos);
    CHECK(error_of("FN:x\n").find("does not begin") != std::string::npos);
    CHECK(error_of("BEGIN:VCARD\nVERSION:4.0\nFN:x\n").find("END:VCARD is missing") !=
          std::string::npos);
    CHECK(error_of("BEGIN:VCARD\nBEGIN:VCARD\n").find("do not pair") != std::string::npos);
    CHECK(error_of("BEGIN:VCARD\nVERSION:2.1\nEND:VCARD\n").find("3.0 or 4.0") !=
          std::string::npos);
    CHECK(error_of("BEGIN:VCARD\nVERSION:4.0\nEND:VCARD\nBEGIN:VCARD\n").find("more than one") !=
          std::string::npos);
    CHECK(error_of("BEGIN:VCARD\nhello\n").find("NAME:VALUE") != std::string::npos);
    CHECK(error_of(std::string(300'000, 'a')).find("bytes") != std::string::npos);
  }
}
