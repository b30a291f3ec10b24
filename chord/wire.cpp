// SPDX-License-Identifier: MIT
#include "chord/wire.h"

namespace beckon::chord {

namespace {

template <typename... M>
Result<Message> decode_as_one_of(std::variant<M...>*, std::uint8_t type, ByteView body) {
  Result<Message> out = invalid("ring frame of an unknown type");
  auto read = [&]<typename One>(Result<One> one) {
    out = one ? Result<Message>(*std::move(one)) : Result<Message>(one.error());
  };
  ((type == M::form.frame ? read(beckon::decode<M>(body)) : void()), ...);
  return out;
}

template <typename... M>
bool has_type(std::variant<M...>*, std::uint8_t type) {
  return ((type == M::form.frame) || ...);
}

}  // namespace

MessageType type_of(const Message& message) {
  return std::visit([]<typename M>(const M&) { return MessageType{M::form.frame}; }, message);
}

Bytes encode(const Message& message) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.successors; }) ENSURE(m.successors.size() <= max_list_entries);
        if constexpr (requires { m.closer; }) ENSURE(m.closer.size() <= max_closer_entries);
        return beckon::encode(m);
      },
      message);
}

Result<Message> decode(std::uint8_t type, ByteView body) {
  return decode_as_one_of(static_cast<Message*>(nullptr), type, body);
}

bool is_known(std::uint8_t type, ByteView body) {
  return has_type(static_cast<Message*>(nullptr), type) &&
         (body.empty() || body[0] == wire_version);
}

bool is_reply(std::uint8_t type) {
  switch (MessageType{type}) {
    case MessageType::state_rep:
    case MessageType::next_rep:
    case MessageType::pong:
    case MessageType::leave_ack:
    case MessageType::error:
      return true;
    case MessageType::state_req:
    case MessageType::notify:
    case MessageType::next_req:
    case MessageType::ping:
    case MessageType::leave:
      return false;
  }
  return type % 2 == 0;
}

}  // namespace beckon::chord
