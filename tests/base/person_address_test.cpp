// SPDX-License-Identifier: MIT
#include "base/person_address.h"

#include <doctest/doctest.h>

#include "base/bech32m.h"

using namespace beckon;

TEST_SUITE_BEGIN("base/person_address");

namespace {

PersonAddress example() {
  PersonAddress out{.overlay = {1, 2, 3, 4}};
  for (std::size_t i = 0; i < out.key.size(); ++i) out.key[i] = static_cast<std::uint8_t>(i * 7);
  return out;
}

}  // namespace

TEST_CASE("an address is read back, in capitals too, and has 73 characters") {
  std::string text = to_text(example());
  CHECK(text.starts_with("beckon:"));
  CHECK(text.size() == 73);
  CHECK(*read_person_address(text) == example());
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  CHECK(*read_person_address(text) == example());
}

TEST_CASE("every single wrong or missing character of an address is told") {
  const std::string text = to_text(example());
  for (std::size_t i = PersonAddress::scheme.size(); i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] = wrong[i] == 'q' ? 'p' : 'q';
    auto read = read_person_address(wrong);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().text.starts_with("this address was not copied or typed correctly"));
    CHECK_FALSE(read_person_address(std::string(text).erase(i, 1)).has_value());
    CHECK_FALSE(read_person_address(text.substr(0, i)).has_value());
  }
  CHECK_FALSE(read_person_address("becko").has_value());
  CHECK_FALSE(read_person_address("beckon:" + std::string(5000, 'q')).has_value());
}

TEST_CASE("an address of a later version, or of another length, is refused by name") {
  Bytes later(37);
  later[0] = 2;
  auto read = read_person_address("beckon:" + to_bech32m("beckon", later));
  CHECK(read.error().text.find("a newer Beckon can read it") != std::string::npos);
  for (std::size_t size : {0U, 1U, 36U, 38U, 60U}) {
    Bytes bytes(size);
    if (size > 0) bytes[0] = 1;
    CHECK_FALSE(read_person_address("beckon:" + to_bech32m("beckon", bytes)).has_value());
  }
}

TEST_CASE("the tag of an overlay is the beginning of its id") {
  Digest id{9, 8, 7, 6, 5};
  CHECK(tag_of(id) == PersonAddress::OverlayTag{9, 8, 7, 6});
}

TEST_SUITE_END();
