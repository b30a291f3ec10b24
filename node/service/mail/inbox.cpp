// SPDX-License-Identifier: MIT
#include "node/service/mail/inbox.h"

#include <fmt/core.h>

#include <algorithm>

namespace beckon::service {

namespace {

constexpr std::uint8_t row_version = 1;

Bytes row_key(const UserId& user, std::uint64_t number) {
  ByteWriter w;
  w.raw(user.bytes);
  w.u64(number);
  return w.take();
}

/// Number 0 is no message: its row keeps the number after the highest given, when that is gone.
Mutation next_number_row(const UserId& user, std::uint64_t next) {
  ByteWriter w;
  w.u8(row_version);
  w.u64(next);
  return {.table = Table::inbox, .key = row_key(user, 0), .value = w.take()};
}

Result<std::uint64_t> decode_next_number(ByteView row) {
  ByteReader r(row);
  if (r.u8() != row_version) r.fail();
  std::uint64_t next = r.u64();
  if (auto done = r.finish("the next number of a message"); !done) return done.error();
  return next;
}

struct Row {
  Inbox::Place place{};
  Message message{};
  static constexpr Form form = exact("a stored message");
  static void fields(auto& f, auto& m) {
    f.constant("version", row_version);
    f("place", m.place, {1, 3});
    f("unread", m.message.unread);
    f("received", m.message.received);
    f("letter", m.message.letter);
  }
};

Result<Row> decode_row(std::uint64_t number, ByteView bytes) {
  auto row = decode<Row>(bytes);
  if (row) row->message.number = number;
  return row;
}

Error no_room(ErrorCode code, const char* what) { return {code, what}; }

}  // namespace

Inbox::Inbox(Context& context, Options options) : context_(context), options_(options) {}

Result<void> Inbox::load() {
  std::optional<Error> failed;
  auto scanned = context_.store().scan(Table::inbox, {}, [&](ByteView key, ByteView value) {
    ByteReader r(key);
    UserId user{r.array<UserId::size>()};
    std::uint64_t number = r.u64();
    auto whole = r.finish("the key of a stored message");
    auto loaded = whole ? load_row(user, number, value) : whole;
    if (loaded) return true;
    failed = invalid(
        fmt::format("the stored message {} cannot be read: {}", to_hex(key), loaded.error().text));
    return false;
  });
  if (!scanned) return scanned.error();
  if (failed) return *failed;
  return {};
}

Result<void> Inbox::load_row(const UserId& user, std::uint64_t number, ByteView value) {
  Box& box = boxes_[user];
  if (number == 0) {
    auto next = decode_next_number(value);
    if (!next) return next.error();
    box.next = std::max(box.next, *next);
    return {};
  }
  auto row = decode_row(number, value);
  if (!row) return row.error();
  if (row->message.letter.to != user) return invalid("it is addressed to another user");
  insert(box, number, row->message.letter,
         {.place = row->place,
          .unread = row->message.unread,
          .durable = true,
          .received = row->message.received});
  box.next = std::max(box.next, number + 1);
  return {};
}

std::size_t Inbox::Box::in(Place place) const {
  auto found = counts.find(place);
  return found == counts.end() ? 0 : found->second;
}

/// Who is blocked may write as often as a stranger who gets no answer, and is told the same.
Result<void> Inbox::room_for_stranger(const Box& box, const Letter& letter, Place place) const {
  if (place == Place::requests && box.in(place) >= options_.max_requests)
    return no_room(ErrorCode::refused, "the callee has too many open requests");
  auto of_sender = std::count_if(box.heads.begin(), box.heads.end(), [&](const auto& entry) {
    return entry.second.place == place && entry.second.from == letter.from;
  });
  if (static_cast<std::size_t>(of_sender) >= options_.max_per_stranger)
    return no_room(ErrorCode::refused, "the callee has not answered your earlier requests");
  return {};
}

bool Inbox::full(const Box& box, const Letter& letter, Place place) const {
  if (place == Place::hidden) return box.in(place) >= options_.max_hidden;
  return box.in(place) >= options_.max_messages ||
         box.bytes + letter.body.size() > options_.max_bytes;
}

/// The oldest that may go: nobody waits for it, and its user and its sender are done with it.
std::optional<std::uint64_t> Inbox::dispensable(const Box& box, Place place) const {
  WallTime old = context_.now().wall - max_letter_life - options_.skew;
  for (const auto& [number, head] : box.heads) {
    if (head.place != place || !head.durable) continue;
    if (place == Place::hidden || (!head.unread && head.received < old)) return number;
  }
  return std::nullopt;
}

Result<void> Inbox::make_room(const UserId& user, const Letter& letter, Place place,
                              std::vector<Mutation>& writes) {
  Box& box = boxes_[user];
  if (place != Place::shown) {
    auto room = room_for_stranger(box, letter, place);
    if (!room || place == Place::requests) return room;
  }
  while (full(box, letter, place)) {
    auto number = dispensable(box, place);
    if (!number && place == Place::hidden) return {};  // soon: each of them is being written
    if (!number) return no_room(ErrorCode::unavailable, "the callee's inbox is full");
    writes.push_back({.table = Table::inbox, .key = row_key(user, *number)});
    erase(box, *number);
  }
  return {};
}

void Inbox::insert(Box& box, std::uint64_t number, const Letter& letter, Head head) {
  head.from = letter.from;
  head.id = letter.id;
  head.size = letter.body.size();
  ++box.counts[head.place];
  box.names[{letter.from, letter.id}] = number;
  box.bytes += head.size;
  box.heads[number] = std::move(head);
}

void Inbox::move(Box& box, Head& head, Place place) {
  --box.counts[head.place];
  ++box.counts[place];
  head.place = place;
}

void Inbox::erase(Box& box, std::uint64_t number) {
  auto found = box.heads.find(number);
  if (found == box.heads.end()) return;
  --box.counts[found->second.place];
  box.bytes -= found->second.size;
  box.names.erase({found->second.from, found->second.id});
  box.heads.erase(found);
}

void Inbox::add(const UserId& user, const Letter& letter, Place place, Context::WriteDone done) {
  Box& box = boxes_[user];
  if (auto known = box.names.find({letter.from, letter.id}); known != box.names.end()) {
    Head& head = box.heads.at(known->second);
    if (!head.durable) {
      head.waiting.push_back(std::move(done));
      return;
    }
    return done({});
  }
  std::vector<Mutation> writes;
  if (auto room = make_room(user, letter, place, writes); !room) return done(room.error());
  Letter kept = letter;
  if (place == Place::hidden) kept.body.clear();
  std::uint64_t number = box.next++;
  bool unread = place == Place::shown;
  WallTime now = context_.now().wall;
  insert(box, number, kept, {.place = place, .unread = unread, .received = now});
  box.heads.at(number).waiting.push_back(std::move(done));
  Row row{
      .place = place,
      .message = {.number = number, .letter = std::move(kept), .received = now, .unread = unread}};
  writes.push_back({.table = Table::inbox, .key = row_key(user, number), .value = encode(row)});
  context_.write(std::move(writes),
                 [this, user, number](Result<void> result) { stored(user, number, result); });
}

void Inbox::stored(const UserId& user, std::uint64_t number, const Result<void>& result) {
  Box& box = boxes_[user];
  auto found = box.heads.find(number);
  if (found == box.heads.end()) return;
  auto waiting = std::move(found->second.waiting);
  found->second.waiting.clear();
  found->second.durable = true;
  if (!result) erase(box, number);  // the sender hears of the failure and tries again
  for (auto& done : waiting) done(result);
}

bool Inbox::knows(const UserId& user, const Letter& letter) const {
  auto box = boxes_.find(user);
  return box != boxes_.end() && box->second.names.contains({letter.from, letter.id});
}

std::optional<Inbox::Arrived> Inbox::find(const UserId& user, const Letter& letter) const {
  auto box = boxes_.find(user);
  if (box == boxes_.end()) return std::nullopt;
  auto name = box->second.names.find({letter.from, letter.id});
  if (name == box->second.names.end()) return std::nullopt;
  auto arrived = at(user, name->second);
  if (!arrived) return std::nullopt;
  return *std::move(arrived);
}

Result<Inbox::Arrived> Inbox::at(const UserId& user, std::uint64_t number) const {
  Error none{ErrorCode::not_found, "there is no such message"};
  auto box = boxes_.find(user);
  if (box == boxes_.end()) return none;
  auto head = box->second.heads.find(number);
  if (head == box->second.heads.end() || !head->second.durable ||
      head->second.place == Place::hidden) {
    return none;
  }
  auto message = read(user, number);
  if (!message) return message.error();
  return Arrived{.place = head->second.place, .message = *std::move(message)};
}

Inbox::Counts Inbox::counts(const UserId& user) const {
  Counts out;
  auto found = boxes_.find(user);
  if (found == boxes_.end()) return out;
  for (const auto& [number, head] : found->second.heads) {
    out.unread += head.place == Place::shown && head.unread ? 1 : 0;
    out.requests += head.place == Place::requests ? 1 : 0;
  }
  return out;
}

std::set<PublicKey> Inbox::senders(const UserId& user) const {
  std::set<PublicKey> out;
  auto found = boxes_.find(user);
  if (found == boxes_.end()) return out;
  for (const auto& [number, head] : found->second.heads) {
    if (head.place != Place::hidden) out.insert(head.from);
  }
  return out;
}

Result<Message> Inbox::read(const UserId& user, std::uint64_t number) const {
  auto row = context_.store().get(Table::inbox, row_key(user, number));
  if (!row) return row.error();
  if (!row->has_value()) return Error{ErrorCode::not_found, "a stored message is gone"};
  auto decoded = decode_row(number, **row);
  if (!decoded) return decoded.error();
  Message message = std::move(decoded->message);
  message.unread = boxes_.at(user).heads.at(number).unread;  // memory is ahead of a write under way
  return message;
}

Result<std::vector<Message>> Inbox::list(const UserId& user, Place place, std::uint64_t since,
                                         const PublicKey* with, std::size_t limit) const {
  std::vector<Message> out;
  auto found = boxes_.find(user);
  if (found == boxes_.end()) return out;
  const auto& heads = found->second.heads;
  for (auto it = heads.rbegin(); it != heads.rend() && it->first > since && out.size() < limit;
       ++it) {
    const Head& head = it->second;
    if (head.place != place || !head.durable || (with != nullptr && head.from != *with)) continue;
    auto message = read(user, it->first);
    if (!message) return message.error();
    out.push_back(*std::move(message));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Result<Mutation> Inbox::rewritten(const UserId& user, std::uint64_t number) const {
  auto message = read(user, number);
  if (!message) return message.error();
  Row row{.place = boxes_.at(user).heads.at(number).place, .message = *std::move(message)};
  return Mutation{.table = Table::inbox, .key = row_key(user, number), .value = encode(row)};
}

void Inbox::mark_read(const UserId& user, Range numbers, Context::WriteDone done) {
  std::vector<Mutation> writes;
  for (auto& [number, head] : boxes_[user].heads) {
    bool meant = number >= numbers.first && number <= numbers.last;
    if (!meant || !head.unread || !head.durable || head.place != Place::shown) continue;
    head.unread = false;
    auto row = rewritten(user, number);
    if (!row) return done(row.error());
    writes.push_back(*std::move(row));
  }
  context_.write(std::move(writes), std::move(done));
}

void Inbox::accept(const UserId& user, const PublicKey& from, Context::WriteDone done) {
  std::vector<Mutation> writes;
  for (auto& [number, head] : boxes_[user].heads) {
    if (head.place != Place::requests || head.from != from || !head.durable) continue;
    move(boxes_[user], head, Place::shown);
    head.unread = true;
    auto row = rewritten(user, number);
    if (!row) return done(row.error());
    writes.push_back(*std::move(row));
  }
  context_.write(std::move(writes), std::move(done));
}

void Inbox::erase_requests(const UserId& user, const PublicKey& from, Context::WriteDone done) {
  std::vector<Mutation> writes;
  Box& box = boxes_[user];
  std::vector<std::uint64_t> gone;
  for (const auto& [number, head] : box.heads) {
    if (head.place == Place::requests && head.from == from && head.durable) gone.push_back(number);
  }
  for (std::uint64_t number : gone) {
    writes.push_back({.table = Table::inbox, .key = row_key(user, number)});
    erase(box, number);
  }
  if (!gone.empty()) writes.push_back(next_number_row(user, box.next));
  context_.write(std::move(writes), std::move(done));
}

}  // namespace beckon::service
