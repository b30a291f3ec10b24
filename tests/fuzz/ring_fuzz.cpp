// SPDX-License-Identifier: MIT
// Every ring body, and a whole RingNode fed with frames, links and ticks taken from the input.
#include "chord/ring_node.h"
#include "chord/wire.h"
#include "tests/fuzz/fuzz.h"

using namespace beckon;
using namespace beckon::chord;

namespace {

PeerRef stranger(std::uint8_t n) {
  Id id;
  id.bytes[0] = static_cast<std::uint8_t>(n * 37);
  return {.id = id, .address = "p" + std::to_string(n)};
}

void check_decoder(std::uint8_t type, ByteView body) {
  auto message = decode(type, body);
  if (!message) return;
  Bytes again = encode(*message);
  ENSURE(again.size() <= body.size() && std::equal(again.begin(), again.end(), body.begin()));
}

/// Outputs stay bounded; the list changes only in an operation, when joining or when time passes.
void check(const RingNode& before, const RingNode& after, const Output& out, bool may_begin) {
  ENSURE(out.send.size() <= 64);
  for (const Frame& frame : out.send) ENSURE(frame.body.size() <= max_frame_body);
  bool same = before.successors() == after.successors();
  ENSURE(same || may_begin || before.operation_open() || before.mode() != Mode::member);
  ENSURE(after.open_requests() <= after.options().open_requests);
  ENSURE(!after.waits_in_vain());
}

class Story {
 public:
  explicit Story(ByteView bytes)
      : in_(bytes), node_({}, {.id = Id{{1}}, .address = "me"}, 1, Rng(1)) {
    step(
        [&] {
          return node_.start(
              in_.u8() % 2 == 0 ? Command(Create{}) : Command(Join{{"a"}, {stranger(1)}, {}}),
              now_);
        },
        true);
  }

  void play() {
    while (in_.ok() && in_.remaining() > 0) {
      std::uint8_t what = in_.u8();
      PeerRef who = stranger(what >> 5);
      switch (what % 8) {
        case 0:
          step(
              [&] {
                return node_.link_up({who, in_.u8(), what % 16 == 0 ? "a" : ""}, now_);
              },
              false);
          break;
        case 1:
          step([&] { return node_.link_down(who.id, now_); }, false);
          break;
        case 2:
          step([&] { return node_.unreachable(who, now_); }, false);
          break;
        case 3:
          now_.mono += std::chrono::milliseconds(in_.u16());
          [[fallthrough]];
        case 4:
          step([&] { return node_.tick(now_); }, true);
          break;
        case 5:
          step(
              [&] {
                return node_.start(FindOwner{1, stranger(in_.u8()).id, Freshness::verified}, now_);
              },
              false);
          break;
        default:
          frame(who, what);
          break;
      }
    }
  }

 private:
  /// A frame from the input; its number is often one that was really asked.
  void frame(const PeerRef& who, std::uint8_t what) {
    Frame f{.peer = who, .type = static_cast<std::uint8_t>(in_.u8() % 0x20)};
    f.request = ring_request_bit + in_.u8();
    if (what % 8 == 7 && !last_.empty()) {
      f.request = last_.back().request;
      f.peer = last_.back().peer;
    }
    ByteView body = in_.counted8();
    f.body.assign(body.begin(), body.end());
    check_decoder(f.type, f.body);
    step([&] { return node_.receive(f, now_); }, false);
  }

  template <typename Call>
  void step(Call call, bool may_begin) {
    RingNode before = node_;
    Output out = call();
    check(before, node_, out, may_begin);
    if (!out.send.empty()) last_ = out.send;
  }

  ByteReader in_;
  Now now_{};
  RingNode node_;
  std::vector<Frame> last_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  check_decoder(data[0] % 0x20, ByteView(data, size).subspan(1));
  Story(ByteView(data, size)).play();
  return 0;
}

std::vector<Bytes> fuzz_seeds() {
  std::vector<Bytes> out;
  PeerRef a = stranger(1), b = stranger(2);
  std::vector<Message> messages{StateRequest{},
                                StateReply{Mode::member, 1, a, {a, b}},
                                Notify{},
                                NextRequest{a.id},
                                NextReply{Mode::member, a, {b}, {a}},
                                Ping{1},
                                Pong{1, Mode::member},
                                Leave{1},
                                LeaveAck{},
                                ErrorReply{Status::rate, 1}};
  for (const Message& message : messages) {
    Bytes body = encode(message);
    Bytes alone{static_cast<std::uint8_t>(type_of(message))};
    alone.insert(alone.end(), body.begin(), body.end());
    out.push_back(alone);
    // create, link up, tick, this frame twice, once as the answer to whatever was asked last
    Bytes story{0, 32, 1, 4};
    for (std::uint8_t how : {std::uint8_t{38}, std::uint8_t{39}}) {
      story.insert(story.end(), {how, alone[0], 0, static_cast<std::uint8_t>(body.size())});
      story.insert(story.end(), body.begin(), body.end());
      story.insert(story.end(), {3, 20, 0});
    }
    out.push_back(story);
  }
  return out;
}
