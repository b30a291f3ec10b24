#include "chord/wire.h"

#include <algorithm>

namespace beckon::chord {

namespace {

struct TypeOf {
  MessageType operator()(const StateRequest&) const { return MessageType::state_req; }
  MessageType operator()(const StateReply&) const { return MessageType::state_rep; }
  MessageType operator()(const Notify&) const { return MessageType::notify; }
  MessageType operator()(const NextRequest&) const { return MessageType::next_req; }
  MessageType operator()(const NextReply&) const { return MessageType::next_rep; }
  MessageType operator()(const Ping&) const { return MessageType::ping; }
  MessageType operator()(const Pong&) const { return MessageType::pong; }
  MessageType operator()(const Leave&) const { return MessageType::leave; }
  MessageType operator()(const LeaveAck&) const { return MessageType::leave_ack; }
  MessageType operator()(const ErrorReply&) const { return MessageType::error; }
};

void write_mode(ByteWriter& out, Mode mode) { out.u8(static_cast<std::uint8_t>(mode)); }

void write_optional(ByteWriter& out, const std::optional<PeerRef>& peer) {
  out.u8(peer ? 1 : 0);
  if (peer) write_peer(out, *peer);
}

void write_list(ByteWriter& out, const std::vector<PeerRef>& peers, std::size_t limit) {
  ENSURE(peers.size() <= limit);
  out.u8(static_cast<std::uint8_t>(peers.size()));
  for (const PeerRef& peer : peers) write_peer(out, peer);
}

struct WriteBody {
  ByteWriter& out;
  void operator()(const StateRequest&) const {}
  void operator()(const StateReply& m) const {
    write_mode(out, m.mode);
    out.u64(m.epoch);
    write_optional(out, m.predecessor);
    write_list(out, m.successors, max_list_entries);
  }
  void operator()(const Notify&) const {}
  void operator()(const NextRequest& m) const { out.raw(m.key.bytes); }
  void operator()(const NextReply& m) const {
    write_mode(out, m.mode);
    write_optional(out, m.predecessor);
    write_list(out, m.successors, max_list_entries);
    write_list(out, m.closer, max_closer_entries);
  }
  void operator()(const Ping& m) const { out.u64(m.nonce); }
  void operator()(const Pong& m) const {
    out.u64(m.nonce);
    write_mode(out, m.mode);
  }
  void operator()(const Leave& m) const { out.u64(m.epoch); }
  void operator()(const LeaveAck&) const {}
  void operator()(const ErrorReply& m) const {
    out.u8(static_cast<std::uint8_t>(m.code));
    out.u32(m.retry_after_ms);
  }
};

Mode read_mode(ByteReader& in) {
  std::uint8_t value = in.u8();
  if (value > static_cast<std::uint8_t>(Mode::left)) in.fail();
  return in.ok() ? static_cast<Mode>(value) : Mode::idle;
}

std::optional<PeerRef> read_optional(ByteReader& in) {
  std::uint8_t present = in.u8();
  if (present > 1) in.fail();
  if (!in.ok() || present == 0) return std::nullopt;
  return read_peer(in);
}

std::vector<PeerRef> read_list(ByteReader& in, std::size_t limit) {
  constexpr std::size_t smallest_peer = Id::size + 2;
  std::size_t count = in.u8();
  if (count > limit || count * smallest_peer > in.remaining()) in.fail();
  std::vector<PeerRef> peers;
  for (std::size_t i = 0; i < count && in.ok(); ++i) peers.push_back(read_peer(in));
  return peers;
}

StateReply read_state_reply(ByteReader& in) {
  StateReply m;
  m.mode = read_mode(in);
  m.epoch = in.u64();
  m.predecessor = read_optional(in);
  m.successors = read_list(in, max_list_entries);
  return m;
}

NextReply read_next_reply(ByteReader& in) {
  NextReply m;
  m.mode = read_mode(in);
  m.predecessor = read_optional(in);
  m.successors = read_list(in, max_list_entries);
  m.closer = read_list(in, max_closer_entries);
  return m;
}

ErrorReply read_error(ByteReader& in) {
  std::uint8_t code = in.u8();
  if (code < 1 || code > static_cast<std::uint8_t>(Status::unsupported)) in.fail();
  std::uint32_t wait = in.u32();
  return {.code = static_cast<Status>(code), .retry_after_ms = wait};
}

Message read_body(MessageType type, ByteReader& in) {
  switch (type) {
    case MessageType::state_req:
      return StateRequest{};
    case MessageType::state_rep:
      return read_state_reply(in);
    case MessageType::notify:
      return Notify{};
    case MessageType::next_req:
      return NextRequest{.key = {in.array<Id::size>()}};
    case MessageType::next_rep:
      return read_next_reply(in);
    case MessageType::ping:
      return Ping{.nonce = in.u64()};
    case MessageType::pong: {
      std::uint64_t nonce = in.u64();
      return Pong{.nonce = nonce, .mode = read_mode(in)};
    }
    case MessageType::leave:
      return Leave{.epoch = in.u64()};
    case MessageType::leave_ack:
      return LeaveAck{};
    case MessageType::error:
      return read_error(in);
  }
  in.fail();
  return LeaveAck{};
}

const char* name_of(MessageType type) {
  switch (type) {
    case MessageType::state_req:
      return "STATE_REQ";
    case MessageType::state_rep:
      return "STATE_REP";
    case MessageType::notify:
      return "NOTIFY";
    case MessageType::next_req:
      return "NEXT_REQ";
    case MessageType::next_rep:
      return "NEXT_REP";
    case MessageType::ping:
      return "PING";
    case MessageType::pong:
      return "PONG";
    case MessageType::leave:
      return "LEAVE";
    case MessageType::leave_ack:
      return "LEAVE_ACK";
    case MessageType::error:
      return "ERROR";
  }
  return "ring frame of an unknown type";
}

}  // namespace

MessageType type_of(const Message& message) { return std::visit(TypeOf{}, message); }

void write_peer(ByteWriter& out, const PeerRef& peer) {
  ENSURE(!peer.address.empty() && peer.address.size() <= max_address_size);
  out.raw(peer.id.bytes);
  out.counted8(as_bytes(peer.address));
}

PeerRef read_peer(ByteReader& in) {
  PeerRef peer;
  peer.id.bytes = in.array<Id::size>();
  std::string_view address = as_text(in.counted8());
  bool printable =
      std::all_of(address.begin(), address.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (address.empty() || address.size() > max_address_size || !printable) in.fail();
  if (in.ok()) peer.address = address;
  return peer;
}

Bytes encode(const Message& message) {
  ByteWriter out;
  out.u8(wire_version);
  std::visit(WriteBody{out}, message);
  return out.take();
}

Result<Message> decode(std::uint8_t type, ByteView body) {
  ByteReader in(body);
  const char* name = name_of(static_cast<MessageType>(type));
  if (in.u8() != wire_version) return invalid(std::string(name) + ": version 1 wanted");
  Message message = read_body(static_cast<MessageType>(type), in);
  if (auto done = in.finish(name); !done) return done.error();
  return message;
}

}  // namespace beckon::chord
