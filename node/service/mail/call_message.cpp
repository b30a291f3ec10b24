// SPDX-License-Identifier: MIT
#include "node/service/mail/call_message.h"

#include <algorithm>
#include <array>

#include "base/json.h"

namespace beckon::service {

namespace {

constexpr std::array<std::string_view, 7> op_names{"invite", "accept", "decline", "roster",
                                                   "line",   "alive",  "hangup"};

Json member_json(const PersonRef& callee) {
  return {{"key", to_hex(callee.key)},
          {"name", callee.name},
          {"seal", to_hex(callee.message_key)},
          {"host", callee.host.id.hex()},
          {"address", callee.host.address}};
}

const std::string* text_field(const Json& object, const char* name, std::size_t limit) {
  auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return nullptr;
  const std::string& text = found->text();
  return text.size() <= limit && is_utf8(text) ? &text : nullptr;
}

std::optional<std::array<std::uint8_t, 32>> key_field(const Json& object, const char* name) {
  const std::string* text = text_field(object, name, 64);
  auto bytes = text != nullptr ? from_hex(*text) : Result<Bytes>(invalid("no key"));
  if (!bytes || bytes->size() != 32) return std::nullopt;
  return ByteReader(*bytes).array<32>();
}

std::optional<PersonRef> read_member(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  auto key = key_field(object, "key");
  auto seal = key_field(object, "seal");
  const std::string* name = text_field(object, "name", Letter::max_name);
  const std::string* host = text_field(object, "host", 2 * Id::size);
  const std::string* address = text_field(object, "address", chord::max_address_size);
  if (!key || !seal || name == nullptr || host == nullptr || address == nullptr)
    return std::nullopt;
  auto id = Id::from_hex(*host);
  if (!id) return std::nullopt;
  return PersonRef{
      .key = *key, .name = *name, .message_key = *seal, .host = {.id = *id, .address = *address}};
}

bool read_members(const Json& object, std::vector<PersonRef>& out) {
  auto found = object.find("members");
  if (found == object.end()) return true;
  if (!found->is_array() || found->size() > CallMessage::max_members) return false;
  for (const Json& entry : *found) {
    auto member = read_member(entry);
    if (!member) return false;
    out.push_back(*std::move(member));
  }
  return true;
}

}  // namespace

std::string encode(const CallMessage& message) {
  Json out{{"op", op_names[static_cast<std::size_t>(message.op)]}};
  if (!message.text.empty()) out["text"] = message.text;
  if (message.count != 0) out["count"] = message.count;
  for (const PersonRef& member : message.members) out["members"].push_back(member_json(member));
  return out.sorted().dump();  // by name, as these bytes always were
}

Result<CallMessage> decode_call_message(std::string_view body) {
  auto parsed = parse_json(body, {.bytes = Letter::max_body});
  Error malformed = invalid("a call's message is malformed");
  if (!parsed || !parsed->is_object()) return malformed;
  const Json& object = *parsed;
  const std::string* op = text_field(object, "op", 16);
  auto name = op != nullptr ? std::find(op_names.begin(), op_names.end(), *op) : op_names.end();
  if (name == op_names.end()) return malformed;
  CallMessage out;
  out.op = static_cast<CallMessage::Op>(name - op_names.begin());
  if (object.contains("text")) {
    const std::string* text = text_field(object, "text", CallMessage::max_line);
    if (text == nullptr) return malformed;
    out.text = *text;
  }
  if (auto count = object.find("count"); count != object.end()) {
    if (!count->is_number_unsigned()) return malformed;
    out.count = count->get<std::uint64_t>();
  }
  if (!read_members(object, out.members)) return malformed;
  return out;
}

}  // namespace beckon::service
