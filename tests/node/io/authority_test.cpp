// SPDX-License-Identifier: MIT
#include "node/io/authority.h"

#include <doctest/doctest.h>

#include <future>

#include "node/io/enrol.h"
#include "tests/node/io/temp_dir.h"
#include "tests/node/io/transport_world.h"

using namespace beckon;
using namespace beckon::io;
using namespace beckon::io::test;
using Kind = service::EnrolRequest::Kind;

namespace {

namespace fs = std::filesystem;

/// A closed overlay whose authority lives in a directory, with its node running.
struct Founded {
  Founded()
      : overlay(*Authority::create(directory(), {.name = "club"})),
        authority(*Authority::open(directory(), overlay)) {
    Identity self = new_identity();
    self.credential = *authority.admit_self(self.key, uv::wall_now());
    founder.emplace(loop, self, overlay);
    founder->transport.set_enroller(&authority);
  }
  fs::path directory() const { return fs::path(temp.file("authority")); }
  service::Invite invite() {
    return *authority.invite(founder->transport.id(), {founder->address}, uv::wall_now());
  }
  /// enrol() waits on its own loop, so it runs beside ours here.
  Result<service::Enrolment> enrol_now(const Identity& self, const service::Invite& with) {
    auto answer =
        std::async(std::launch::async, [&] { return enrol(self, with, std::chrono::seconds(5)); });
    REQUIRE(run_until(loop, [&] {
      return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }));
    return answer.get();
  }
  beckon::test::TempDir temp;
  service::Overlay overlay;
  Authority authority;
  uv::Loop loop;
  std::optional<Node> founder;
};

}  // namespace

TEST_SUITE_BEGIN("io/authority");

TEST_CASE("an invite string admits one newcomer, who then talks to the overlay") {
  Founded club;
  auto invite = service::Invite::parse(club.invite().text());
  REQUIRE(invite);
  Identity newcomer = new_identity();
  auto got = club.enrol_now(newcomer, *invite);
  REQUIRE(got);
  CHECK(got->overlay == club.overlay);
  newcomer.credential = got->credential;
  CHECK(newcomer.id() != new_identity().id());
  Node node(club.loop, newcomer, got->overlay);
  node.send(*club.founder, {1});
  REQUIRE(run_until(club.loop, [&] { return club.founder->frames.size() == 1; }));
  CHECK(club.founder->frames[0].peer.id == newcomer.id());
  CHECK(club.authority.members().size() == 2);
}

TEST_CASE("an invite works once, not after its end, and only with its own secret") {
  Founded club;
  service::Invite invite = club.invite();
  service::Invite wrong = invite;
  (*wrong.secret)[0] ^= 1;
  auto refused = club.enrol_now(new_identity(), wrong);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("ask for a new one") != std::string::npos);
  REQUIRE(club.enrol_now(new_identity(), invite));
  CHECK_FALSE(club.enrol_now(new_identity(), invite));
  service::EnrolRequest request{.kind = Kind::join, .secret = *club.invite().secret};
  WallTime late = uv::wall_now() + std::chrono::hours(24 * 8);
  CHECK_FALSE(club.authority.admit(new_identity().key, request, late));
  CHECK_FALSE(club.authority.admit(new_identity().key, request, uv::wall_now()));
  CHECK(club.authority.open_invites() == 0);
}

TEST_CASE("a newcomer refuses an inviting node that is not the invite's") {
  Founded club;
  service::Invite invite = club.invite();
  invite.inviter = new_identity().id();
  auto got = club.enrol_now(new_identity(), invite);
  REQUIRE_FALSE(got);
  CHECK(got.error().text.find("another node") != std::string::npos);
  CHECK(club.authority.open_invites() == 1);  // the secret was not shown to it
}

TEST_CASE("enrolment gives no way round the credential") {
  Founded club;
  Identity stranger = new_identity();
  stranger.credential = service::Credential{};
  stranger.credential->overlay = club.overlay.id();
  Node node(club.loop, stranger, club.overlay);
  node.transport.dial(club.founder->address);
  REQUIRE(run_until(club.loop, [&] { return node.failures.size() == 1; }));
  CHECK(club.founder->ups.empty());
  service::Invite fileless = club.invite();
  fileless.admission = service::Admission::open;  // asks for the overlay file only
  CHECK_FALSE(club.enrol_now(new_identity(), fileless));
}

TEST_CASE("a renewed credential keeps the place on the ring") {
  Founded club;
  Identity member = new_identity();
  member.credential = club.enrol_now(member, club.invite())->credential;
  chord::Id id = member.id();
  CHECK(*club.authority.renew(id, uv::wall_now()) == *member.credential);  // too early: the same
  WallTime later = uv::wall_now() + std::chrono::hours(24 * 20);
  auto renewed = club.authority.renew(id, later);
  REQUIRE(renewed);
  CHECK(renewed->serial > member.credential->serial);
  CHECK(renewed->not_after > later + std::chrono::hours(24 * 29));
  CHECK(renewed->check(club.overlay.id(), *club.overlay.authority, member.key, Ed25519(), later));
  CHECK(service::node_id(member.key, renewed->nonce) == id);
  CHECK(*club.authority.renew(id, later) == *renewed);  // the answer got lost: the same one again
  CHECK_FALSE(club.authority.renew(new_identity().id(), later));
  REQUIRE(club.authority.revoke(id, later));
  CHECK_FALSE(club.authority.renew(id, later));
}

