// SPDX-License-Identifier: MIT
// A hostile peer talks to a ring of three: the input is cut into frames (type, length, body) that
// arrive one after another. Whatever it sends, honest records stay, only genuine ones are held, and
// no quota is passed.
#include "tests/fuzz/fuzz.h"
#include "tests/node/service/items/ring_of_replicas.h"

using namespace beckon;
using namespace beckon::service;
using namespace std::chrono_literals;

namespace {

void check(test::RingOfReplicas& ring, const test::Author& honest) {
  ENSURE(ring.holders(honest.item_key()).size() == 3);
  for (const chord::Id& id : ring.net.live()) {
    const ItemTable& table = ring.at(id).table();
    ENSURE(ItemTable::footprint(table.total()) <= ring.options.max_bytes);
    table.each(Arc{}, [&](const Item& item) {
      ENSURE(ring.book.judge_fully(raw_item(item), ring.now()).status == Status::ok);
      return true;
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::RingOfReplicas ring(3, 1, {}, {.max_bytes = 8192});
  ring.net.run_for(3s);
  test::Author honest(1, ring.signer);
  bool stored = false;
  ring.at(ring.net.live()[0])
      .put({{honest.raw_item(5, ring.now(), "honest"), {}}},
           [&](const auto& s) { stored = s[0].safe; });
  ring.net.run_for(1s);
  ENSURE(stored);
  ByteReader in(ByteView(data, size));
  for (int frames = 0; in.remaining() > 0 && frames < 16; ++frames) {
    std::uint8_t type = static_cast<std::uint8_t>(0x21 + 2 * (in.u8() % 8));
    std::size_t length = std::min<std::size_t>(in.u16(), in.remaining());
    ByteView body = in.raw(length);
    ring.net.inject(ring.net.live()[0], ring.net.live()[1], type, Bytes(body.begin(), body.end()));
    ring.net.run_for(50ms);
  }
  check(ring, honest);
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  test::FastSigner signer;
  test::Author honest(1, signer);
  WallTime soon = wall_from_ms(1'800'000'003'000);
  auto frame = [](std::uint8_t which, const Bytes& body) {
    ByteWriter out;
    out.u8(which);
    out.counted16(body);
    return out.take();
  };
  std::vector<Bytes> parts;
  for (std::uint64_t n = 1; n < 4; ++n) {
    RawItem raw_item = test::Author(n, signer).raw_item(n, soon, "x");
    parts.push_back(frame(0, encode(PutRequest{{{raw_item, {}}}})));
    parts.push_back(frame(2, encode(ReplicateRequest{{raw_item}})));
  }
  parts.push_back(frame(1, encode(GetRequest{honest.ring(), ItemKind::author_item})));
  ItemKey high = highest_at(honest.ring());
  parts.push_back(
      frame(3, encode(DigestRequest{{{{{}, high}, {1, 2}}, {{after(high), highest_key()}, {}}}})));
  parts.push_back(frame(4, encode(ListRequest{.span = {{}, high}, .offer = true})));
  parts.push_back(frame(5, encode(WantRequest{{honest.item_key()}})));
  parts.push_back(frame(6, encode(ChainRequest{{honest.ring()}})));
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  parts.push_back(all);
  return parts;
}
