#include "node/service/mail/outbox.h"

#include <fmt/core.h>

#include <algorithm>

namespace beckon::service {

namespace {

constexpr std::uint8_t row_version = 1;
constexpr std::uint8_t letter_row = 'm';
constexpr std::uint8_t callee_row = 'r';

Bytes row_key(std::uint8_t kind, const Outbox::Name& name, const UserId* to = nullptr) {
  ByteWriter w;
  w.u8(kind);
  w.raw(name.first.bytes);
  w.raw(name.second);
  if (to != nullptr) w.raw(to->bytes);
  return w.take();
}

Bytes encode_letter_row(const Posting& posting) {
  ByteWriter w;
  w.u8(row_version);
  w.i64(to_ms(posting.expiry));
  w.raw(encode(posting.letter));
  return w.take();
}

Bytes encode_callee_row(const Outgoing& outgoing) {
  ByteWriter w;
  w.u8(row_version);
  w.u8(static_cast<std::uint8_t>(outgoing.state));
  w.u32(outgoing.attempts);
  w.raw(outgoing.callee.key);
  w.counted8(as_bytes(outgoing.callee.name));
  w.raw(outgoing.callee.message_key);
  w.raw(outgoing.callee.host.id.bytes);
  w.counted8(as_bytes(outgoing.callee.host.address));
  return w.take();
}

Result<Outgoing> decode_callee_row(ByteView row) {
  ByteReader r(row);
  Outgoing out;
  std::uint8_t version = r.u8();
  std::uint8_t state = r.u8();
  out.attempts = r.u32();
  out.callee.key = r.array<32>();
  out.callee.name = as_text(r.counted8());
  out.callee.message_key = r.array<32>();
  out.callee.host.id.bytes = r.array<Id::size>();
  out.callee.host.address = as_text(r.counted8());
  if (version != row_version || state > 4 || !is_utf8(out.callee.name) ||
      out.callee.host.address.size() > chord::max_address_size) {
    r.fail();
  }
  if (auto done = r.finish("a stored recipient"); !done) return done.error();
  out.state = static_cast<SendState>(state);
  return out;
}

struct Key {
  std::uint8_t kind{};
  Outbox::Name name{};
  UserId to{};
};

Result<Key> decode_key(ByteView bytes) {
  ByteReader r(bytes);
  Key out;
  out.kind = r.u8();
  out.name.first.bytes = r.array<UserId::size>();
  out.name.second = r.array<16>();
  if (out.kind == callee_row) out.to.bytes = r.array<UserId::size>();
  if (out.kind != letter_row && out.kind != callee_row) r.fail();
  if (auto done = r.finish("the key of a sent letter"); !done) return done.error();
  return out;
}

/// Letter rows sort before recipient rows, so a posting is there when its recipients come.
Result<void> load_row(ByteView key, ByteView value, std::map<Outbox::Name, Posting>& postings) {
  auto name = decode_key(key);
  if (!name) return name.error();
  if (name->kind == letter_row) {
    ByteReader r(value);
    Posting posting{.from = name->name.first};
    if (r.u8() != row_version) r.fail();
    posting.expiry = wall_from_ms(r.i64());
    auto letter = read_letter(r);
    if (!letter) return letter.error();
    if (auto done = r.finish("a sent letter"); !done) return done.error();
    posting.letter = *std::move(letter);
    postings.emplace(name->name, std::move(posting));
    return {};
  }
  auto outgoing = decode_callee_row(value);
  if (!outgoing) return outgoing.error();
  auto posting = postings.find(name->name);
  if (posting == postings.end()) return invalid("a stored recipient has no letter");
  posting->second.to.emplace(name->to, *std::move(outgoing));
  return {};
}

}  // namespace

const char* to_text(SendState state) {
  switch (state) {
    case SendState::sending:
      return "sending";
    case SendState::delivered:
      return "delivered";
    case SendState::kept:
      return "kept";
    case SendState::refused:
      return "refused";
    case SendState::unreachable:
      return "unreachable";
  }
  return "?";
}

bool Posting::open() const {
  return std::any_of(to.begin(), to.end(), [](const auto& entry) {
    return entry.second.state != SendState::delivered && entry.second.state != SendState::refused;
  });
}

Outbox::Outbox(Context& context, Options options) : context_(context), options_(options) {}

Result<void> Outbox::load() {
  Result<void> loaded;
  auto scanned = context_.store().scan(Table::outbox, {}, [&](ByteView key, ByteView value) {
    loaded = load_row(key, value, postings_);
    return loaded.has_value();
  });
  if (!scanned) return scanned.error();
  return loaded;
}

Result<void> Outbox::add(Posting posting, Context::WriteDone done) {
  if (posting.to.empty()) return invalid("a message needs somebody to go to");
  if (posting.to.size() > options_.max_recipients) {
    return Error{
        ErrorCode::refused,
        fmt::format("a message goes to at most {} people, this one to {}; narrow the query",
                    options_.max_recipients, posting.to.size())};
  }
  if (postings_.size() >= options_.max_postings) {
    return Error{ErrorCode::refused,
                 "too many messages are still on their way; wait for some to arrive"};
  }
  Name name{posting.from, posting.letter.id};
  std::vector<Mutation> writes;
  writes.push_back({.table = Table::outbox,
                    .key = row_key(letter_row, name),
                    .value = encode_letter_row(posting)});
  for (const auto& [to, outgoing] : posting.to) {
    writes.push_back({.table = Table::outbox,
                      .key = row_key(callee_row, name, &to),
                      .value = encode_callee_row(outgoing)});
  }
  postings_.insert_or_assign(name, std::move(posting));
  context_.write(std::move(writes), std::move(done));
  return {};
}

const Posting* Outbox::find(const Name& name) const {
  auto found = postings_.find(name);
  return found == postings_.end() ? nullptr : &found->second;
}

bool Outbox::wrote_to(const UserId& from, const UserId& to) const {
  auto first = postings_.lower_bound({from, Letter::Number{}});
  for (auto it = first; it != postings_.end() && it->first.first == from; ++it) {
    if (it->second.to.contains(to)) return true;
  }
  return false;
}

void Outbox::set(const Name& name, const UserId& to, const Outgoing& outgoing,
                 Context::WriteDone done) {
  auto found = postings_.find(name);
  if (found == postings_.end()) return done({});  // expired and forgotten meanwhile
  found->second.to[to] = outgoing;
  context_.write({{.table = Table::outbox,
                   .key = row_key(callee_row, name, &to),
                   .value = encode_callee_row(outgoing)}},
                 std::move(done));
}

void Outbox::forget_expired(WallTime now) {
  std::vector<Mutation> writes;
  for (auto it = postings_.begin(); it != postings_.end();) {
    if (it->second.expiry > now) {
      ++it;
      continue;
    }
    writes.push_back({.table = Table::outbox, .key = row_key(letter_row, it->first)});
    for (const auto& [to, outgoing] : it->second.to) {
      writes.push_back({.table = Table::outbox, .key = row_key(callee_row, it->first, &to)});
    }
    it = postings_.erase(it);
  }
  if (!writes.empty()) context_.write(std::move(writes), [](const Result<void>&) {});
}

}  // namespace beckon::service
