// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>

#include "node/service/kernel/context.h"
#include "node/service/mail/letter.h"

namespace beckon::service {

/// A letter as its recipient keeps it.
struct Message {
  std::uint64_t number{};  // grows with arrival; unique per user
  Letter letter{};
  WallTime received{};
  bool unread = true;
};

/// What the users of this node received, in Table::inbox; bodies stay on disk, heads in memory.
///
/// A letter is told apart by sender and id and is kept at most once, however often it arrives. In a
/// full inbox the oldest letter that was read makes room, once it is so old that it cannot arrive
/// again; else a new one is not taken now, and its sender keeps trying.
///
/// Letters of strangers wait in the requests, of which there are few; letters of blocked senders
/// are taken note of (so that a repetition is answered alike) and never shown.
class Inbox {
 public:
  struct Options {
    std::size_t max_messages = 10'000;         // per user, shown ones
    std::size_t max_bytes = 64 * 1024 * 1024;  // of their bodies
    std::size_t max_requests = 32;             // per user
    std::size_t max_per_stranger = 3;          // of those
    std::size_t max_hidden = 256;              // per user; the oldest makes room
    std::chrono::milliseconds skew = std::chrono::minutes(5);
  };
  enum class Place : std::uint8_t { shown = 1, requests = 2, hidden = 3 };
  struct Counts {
    std::size_t unread{};
    std::size_t requests{};
  };

  Inbox(Context& context, Options options);
  Result<void> load();  // numbers go on behind the highest ever given, also if that one is gone

  /// Keeps the letter; `done` once it is durable, at once with an Error if there is no room:
  /// `refused` among the requests, `unavailable` elsewhere. A repetition ends like the first
  /// arrival did.
  void add(const UserId& user, const Letter& letter, Place place, Context::WriteDone done);

  bool knows(const UserId& user, const Letter& letter) const;  // it arrived before
  struct Arrived {
    Place place{};
    Message message{};
  };
  std::optional<Arrived> find(const UserId& user, const Letter& letter) const;
  Result<Arrived> at(const UserId& user, std::uint64_t number) const;  // of those not hidden
  Counts counts(const UserId& user) const;
  std::set<PublicKey> senders(const UserId& user) const;  // of what is shown or requested
  /// In order of arrival, after `since`, at most `limit` of the newest; `with` keeps one sender's
  /// only.
  Result<std::vector<Message>> list(const UserId& user, Place place, std::uint64_t since,
                                    const PublicKey* with, std::size_t limit) const;

  struct Range {
    std::uint64_t first{};
    std::uint64_t last{};
  };
  void mark_read(const UserId& user, Range numbers, Context::WriteDone done);
  /// What a sender's requests become: shown when accepted, erased when blocked.
  void accept(const UserId& user, const PublicKey& from, Context::WriteDone done);
  void erase_requests(const UserId& user, const PublicKey& from, Context::WriteDone done);

 private:
  struct Head {
    PublicKey from{};
    Letter::Number id{};
    Place place{};
    bool unread{};
    bool durable{};
    std::size_t size{};
    WallTime received{};
    std::vector<Context::WriteDone> waiting{};  // repetitions that arrived before it was durable
  };
  using LetterName = std::pair<PublicKey, Letter::Number>;
  struct Box {
    std::map<std::uint64_t, Head> heads{};
    std::map<LetterName, std::uint64_t> names{};
    std::uint64_t next = 1;
    std::size_t bytes{};
    std::map<Place, std::size_t> counts{};  // of heads
    std::size_t in(Place place) const;
  };

  Result<void> load_row(const UserId& user, std::uint64_t number, ByteView value);
  bool full(const Box& box, const Letter& letter, Place place) const;
  std::optional<std::uint64_t> dispensable(const Box& box, Place place) const;
  Result<void> make_room(const UserId& user, const Letter& letter, Place place,
                         std::vector<Mutation>& writes);
  Result<void> room_for_stranger(const Box& box, const Letter& letter, Place place) const;
  void insert(Box& box, std::uint64_t number, const Letter& letter, Head head);
  void move(Box& box, Head& head, Place place);
  void erase(Box& box, std::uint64_t number);
  void stored(const UserId& user, std::uint64_t number, const Result<void>& result);
  Result<Message> read(const UserId& user, std::uint64_t number) const;
  Result<Mutation> rewritten(const UserId& user, std::uint64_t number) const;

  Context& context_;
  Options options_;
  std::map<UserId, Box> boxes_;
};

}  // namespace beckon::service
