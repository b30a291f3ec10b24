// SPDX-License-Identifier: MIT
#include "node/service/admission/renewal.h"

#include <doctest/doctest.h>

#include "node/service/kernel/frames.h"
#include "tests/world/fake_net.h"
#include "tests/world/fast_signer.h"

using namespace beckon;
using namespace beckon::service;
using beckon::test::FakeNet;
using beckon::test::FakeNode;
using std::chrono::hours;
using std::chrono::minutes;

namespace {

constexpr hours day{24};
const beckon::test::FastSigner signer;

/// An authority that answers what it is told to, else as it should.
struct Granting final : Enroller {
  SecretSeed seed{1};
  OverlayId overlay{7};
  PublicKey member_key{3};
  hours life = 30 * day;
  std::uint64_t serial = 0;
  std::optional<Result<Credential>> instead{};

  Credential signed_by_us(Credential c) const {
    c.signature = signer.sign(seed, c.signed_part());
    return c;
  }
  Credential next(WallTime now) {
    return signed_by_us({.overlay = overlay,
                         .key_hash = sha256(spki_of(member_key)),
                         .nonce = {5},
                         .not_before = now,
                         .not_after = now + life,
                         .serial = ++serial});
  }
  Result<Credential> admit(const PublicKey&, const EnrolRequest&, WallTime) override {
    return invalid("not asked for here");
  }
  Result<Credential> renew(const Id&, WallTime now) override {
    return instead ? *instead : Result<Credential>(next(now));
  }
};

/// The authority's node, one member and a bystander.
struct Club {
  Club() {
    for (Id* id : {&authority, &member, &bystander}) *id = net.add().self().id;
    first = granting.next(net.node(member).now().wall);
    for (const Id& id : {authority, member, bystander}) net.start(id);
  }
  std::shared_ptr<void> boot(FakeNode& node) {
    Renewal::Self self{.overlay = granting.overlay,
                       .authority = signer.public_key(granting.seed),
                       .key = granting.member_key,
                       .credential = adopted.empty() ? first : adopted.back(),
                       .authority_node = authority};
    auto part = std::make_shared<Renewal>(node, Renewal::Options{}, self, signer,
                                          [this](const Credential& fresh) -> Result<void> {
                                            if (disk_full)
                                              return Error{ErrorCode::internal, "full"};
                                            adopted.push_back(fresh);
                                            return {};
                                          });
    if (node.self().id == authority) part->set_enroller(&granting);
    node.on(raw(FrameType::renew_req), [part](const Request& request) { part->handle(request); });
    if (node.self().id == member) part->start();
    return part;
  }
  Renewal& renewal() { return net.node(member).component<Renewal>(); }
  WallTime wall() { return net.node(member).now().wall; }
  std::size_t warnings() {
    std::size_t count = 0;
    for (const LogLine& line : net.node(member).logged) count += line.level == LogLevel::warning;
    return count;
  }

  Granting granting{};
  Id authority{}, member{}, bystander{};
  Credential first{};
  std::vector<Credential> adopted{};
  bool disk_full = false;
  FakeNet net{1, {}, [this](FakeNode& node) { return boot(node); }};
};

}  // namespace

TEST_SUITE_BEGIN("service/renewal");

TEST_CASE("a credential is renewed when a third of its life is left, again and again") {
  Club club;
  club.net.run_for(19 * day);
  CHECK(club.adopted.empty());
  club.net.run_for(day + hours(1));
  CHECK(club.adopted.size() == 1);
  for (int days = 0; days < 180; ++days) {
    club.net.run_for(day);
    CHECK(club.renewal().credential().not_after - club.wall() > 9 * day);
  }
  CHECK(club.adopted.size() == 10);  // every 20 days
  CHECK(club.warnings() == 0);
}

TEST_CASE(
    "while the authority is away it is asked less and less often, and soon after it is back") {
  Club club;
  club.net.run_for(15 * day);
  club.net.crash(club.authority);
  club.net.run_for(5 * day + hours(24));
  CHECK(club.adopted.empty());
  CHECK(club.renewal().trouble() == "the authority's node is away");
  CHECK(club.warnings() >= 24);
  CHECK(club.warnings() <= 24 + 7);  // after 1, 2, 4 ... minutes, then every hour
  club.net.start(club.authority);
  club.net.run_for(hours(1) + minutes(1));
  CHECK(club.adopted.size() == 1);
  CHECK(club.renewal().trouble().empty());
}

TEST_CASE("tries that fail are repeated after pauses that double up to an hour") {
  Club club;
  club.net.run_for(15 * day);
  club.net.crash(club.authority);
  std::vector<Time> failed;
  while (failed.size() < 9) {
    std::size_t before = club.warnings();
    REQUIRE(club.net.run_until([&] { return club.warnings() > before; }, 10 * day));
    failed.push_back(club.net.time());
  }
  std::vector<minutes> pauses;
  for (std::size_t i = 1; i < failed.size(); ++i)
    pauses.push_back(std::chrono::round<minutes>(failed[i] - failed[i - 1]));
  CHECK(pauses == std::vector<minutes>{minutes(1), minutes(2), minutes(4), minutes(8), minutes(16),
                                       minutes(32), minutes(60), minutes(60)});
}

