#include "node/service/mail/outbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

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

Bytes encode_letter_row(const SentLetter& sent) {
  ByteWriter w;
  w.u8(row_version);
  w.i64(to_ms(sent.expiry));
  w.raw(encode(sent.letter));
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
  if (version != row_version || state >= send_states || !is_utf8(out.callee.name) ||
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

/// Letter rows sort before recipient rows, so a sent is there when its recipients come.
Result<void> load_row(ByteView key, ByteView value,
                      std::map<Outbox::Name, SentLetter>& sent_letters) {
  auto name = decode_key(key);
  if (!name) return name.error();
  if (name->kind == letter_row) {
    ByteReader r(value);
    SentLetter sent{.from = name->name.first};
    if (r.u8() != row_version) r.fail();
    sent.expiry = wall_from_ms(r.i64());
    auto letter = read_letter(r);
    if (!letter) return letter.error();
    if (auto done = r.finish("a sent letter"); !done) return done.error();
    if (name->name != Outbox::Name{user_id(letter->from), letter->id})
      return invalid("it stands under the name of another letter");
    sent.letter = *std::move(letter);
    sent_letters.emplace(name->name, std::move(sent));
    return {};
  }
  auto outgoing = decode_callee_row(value);
  if (!outgoing) return outgoing.error();
  auto sent = sent_letters.find(name->name);
  if (sent == sent_letters.end()) return invalid("a stored recipient has no letter");
  if (outgoing->callee.id() != name->to) return invalid("it stands under another recipient");
  sent->second.to.emplace(name->to, *std::move(outgoing));
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
    case SendState::waiting:
      return "waiting";
  }
  return "?";
}

bool SentLetter::open() const {
  return std::any_of(to.begin(), to.end(), [](const auto& entry) {
    return entry.second.state != SendState::delivered && entry.second.state != SendState::refused;
  });
}

Outbox::Outbox(Context& context, Options options) : context_(context), options_(options) {}

Result<void> Outbox::load() {
  Result<void> loaded;
  auto scanned = context_.store().scan(Table::outbox, {}, [&](ByteView key, ByteView value) {
    loaded = load_row(key, value, postings_);
    if (loaded) return true;
    loaded = invalid(
        fmt::format("the stored letter {} cannot be read: {}", to_hex(key), loaded.error().text));
    return false;
  });
  if (!scanned) return scanned.error();
  if (!loaded) return loaded;
  for (auto& [name, sent] : postings_) {
    sent.durable = true;
    by_age_.emplace(sent.expiry, name);
  }
  return {};
}

Result<void> Outbox::add(SentLetter sent, Context::WriteDone done) {
  if (sent.to.empty()) return invalid("a message needs somebody to go to");
  if (sent.to.size() > options_.max_recipients) {
    return Error{
        ErrorCode::refused,
        fmt::format("a message goes to at most {} people, this one to {}; narrow the query",
                    options_.max_recipients, sent.to.size())};
  }
  std::vector<Mutation> writes;
  if (!make_room(writes)) {
    return Error{ErrorCode::refused,
                 "too many messages are still on their way; wait for some to arrive"};
  }
  Name name{sent.from, sent.letter.id};
  writes.push_back(
      {.table = Table::outbox, .key = row_key(letter_row, name), .value = encode_letter_row(sent)});
  for (const auto& [to, outgoing] : sent.to) {
    writes.push_back({.table = Table::outbox,
                      .key = row_key(callee_row, name, &to),
                      .value = encode_callee_row(outgoing)});
  }
  by_age_.emplace(sent.expiry, name);
  postings_.insert_or_assign(name, std::move(sent));
  context_.write(std::move(writes),
                 [this, name, done = std::move(done)](const Result<void>& written) {
                   auto found = postings_.find(name);
                   if (found != postings_.end() && written) {
                     found->second.durable = true;
                   } else if (found != postings_.end()) {
                     std::vector<Mutation> none;  // nothing of it is on disk
                     erase(found, none);
                   }
                   done(written);
                 });
  return {};
}

/// The oldest that has come to its end goes; false when all are still on their way.
bool Outbox::make_room(std::vector<Mutation>& writes) {
  if (postings_.size() < options_.max_postings) return true;
  auto done = std::find_if(by_age_.begin(), by_age_.end(), [&](const auto& entry) {
    const SentLetter& sent = postings_.at(entry.second);
    return sent.durable && !sent.open();
  });
  if (done == by_age_.end()) return false;
  erase(postings_.find(done->second), writes);
  return true;
}

void Outbox::erase(std::map<Name, SentLetter>::iterator sent, std::vector<Mutation>& writes) {
  const Name& name = sent->first;
  writes.push_back({.table = Table::outbox, .key = row_key(letter_row, name)});
  for (const auto& [to, outgoing] : sent->second.to) {
    writes.push_back({.table = Table::outbox, .key = row_key(callee_row, name, &to)});
    changed_.erase({name, to});
  }
  by_age_.erase({sent->second.expiry, name});
  postings_.erase(sent);
}

const SentLetter* Outbox::find(const Name& name) const {
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

void Outbox::set(const Name& name, const UserId& to, const Outgoing& outgoing) {
  auto found = postings_.find(name);
  if (found == postings_.end()) return;  // expired and forgotten meanwhile
  found->second.to[to] = outgoing;
  changed_.emplace(name, to);
  write_states_after(options_.states_after);
}

void Outbox::write_states_after(Duration delay) {
  if (!will_write_) will_write_ = context_.timer(delay, [this] { write_states(); });
}

void Outbox::write_states() {
  std::vector<Mutation> writes;
  std::set<Row> rows;
  for (const auto& [name, to] : changed_) {
    const SentLetter& sent = postings_.at(name);
    if (!sent.durable) continue;  // behind its letter, never before it
    rows.emplace(name, to);
    writes.push_back({.table = Table::outbox,
                      .key = row_key(callee_row, name, &to),
                      .value = encode_callee_row(sent.to.at(to))});
  }
  for (const Row& row : rows) changed_.erase(row);
  if (!changed_.empty()) write_states_after(options_.states_after);
  if (writes.empty()) return;
  context_.write(std::move(writes), [this, rows = std::move(rows)](const Result<void>& written) {
    if (written) return;
    for (const Row& row : rows) {
      if (postings_.contains(row.first)) changed_.insert(row);
    }
    write_states_after(options_.states_retry);
  });
}

void Outbox::forget_expired(WallTime now) {
  std::vector<Mutation> writes;
  while (!by_age_.empty() && by_age_.begin()->first <= now)
    erase(postings_.find(by_age_.begin()->second), writes);
  if (!writes.empty()) context_.write(std::move(writes), [](const Result<void>&) {});
}

}  // namespace beckon::service
