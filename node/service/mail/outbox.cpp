// SPDX-License-Identifier: MIT
#include "node/service/mail/outbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace beckon::service {

namespace {

constexpr std::uint8_t letter_row = 'm';
constexpr std::uint8_t callee_row = 'r';

/// Of the row of a letter, or of one of its recipients.
struct Key {
  std::uint8_t kind{};
  Outbox::Name name{};
  UserId to{};
  static constexpr Form form = exact("the key of a sent letter");
  static void fields(auto& f, auto& m) {
    f("kind", m.kind);
    f("user", m.name.first);
    f("letter", m.name.second);
    f.when("kind is r", m.kind == callee_row, [&] { f("to", m.to); });
    f.rule("kind", [&] { return m.kind == letter_row || m.kind == callee_row; });
  }
};

Bytes row_key(std::uint8_t kind, const Outbox::Name& name, const UserId* to = nullptr) {
  return encode(Key{kind, name, to != nullptr ? *to : UserId{}});
}

/// Letter rows sort before recipient rows, so a sent is there when its recipients come.
Result<void> load_row(ByteView key, ByteView value,
                      std::map<Outbox::Name, SentLetter>& sent_letters) {
  auto name = decode<Key>(key);
  if (!name) return name.error();
  if (name->kind == letter_row) {
    auto sent = decode<SentLetter>(value);
    if (!sent) return sent.error();
    sent->from = name->name.first;
    if (name->name != Outbox::Name{user_id(sent->letter.from), sent->letter.id})
      return invalid("it stands under the name of another letter");
    sent_letters.emplace(name->name, *std::move(sent));
    return {};
  }
  auto outgoing = decode<Outgoing>(value);
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
      {.table = Table::outbox, .key = row_key(letter_row, name), .value = encode(sent)});
  for (const auto& [to, outgoing] : sent.to) {
    writes.push_back(
        {.table = Table::outbox, .key = row_key(callee_row, name, &to), .value = encode(outgoing)});
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
                      .value = encode(sent.to.at(to))});
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