TEST_CASE("a restarted member goes on with the credential it has") {
  Club club;
  club.net.run_for(25 * day);
  REQUIRE(club.adopted.size() == 1);
  club.net.crash(club.member);
  club.net.start(club.member);
  club.net.run_for(10 * day);
  CHECK(club.adopted.size() == 1);
  club.net.run_for(6 * day);
  CHECK(club.adopted.size() == 2);
}

TEST_CASE("a clock that is set forward by a month is noticed within the hour") {
  Club club;
  club.net.run_for(day);
  club.net.node(club.member).clock_skew = 20 * day;
  club.granting.life = 60 * day;  // the authority's clock stayed behind
  club.net.run_for(hours(1) + minutes(1));
  CHECK(club.adopted.size() == 1);
}

TEST_CASE("what is not the authority's word for this key and place, or ends no later, is refused") {
  Club club;
  club.net.run_for(19 * day);
  Credential good = club.granting.next(club.wall() + day);
  Credential other_key = good, other_place = good, other_overlay = good, forged = good;
  other_key.key_hash[0] ^= 1;
  other_place.nonce[0] ^= 1;
  other_overlay.overlay[0] ^= 1;
  forged.signature[0] ^= 1;
  std::vector<Result<Credential>> bad = {
      club.granting.signed_by_us(other_key),
      club.granting.signed_by_us(other_place),
      club.granting.signed_by_us(other_overlay),
      forged,
      club.first,
      Error{ErrorCode::refused, "a renewal by a node that is no member"}};
  for (std::size_t i = 0; i < bad.size(); ++i) {
    CAPTURE(i);
    club.granting.instead = bad[i];
    std::size_t warned = club.warnings();
    REQUIRE(club.net.run_until([&] { return club.warnings() > warned; }, 2 * day));
    CHECK(club.adopted.empty());
    CHECK(club.renewal().credential() == club.first);
    CHECK_FALSE(club.renewal().trouble().empty());
  }
}

TEST_CASE("a credential that could not be kept is not used, and asked for again") {
  Club club;
  club.disk_full = true;
  REQUIRE(club.net.run_until([&] { return club.warnings() > 0; }, 21 * day));
  CHECK(club.renewal().credential() == club.first);
  club.disk_full = false;
  club.net.run_for(minutes(5));
  CHECK(club.renewal().credential().serial > club.first.serial);
}

TEST_CASE("only the authority's node grants, and only what it can read") {
  Club club;
  std::map<Id, int> granted;
  club.net.tap = [&](const Id& from, const Id&, std::uint8_t type, const Bytes&) {
    if (type == raw(FrameType::renew_rep)) ++granted[from];
  };
  club.net.inject(club.member, club.bystander, raw(FrameType::renew_req), encode(RenewRequest{}));
  for (const Bytes& body : {Bytes{}, Bytes{2}, Bytes{0, 1}}) {
    club.net.inject(club.member, club.authority, raw(FrameType::renew_req), body);
  }
  club.net.run_for(minutes(1));
  CHECK(granted.empty());
  club.net.inject(club.member, club.authority, raw(FrameType::renew_req), encode(RenewRequest{}));
  club.net.run_for(minutes(1));
  CHECK(granted == std::map<Id, int>{{club.authority, 1}});
}

TEST_CASE("a renewed credential reads back with what stands behind it, and no shorter body does") {
  Granting granting;
  Credential credential = granting.next(wall_from_ms(1'800'000'000'000));
  Bytes body = encode(Renewed{credential});
  CHECK(body.size() == 171);
  CHECK(decode<Renewed>(body)->credential == credential);
  for (std::size_t size = 0; size < body.size(); ++size) {
    CHECK_FALSE(decode<Renewed>(ByteView(body).first(size)));
  }
  body.push_back(0);
  CHECK(decode<Renewed>(body)->credential == credential);
}

TEST_CASE("without the authority's node nobody is asked, and the log says what to do") {
  Granting granting;
  FakeNet net(1, {}, [&](FakeNode& node) {
    Renewal::Self self{.credential = granting.next(node.now().wall)};
    auto part = std::make_shared<Renewal>(node, Renewal::Options{}, self, signer,
                                          [](const Credential&) { return Result<void>(); });
    part->start();
    return part;
  });
  FakeNode& node = net.add();
  net.start(node.self().id);
  net.run_for(40 * day);
  REQUIRE(node.logged.size() == 1);
  CHECK(node.logged[0].text.find("beckon up --invite") != std::string::npos);
}

TEST_SUITE_END();
