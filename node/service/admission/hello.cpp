// SPDX-License-Identifier: MIT
#include "node/service/admission/hello.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "base/text.h"

namespace beckon::service {

namespace {

constexpr std::size_t most_random_bytes = 16;

struct Words {
  const char* text;
  const char* cure;
};
constexpr std::array<Words, 11> words{{
    {"it could not read our greeting", ""},
    {"it speaks another version of the protocol", "update the older node"},
    {"it belongs to another overlay", "compare `beckon overlay show` on both nodes"},
    {"it is linked to a later start of this node", "is a copy of it running?"},
    {"the overlay's authority has expelled this node", ""},
    {"it has no room for another link now", ""},
    {"it keeps the other of two links made at the same time", ""},
    {"it is this node itself", ""},
    {"the invite is unknown, used or too old", "ask for a new one"},
    {"it does not hold the authority's key", "use an invite made on the node that does"},
    {"its overlay needs what this node cannot do", "update this node"},
}};

std::string sentence(std::string_view text, std::string_view cure) {
  return cure.empty() ? std::string(text) : fmt::format("{}; {}", text, cure);
}

std::string range_text(std::uint8_t oldest, std::uint8_t newest) {
  return oldest == newest ? fmt::format("version {}", newest)
                          : fmt::format("versions {} to {}", oldest, newest);
}

Bytes number(std::uint64_t value, std::size_t size) {
  ByteWriter out;
  out.u64(value);
  return Bytes(out.bytes().end() - static_cast<std::ptrdiff_t>(size), out.bytes().end());
}

/// A field of a known type, once; false if its value is none.
bool take_field(const HelloField& field, Hello& out) {
  ByteReader in(field.value);
  if (field.type == HelloField::revocations) out.revocations = in.u64();
  if (field.type == HelloField::schema) out.schema = in.u32();
  if (field.type == HelloField::address && out.addresses.size() < Hello::max_addresses) {
    std::size_t size = field.value.size();
    bool good = size > 0 && size <= chord::max_address_size && fits(Content::text, field.value);
    if (!good) return false;
    out.addresses.emplace_back(as_text(field.value));
  }
  return in.ok();
}

}  // namespace

std::uint64_t needed_capabilities(const Overlay& overlay) {
  return overlay.limit("capabilities", 0);
}

Result<void> check_capabilities(const Overlay& overlay) {
  std::uint64_t lacking = needed_capabilities(overlay) & ~capability::ours;
  if (lacking == 0) return {};
  return Error{ErrorCode::refused,
               fmt::format("the overlay needs capability {}, which this version of Beckon does not "
                           "have; update it",
                           std::countr_zero(lacking))};
}

HelloField HelloField::random(Rng& rng) {
  HelloField out{.type = static_cast<std::uint8_t>(first_random + rng.below(0x80))};
  out.value.resize(rng.below(most_random_bytes + 1));
  rng.fill(out.value);
  return out;
}

Bytes encode(const Hello& hello, const std::vector<HelloField>& others) {
  HelloBody body{.newest = hello.newest,
                 .oldest = hello.oldest,
                 .overlay = hello.overlay,
                 .epoch = hello.epoch,
                 .capabilities = hello.capabilities};
  if (hello.revocations > 0)
    body.said.push_back({HelloField::revocations, number(hello.revocations, 8)});
  if (hello.schema > 0) body.said.push_back({HelloField::schema, number(hello.schema, 4)});
  for (const std::string& address : hello.addresses) {
    ByteView text = as_bytes(address);
    body.said.push_back({HelloField::address, Bytes(text.begin(), text.end())});
  }
  body.said.insert(body.said.end(), others.begin(), others.end());
  return beckon::encode(body);
}

Result<Hello> decode_hello(ByteView bytes) {
  auto body = beckon::decode<HelloBody>(bytes);
  if (!body) return body.error();
  Hello out{.newest = body->newest,
            .oldest = body->oldest,
            .overlay = body->overlay,
            .epoch = body->epoch,
            .capabilities = body->capabilities};
  std::set<std::uint8_t> seen;  // of those that come once
  for (const HelloField& field : body->said) {
    bool once = field.type == HelloField::revocations || field.type == HelloField::schema;
    bool twice = once && !seen.insert(field.type).second;
    if (twice || !take_field(field, out))
      return invalid(fmt::format("HELLO: bad field of type {}", field.type));
  }
  return out;
}

Refused Refused::of(Refusal why) {
  const Words& said = words.at(static_cast<std::size_t>(why) - 1);
  return {.why = why, .text = said.text, .cure = said.cure};
}

std::string Refused::shown() const {
  auto code = static_cast<std::size_t>(why);
  if (code >= 1 && code <= words.size())
    return sentence(words[code - 1].text, words[code - 1].cure);
  return fmt::format(
      "code {}, which this version does not know: {}", code,
      text.empty() ? "it does not say why" : sentence(printable(text, 200), printable(cure, 200)));
}

std::uint8_t Greeting::version() const { return std::min(self_.newest, peer_->newest); }

Result<void> Greeting::fail(Refusal why, std::string text) {
  refusal_ = why;
  return Error{ErrorCode::refused, std::move(text)};
}

Result<void> Greeting::refused(ByteView body) {
  auto told = decode<Refused>(body);
  if (!told) return told.error();
  later_at_ = told->later_at;
  return fail(told->why, fmt::format("the peer refused us: {}", told->shown()));
}

/// Before any layout: a later version may have changed whatever follows.
Result<void> Greeting::check_version(ByteView body) {
  if (body.size() < 2) return fail(Refusal::malformed, "HELLO is cut short or malformed");
  std::uint8_t newest = body[0], oldest = body[1];
  bool older = newest<self_.oldest, newer = oldest> self_.newest;
  if (!older && !newer && oldest <= newest) return {};
  if (!older && !newer) return fail(Refusal::malformed, "HELLO names no version");
  return fail(Refusal::version,
              fmt::format("the peer speaks {} of the protocol, we speak {}; update {}",
                          older ? fmt::format("version {}", newest) : range_text(oldest, newest),
                          range_text(self_.oldest, self_.newest), older ? "it" : "this node"));
}

Result<void> Greeting::check_capabilities(const Hello& peer) {
  std::uint64_t lacking = needed_ & ~peer.capabilities;
  if (lacking == 0) return {};
  return fail(Refusal::capability,
              fmt::format("the peer lacks capability {}, which the overlay needs; update it",
                          std::countr_zero(lacking)));
}

Result<void> Greeting::receive(std::uint8_t type, ByteView body) {
  std::uint8_t wanted = side_ == Side::dialler ? wire::hello_ack : wire::hello;
  if (done()) return fail(Refusal::malformed, "a second greeting came");
  if (side_ == Side::dialler && type == wire::refused) return refused(body);
  if (type != wanted) {
    return fail(Refusal::malformed, fmt::format("frame type {} came before the greeting", type));
  }
  if (auto good = check_version(body); !good) return good;
  auto hello = decode_hello(body);
  if (!hello) return fail(Refusal::malformed, hello.error().text);
  if (hello->overlay != self_.overlay) {
    return fail(Refusal::overlay,
                "the peer belongs to another overlay; compare `beckon overlay show` on both nodes");
  }
  if (auto good = check_capabilities(*hello); !good) return good;
  peer_ = std::move(*hello);
  return {};
}

}  // namespace beckon::service
