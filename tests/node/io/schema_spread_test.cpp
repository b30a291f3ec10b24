// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "node/io/authority.h"
#include "tests/node/io/rogue.h"
#include "tests/node/io/temp_dir.h"
#include "tests/node/io/transport_world.h"

using namespace beckon;
using namespace beckon::io;
using namespace beckon::io::test;
using service::SchemaDocument;

// How a schema that the authority has signed gets round, and what does not.

namespace {

std::string schema(int number, const std::string& more = "") {
  return "{\"number\":" + std::to_string(number) +
         R"(,"fold":"1","attributes":[{"name":"team","type":"text"})" + more + "]}";
}
const std::string sport = R"(,{"name":"sport","type":"text"})";

/// An open overlay with a schema of its own, and the authority that may let it grow.
struct Town {
  explicit Town(service::Admission admission = service::Admission::open)
      : overlay(*Authority::create(temp.file("authority"),
                                   {.name = "town", .admission = admission, .schema = schema(1)})),
        authority(*Authority::open(temp.file("authority"), overlay)) {}

  Identity identity() {
    Identity out = new_identity();
    if (overlay.admission == service::Admission::closed)
      out.credential = *authority.admit_self(out.key, uv::wall_now());
    return out;
  }
  SchemaDocument grown(int number, const std::string& more = sport) const {
    auto next = authority.grow(overlay, schema(number, more));
    REQUIRE_MESSAGE(next.has_value(), next.error().text);
    return *next;
  }
  beckon::test::TempDir temp;
  service::Overlay overlay;
  Authority authority;
};

std::uint32_t number_at(const Node& node) {
  return service::schema_of(node.transport.overlay()).number();
}

}  // namespace

TEST_SUITE_BEGIN("io/schema");

TEST_CASE("a peer that does not take schemas is not sent any") {
  Town town;
  uv::Loop loop;
  Node node(loop, town.identity(), town.overlay);
  auto frames_after = [&](std::uint64_t capabilities) {
    Rogue rogue(loop, forge({}));
    rogue.connect(node.address);
    rogue.say_frame(service::wire::hello,
                    service::encode(service::Hello{
                        .overlay = town.overlay.id(), .epoch = 1, .capabilities = capabilities}));
    rogue.say_frame(service::wire::alive, Bytes{0});
    std::vector<int> types;
    auto read = [&] {
      types.clear();
      ByteReader in(rogue.heard());
      while (in.remaining() >= 13) {
        std::uint32_t size = in.u32();
        types.push_back(in.u8());
        in.raw(size - 1);
      }
      return !types.empty() && types.back() == service::wire::alive;
    };
    REQUIRE(run_until(loop, read));
    return types;
  };
  REQUIRE(node.transport.set_schema(town.grown(2)));
  using service::wire::alive, service::wire::hello_ack;
  CHECK(frames_after(service::capability::schema_documents) ==
        std::vector<int>{hello_ack, service::wire::schema, alive});
  CHECK(frames_after(0) == std::vector<int>{hello_ack, alive});
}

TEST_CASE("a newer schema goes along the links and to whoever links later") {
  for (auto admission : {service::Admission::open, service::Admission::closed}) {
    Town town(admission);
    uv::Loop loop;
    Node a(loop, town.identity(), town.overlay), b(loop, town.identity(), town.overlay),
        c(loop, town.identity(), town.overlay), late(loop, town.identity(), town.overlay);
    b.transport.dial(a.address);
    c.transport.dial(b.address);
    REQUIRE(run_until(loop, [&] { return b.ups.size() == 2 && a.ups.size() == 1; }));
    REQUIRE(a.transport.set_schema(town.grown(2)));
    REQUIRE(run_until(loop, [&] { return c.schemas.size() == 1; }));  // through b
    CHECK(b.schemas == std::vector{town.grown(2)});
    CHECK(a.schemas.empty());  // its own doing
    CHECK(number_at(c) == 2);
    CHECK(c.transport.overlay().id() == town.overlay.id());
    late.transport.dial(c.address);
    REQUIRE(run_until(loop, [&] { return late.schemas.size() == 1; }));
    CHECK(number_at(late) == 2);
    Node newest(loop, town.identity(), late.transport.overlay());
    newest.transport.dial(late.address);
    REQUIRE(run_until(loop, [&] { return newest.ups.size() == 1; }));
    run_for(loop, std::chrono::milliseconds(50));
    CHECK(newest.schemas.empty());  // it had it already
    CHECK(late.schemas.size() == 1);
  }
}

TEST_CASE("what is not signed, lower or no extension is not taken up, and said") {
  Town town;
  uv::Loop loop;
  Node node(loop, town.identity(), town.overlay);
  REQUIRE(node.transport.set_schema(town.grown(3)));
  CHECK(node.transport.set_schema(town.grown(2)).error().text.find("greater than 3") !=
        std::string::npos);
  SchemaDocument forged = town.grown(4);
  forged.signature[0] ^= 1;
  CHECK(node.transport.set_schema(forged).error().text.find("not signed") != std::string::npos);
  CHECK(node.transport.set_schema(town.grown(4, "")).error().text.find("must be sport") !=
        std::string::npos);
  CHECK(number_at(node) == 3);
  CHECK(town.authority.grow(node.transport.overlay(), schema(3, sport))
            .error()
            .text.find("greater than 3") != std::string::npos);
  CHECK_FALSE(town.authority.grow(node.transport.overlay(), "{no json"));
}

TEST_CASE("a peer that sends a forged schema is cut off, one that is behind is not") {
  Town town;
  uv::Loop loop;
  service::Overlay forged = town.overlay;
  forged.schema = town.grown(5);
  forged.schema.signature[0] ^= 1;  // as if check_schema had not been asked
  service::Overlay other = town.overlay;
  other.schema = town.grown(6, R"(,{"name":"song","type":"text"})");
  Node node(loop, town.identity(), town.overlay);
  REQUIRE(node.transport.set_schema(town.grown(2)));
  Node liar(loop, town.identity(), forged);
  liar.transport.dial(node.address);
  REQUIRE(run_until(loop, [&] { return node.downs.size() == 1; }));
  CHECK(node.down_reasons[0].find("did not sign") != std::string::npos);
  Node apart(loop, town.identity(), other);  // the authority signed two that exclude each other
  apart.transport.dial(node.address);
  REQUIRE(run_until(loop, [&] {
    return std::any_of(node.lines.begin(), node.lines.end(), [](const std::string& line) {
      return line.find("sent a schema that is not taken") != std::string::npos;
    });
  }));
  CHECK(node.schemas.empty());
  CHECK(number_at(node) == 2);
  CHECK(node.transport.linked(apart.transport.id()));
}

TEST_CASE("an open overlay's authority neither admits nor expels") {
  Town town;
  uv::Loop loop;
  auto options = quick_options();
  options.recheck = std::chrono::milliseconds(10);
  Node a(loop, town.identity(), town.overlay, options);
  Node b(loop, town.identity(), town.overlay, options);
  b.transport.dial(a.address);
  REQUIRE(run_until(loop, [&] { return a.ups.size() == 1; }));
  run_for(loop, std::chrono::milliseconds(100));  // credentials are checked again; there are none
  CHECK(a.downs.empty());
  service::Revocations list{.overlay = town.overlay.id(), .version = 1};
  CHECK_FALSE(a.transport.set_revocations(list));
}

TEST_SUITE_END();
