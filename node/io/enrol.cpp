// SPDX-License-Identifier: MIT
#include "node/io/enrol.h"

#include <fmt/core.h>

#include "base/text.h"
#include "node/io/connection.h"
#include "node/service/admission/hello.h"

namespace beckon::io {

namespace {

using service::EnrolRequest;
namespace wire = service::wire;

/// One attempt at one address.
class Attempt final : public ConnectionOwner {
 public:
  Attempt(uv::Loop& loop, const TlsContext& tls, const service::Invite& invite, const Address& to,
          EnrolRequest request)
      : loop_(loop),
        request_(std::move(request)),
        connection_(loop, *this, tls, {}, to, Purpose::enrol, invite.inviter) {}

  void ready(Connection& connection) override {
    connection.raise_frame_limit();
    connection.send(wire::enrol, 1, encode(request_));
    connection.flush();
  }
  void frame(Connection& connection, const service::FrameView& frame) override {
    answer_ = read(frame);
    connection.close(Error{});
  }
  void over() override { loop_.stop(); }

  bool closed() const { return connection_.closed(); }
  Result<service::Enrolment> answer() const {
    if (answer_) return *answer_;
    if (connection_.closed()) return connection_.why();
    return Error{ErrorCode::unavailable, "no answer in time"};
  }

 private:
  static Result<service::Enrolment> read(const service::FrameView& frame) {
    if (frame.type == wire::enrolled) return service::decode<service::Enrolment>(frame.body);
    if (frame.type != wire::refused) return invalid("unknown answer");
    auto told = service::decode<service::Refused>(frame.body);
    if (!told) return told.error();
    return Error{ErrorCode::refused, fmt::format("the inviting node refused: {}", told->shown())};
  }

  uv::Loop& loop_;
  EnrolRequest request_;
  std::optional<Result<service::Enrolment>> answer_{};
  Connection connection_;
};

Result<void> check(const service::Enrolment& got, const Identity& self,
                   const service::Invite& invite) {
  if (got.overlay.id() != invite.overlay) return invalid("the overlay file is not the invite's");
  if (auto fine = service::check_schema(got.overlay, Ed25519()); !fine) return fine;
  if (auto fine = service::check_capabilities(got.overlay); !fine) return fine;
  if (invite.admission == service::Admission::open) return {};
  if (!got.credential) return invalid("the answer holds no credential");
  auto fine =
      got.credential->check(invite.overlay, *invite.authority, self.key, Ed25519(), uv::wall_now());
  if (!fine) return fine;
  if (got.revocations && !got.revocations->signed_by(*invite.authority, Ed25519())) {
    return invalid("the revocation list is not signed by the authority");
  }
  return {};
}

Result<service::Enrolment> try_address(const Identity& self, const service::Invite& invite,
                                       const std::string& text, Duration timeout,
                                       EnrolRequest request) {
  auto address = Address::parse(text);
  if (!address) return address.error();
  Trust trust{
      .overlay = invite.overlay, .admission = invite.admission, .authority = invite.authority};
  TlsContext tls(self, trust, uv::wall_now);
  uv::Loop loop;
  uv::Timer deadline(loop);
  bool over = false;
  deadline.start(timeout, [&] { over = true; });
  Attempt attempt(loop, tls, invite, *address, std::move(request));
  while (!attempt.closed() && !over) loop.run_once();
  auto got = attempt.answer();
  if (!got) return got;
  if (auto fine = check(*got, self, invite); !fine) return fine.error();
  return got;
}

}  // namespace

Result<service::Enrolment> enrol(const Identity& self, const service::Invite& invite,
                                 Duration timeout) {
  EnrolRequest request;
  if (invite.admission == service::Admission::closed) {
    request = {.kind = EnrolRequest::Kind::join, .secret = *invite.secret};
  }
  if (uv::wall_now() >= invite.not_after) {
    return Error{ErrorCode::refused, "the invite has ended; ask for a new one"};
  }
  Result<service::Enrolment> last = invalid("the invite holds no address");
  for (const std::string& address : invite.addresses) {
    last = try_address(self, invite, address, timeout, request);
    if (last || last.error().code == ErrorCode::refused) return last;
  }
  return Error{last.error().code,
               fmt::format("cannot reach the inviting node at {}: {}",
                           printable(invite.addresses.back(), 80), last.error().text)};
}

}  // namespace beckon::io
