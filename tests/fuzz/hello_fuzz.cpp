// SPDX-License-Identifier: MIT
// The first frames of a connection, from bytes: splitter and greeting together, on either side.
// Nothing is done twice, nothing is accepted that is no greeting.
#include <algorithm>

#include "node/service/admission/enrolment.h"
#include "node/service/admission/hello.h"
#include "node/service/kernel/frame_splitter.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::service;

namespace {

const Hello self{.overlay = {1}, .epoch = 2, .addresses = {"127.0.0.1:7000"}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  ByteView stream(data + 1, size - 1);
  Greeting greeting(data[0] % 2 == 0 ? Greeting::Side::acceptor : Greeting::Side::dialler, self);
  FrameSplitter splitter(max_greeting_body);
  splitter.feed(stream);
  int accepted = 0;
  for (auto frame = splitter.next(); frame && *frame; frame = splitter.next()) {
    bool before = greeting.done();
    bool heard = greeting.receive((*frame)->type, (*frame)->body).has_value();
    ENSURE(!before || !heard);
    accepted += heard ? 1 : 0;
  }
  ENSURE(accepted <= 1 && greeting.done() == (accepted == 1));
  if (greeting.done()) {
    ENSURE(greeting.peer().overlay == self.overlay);
    ENSURE(greeting.version() >= self.oldest && greeting.version() <= self.newest);
    ENSURE((greeting.capabilities() & ~self.capabilities) == 0);
    ENSURE(*decode_hello(encode(greeting.peer())) == greeting.peer());
  }
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  Bytes acceptor{0}, dialler{1}, refused{1}, enrol{0};
  append_frame(acceptor, wire::hello, 0, encode(self));
  append_frame(acceptor, wire::hello, 0, encode(self));
  Bytes grown = encode(self, {{4, {1, 2}}, {0x90, {}}, {HelloField::schema, {0, 0, 0, 1, 5}}});
  grown.push_back(9);
  Bytes later{0};
  append_frame(later, wire::hello, 0, grown);
  append_frame(dialler, wire::hello_ack, 0, encode(self));
  append_frame(refused, wire::refused, 0,
               encode(Refused{Refusal::stale_epoch, "no", "ask", "a:1"}));
  append_frame(enrol, wire::enrol, 1, encode(EnrolRequest{.kind = EnrolRequest::Kind::join}));
  return {acceptor, dialler, refused, enrol, later};
}
