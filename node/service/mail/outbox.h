// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>

#include "node/service/kernel/context.h"
#include "node/service/mail/letter.h"
#include "node/service/people/person_ref.h"

namespace beckon::service {

/// What became of a letter to one callee, as far as its sender can know it. `delivered` and
/// `refused` are final; from the others a letter may still move on until it expires. These are row
/// values, too.
enum class SendState : std::uint8_t {
  sending = 0,
  delivered = 1,  // durable at the callee's host
  kept = 2,       // durable in the callee's mailbox
  refused = 3,
  unreachable = 4,  // neither worked so far
  waiting = 5,      // the callee's host takes no more of this sender just now
};
inline constexpr std::size_t send_states = 6;
const char* to_text(SendState state);

/// One letter under way to one callee.
struct Outgoing {
  PersonRef callee{};
  SendState state = SendState::sending;
  std::uint32_t attempts{};
  static constexpr Form form = exact("a stored recipient");
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("state", m.state, upto(send_states - 1));
    f("attempts", m.attempts);
    f("key", m.callee.key);
    f.text8("name", m.callee.name);
    f("message key", m.callee.message_key);
    f("host", m.callee.host.id);
    f.text8("address", m.callee.host.address, upto(chord::max_address_size));
  }
};

/// A letter and everybody it goes to.
struct SentLetter {
  UserId from{};
  Letter letter{};  // `to` is filled in per callee
  WallTime expiry{};
  std::map<UserId, Outgoing> to{};
  bool durable = false;  // on this node's disk; until then nobody is promised anything
  bool open() const;     // somebody may still get it
  /// The row of the letter; each recipient has its own.
  static constexpr Form form = exact("a sent letter");
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("expiry", m.expiry);
    f("letter", m.letter);
  }
};

/// What the users of this node have sent, in Table::outbox: the text once, a small row per callee.
/// So a group letter survives a restart of the node in the middle of going out. Entries go when
/// they expire; when there are too many, the oldest that has come to its end makes room.
///
/// States are written a little later and many at once. One that is lost in a crash costs a
/// repetition, which the callee's host answers like the first time.
class Outbox {
 public:
  struct Options {
    std::size_t max_postings = 10'000;
    std::size_t max_recipients = 5'000;  // of one letter
    Duration states_after = std::chrono::milliseconds(200);
    Duration states_retry = std::chrono::seconds(5);  // after the disk refused them
  };
  using Name = std::pair<UserId, Letter::Number>;  // sender and letter

  Outbox(Context& context, Options options);
  Result<void> load();

  /// Refuses what would break a limit; `done` once durable. What the disk refuses is forgotten.
  Result<void> add(SentLetter sent, Context::WriteDone done);
  const SentLetter* find(const Name& name) const;
  bool wrote_to(const UserId& from, const UserId& to) const;  // with any letter still here
  void set(const Name& name, const UserId& to, const Outgoing& outgoing);
  void forget_expired(WallTime now);
  const std::map<Name, SentLetter>& all() const { return postings_; }

 private:
  using Row = std::pair<Name, UserId>;

  bool make_room(std::vector<Mutation>& writes);
  void erase(std::map<Name, SentLetter>::iterator sent, std::vector<Mutation>& writes);
  void write_states_after(Duration delay);
  void write_states();

  Context& context_;
  Options options_;
  std::map<Name, SentLetter> postings_;
  std::set<std::pair<WallTime, Name>> by_age_;  // of all sent_letters, by expiry
  std::set<Row> changed_;                       // states that are not on disk yet
  Timer will_write_{};
};

}  // namespace beckon::service