TEST_CASE("a key that is invited a second time gets its old place again") {
  Founded club;
  Identity member = new_identity();
  member.credential = club.enrol_now(member, club.invite())->credential;
  auto again = club.enrol_now(member, club.invite());
  REQUIRE(again);
  CHECK(again->credential->nonce == member.credential->nonce);
  CHECK(club.authority.members().size() == 2);
}

TEST_CASE("a key that was expelled and is invited again gets another place") {
  Founded club;
  Identity member = new_identity();
  member.credential = club.enrol_now(member, club.invite())->credential;
  chord::Id expelled = member.id();
  REQUIRE(club.authority.revoke(expelled, uv::wall_now()));
  member.credential.reset();
  auto again = club.enrol_now(member, club.invite());
  REQUIRE(again);
  member.credential = again->credential;
  CHECK(member.id() != expelled);
  CHECK_FALSE(club.authority.revocations().contains(member.id()));
}

TEST_CASE("the ledger outlives a restart: members, open invites, serials, revocations") {
  Founded club;
  service::Invite invite = club.invite();
  Identity member = new_identity();
  member.credential = club.enrol_now(member, club.invite())->credential;
  Identity other = new_identity();
  other.credential = club.enrol_now(other, club.invite())->credential;
  auto list = club.authority.revoke(member.id(), uv::wall_now());
  REQUIRE(list);
  auto again = Authority::open(club.directory(), club.overlay);
  REQUIRE(again);
  CHECK(again->open_invites() == 1);
  CHECK(again->members().size() == 2);
  CHECK(again->revocations() == *list);
  CHECK(again->revocations().signed_by(*club.overlay.authority, Ed25519()));
  auto credential = again->admit(new_identity().key, {.kind = Kind::join, .secret = *invite.secret},
                                 uv::wall_now());
  REQUIRE(credential);
  CHECK(credential->serial > other.credential->serial);
}

TEST_CASE("an invite that met a full overlay is used up, and who has ended makes room") {
  Founded club;
  auto small = Authority::open(club.directory(), club.overlay, {.max_members = 2});
  REQUIRE(small);
  auto admit = [&](const PublicKey& key, WallTime now) {
    auto invite = small->invite(club.founder->transport.id(), {club.founder->address}, now);
    return small->admit(key, {.kind = Kind::join, .secret = *invite->secret}, now);
  };
  WallTime now = uv::wall_now();
  Identity member = new_identity();
  auto first = admit(member.key, now);
  REQUIRE(first);
  CHECK_FALSE(admit(new_identity().key, now));
  CHECK(Authority::open(club.directory(), club.overlay)->open_invites() == 0);
  WallTime later = now + std::chrono::hours(24 * 31);
  auto back = admit(member.key, later);  // itself ended: the old place, not a new one
  REQUIRE(back);
  CHECK(back->nonce == first->nonce);
  CHECK(admit(new_identity().key, later + std::chrono::hours(24 * 31)));
  CHECK(small->members().size() == 2);
}

TEST_CASE("who was away for more than a year after its credential ended is no member any more") {
  Founded club;
  Identity member = new_identity();
  REQUIRE(club.enrol_now(member, club.invite()));
  auto admit_at = [&](int days) {
    WallTime now = uv::wall_now() + std::chrono::hours(24 * days);
    auto invite = club.authority.invite(club.founder->transport.id(), {"127.0.0.1:1"}, now);
    return club.authority.admit(new_identity().key, {Kind::join, *invite->secret}, now);
  };
  REQUIRE(admit_at(390));
  CHECK(club.authority.members().size() == 3);
  REQUIRE(admit_at(400));
  CHECK(club.authority.members().size() == 3);  // the founder and the two
}

TEST_CASE("an authority is made once, opened with its own overlay only, and not expelled") {
  Founded club;
  CHECK_FALSE(Authority::create(club.directory(), {.name = "second"}));
  service::Overlay other = club.overlay;
  other.authority = new_identity().key;
  CHECK_FALSE(Authority::open(club.directory(), other));
  CHECK_FALSE(club.authority.revoke(club.founder->transport.id(), uv::wall_now()));
  CHECK(club.authority.revoke(new_identity().id(), uv::wall_now()).error().code ==
        ErrorCode::not_found);
  beckon::test::TempDir temp;
  CHECK_FALSE(Authority::create(fs::path(temp.file("a")), {.name = "Bad Name"}));
  CHECK_FALSE(Authority::create(fs::path(temp.file("a")), {.name = std::string(300, 'x')}));
  CHECK_FALSE(Authority::create(fs::path(temp.file("a")), {.name = "fine", .schema = "{no json"}));
  CHECK_FALSE(Authority::exists(fs::path(temp.file("a"))));
}

TEST_CASE("an open overlay gives its file to whoever has an invite without a secret") {
  Founded club;
  service::Overlay open = service::builtin_overlay();
  open.name = "town";
  Node member(club.loop, new_identity(), open);
  service::Invite invite{.overlay = open.id(),
                         .name = open.name,
                         .inviter = member.transport.id(),
                         .not_after = uv::wall_now() + std::chrono::hours(1),
                         .addresses = {member.address}};
  auto got = club.enrol_now(new_identity(), *service::Invite::parse(invite.text()));
  REQUIRE(got);
  CHECK(got->overlay == open);
  CHECK_FALSE(got->credential);
  invite.addresses = {"127.0.0.1:1", member.address};  // the first one is dead
  CHECK(club.enrol_now(new_identity(), invite));
}

TEST_SUITE_END();
