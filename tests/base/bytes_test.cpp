// SPDX-License-Identifier: MIT
#include "base/bytes.h"

#include <doctest/doctest.h>

using namespace beckon;

TEST_SUITE_BEGIN("base/bytes");

namespace {

Bytes sample() {
  ByteWriter w;
  w.u8(1);
  w.u16(0x0203);
  w.u32(0x04050607);
  w.u64(0x08090a0b0c0d0e0f);
  w.i64(-2);
  w.counted8(as_bytes("ab"));
  w.counted16(as_bytes("cde"));
  w.counted32(as_bytes(""));
  return w.take();
}

bool reads_back(ByteView bytes) {
  ByteReader r(bytes);
  bool same = r.u8() == 1 && r.u16() == 0x0203 && r.u32() == 0x04050607 &&
              r.u64() == 0x08090a0b0c0d0e0f && r.i64() == -2;
  same = as_text(r.counted8()) == "ab" && same;
  same = as_text(r.counted16()) == "cde" && same;
  same = r.counted32().empty() && same;
  return r.finish("sample").has_value() && same;
}

}  // namespace

TEST_CASE("integers are big-endian and fields are counted") {
  CHECK(to_hex(sample()) ==
        "010203040506070"
        "8090a0b0c0d0e0f"
        "fffffffffffffffe"
        "026162"
        "0003636465"
        "00000000");
  CHECK(reads_back(sample()));
}

TEST_CASE("every shorter prefix and every longer text is refused") {
  Bytes bytes = sample();
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK_FALSE(reads_back(ByteView(bytes).first(n)));
  bytes.push_back(0);
  CHECK_FALSE(reads_back(bytes));
}

TEST_CASE("a reader that failed once stays failed and yields nothing") {
  Bytes bytes{0, 9, 1, 2, 3};
  ByteReader r(bytes);
  CHECK(r.counted16().empty());
  CHECK_FALSE(r.ok());
  CHECK(r.u8() == 0);
  CHECK(r.remaining() == 0);
}

TEST_CASE("hexadecimal text goes both ways and refuses other characters") {
  CHECK(to_hex(*from_hex("00fFa9")) == "00ffa9");
  CHECK_FALSE(from_hex("0"));
  CHECK_FALSE(from_hex("0g"));
}

TEST_CASE("only strict UTF-8 passes") {
  for (const char* good :
       {"", "plain", "\xc2\xa0", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(good));
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\xff"})
    CHECK_FALSE(is_utf8(bad));
}

TEST_SUITE_END();
