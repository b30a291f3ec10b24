// SPDX-License-Identifier: MIT
// The vocabulary every decoder stands on: readers never read past the end, hex and UTF-8 agree with
// themselves.
#include "base/bytes.h"

#include "tests/fuzz/fuzz.h"

using namespace beckon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteView input(data, size);
  ENSURE(*from_hex(to_hex(input)) == Bytes(input.begin(), input.end()));
  if (auto bytes = from_hex(as_text(input))) ENSURE(bytes->size() * 2 == size);
  (void)is_utf8(as_text(input));

  ByteReader reader(input);
  std::size_t taken = 0;
  while (reader.ok() && reader.remaining() > 0) {
    ByteView piece = reader.counted8();
    ENSURE(piece.size() <= size);
    taken += piece.size() + 1;
  }
  ENSURE(taken <= size || !reader.ok());
  ENSURE(reader.ok() == reader.finish("input").has_value());
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  ByteWriter fields;
  fields.counted8(as_bytes("chess"));
  fields.counted8(as_bytes("äöü"));
  Bytes hex{'0', 'a', 'F', 'f'};
  return {fields.take(), hex};
}
