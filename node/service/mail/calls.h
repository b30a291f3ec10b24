// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <set>

#include "node/service/mail/call_message.h"
#include "node/service/mail/contacts.h"
#include "node/service/mail/courier.h"
#include "node/service/mail/mail_messages.h"
#include "node/service/people/users.h"

namespace beckon::service {

/// A text session between a user of this node and one callee or a group, as this node sees it.
struct Call {
  enum class State : std::uint8_t { inviting, ringing, active, ended };
  enum class Standing : std::uint8_t { invited, joined, gone };
  struct Member {
    PersonRef callee{};
    Standing standing = Standing::invited;
    /// Once gone: busy, declined, refused, no answer, unreachable, hung up or dropped.
    std::string why{};
    Time heard{};
    std::uint64_t last_heard{};       // number of its newest message; older ones are repetitions
    std::uint64_t last_posted{};      // number of our newest message to it
    std::deque<CallMessage> queue{};  // to be sent, one after the other: lines stay in order
    bool sending = false;
  };

  Letter::Number id{};
  UserId user{};
  bool caller = false;
  bool group = false;
  State state = State::ringing;
  std::string why{};  // ended: why
  UserId from{};      // who invited
  std::map<UserId, Member> members{};
  Time since{};    // in this state
  Time invited{};  // by or to this user
};
const char* to_text(Call::State state);
const char* to_text(Call::Standing standing);

/// Invites, answers and carries calls. Everything travels as sealed letters straight to the
/// members' hosts, never through mailboxes; in a group everybody who joined speaks to everybody.
/// Messages to one member are numbered and go one after the other, so a replayed one is known.
/// That a call rang in vain is found by the caller's own clock: no answer, and no word of whether
/// it was blocked. A blocked caller is answered as a stranger is whose call nobody takes. Calls
/// live in memory: a restart hangs up.
class Calls {
 public:
  struct Options {
    Duration ring_for = std::chrono::seconds(45);
    Duration alive_every = std::chrono::seconds(10);
    Duration dropped_after = std::chrono::seconds(35);
    Duration forget_after = std::chrono::minutes(10);  // ended calls stay visible so long
    std::size_t max_calls = 16;                        // per user, ended ones not counted
    std::size_t max_per_caller = 2;                    // of those, from one other user
    std::size_t max_of_strangers = 8;                  // so that contacts get through
    std::size_t max_ended = 64;                        // per user; the oldest makes room
    std::size_t max_queue = 256;                       // lines waiting for one member
    RateLimit::Options rate{.per_second = 20, .burst = 400, .peers = 4096};
    std::chrono::milliseconds skew = std::chrono::minutes(5);
  };
  using Key = std::pair<UserId, Letter::Number>;  // user here, number of the call

  Calls(Context& context, const Users& users, const Contacts& contacts, Courier& courier,
        Options options);

  struct Invite {
    UserId from{};
    std::string name{};
    std::vector<PersonRef> to{};
  };
  Result<Letter::Number> invite(const Invite& invite);
  Result<void> accept(const Key& key, const std::string& name);
  Result<void> decline(const Key& key);
  Result<void> hang_up(const Key& key);
  Result<void> say(const Key& key, const std::string& text);

  const Call* find(const Key& key) const;
  const std::map<Key, Call>& all() const { return calls_; }

  Delivery take(const User& to, const Letter& letter);

 private:
  Delivery heard(Call& call, Call::Member& member, const CallMessage& message);
  Delivery answered(Call& call, Call::Member& member, const CallMessage& message);
  Delivery invited(const User& to, const Letter& letter, const CallMessage& message);
  void joined(Call& call, Call::Member& member);
  void line(Call& call, Call::Member& member, const std::string& text);
  void roster(Call& call, const CallMessage& message);
  void post(Call& call, const UserId& to, CallMessage message);
  void post_all(Call& call, const CallMessage& message);
  void pump(const Key& key, const UserId& to);
  void sent(const Key& key, const UserId& to, const Courier::Outcome& outcome);
  void gone(Call& call, Call::Member& member, const std::string& why);
  void end(Call& call, const std::string& why);
  Delivery unheard(const User& to, const Letter& letter, const CallMessage& message);
  void watch();  // one timer for all calls: ringing time, silence, forgetting
  void look_at_all();
  void look_at_members(Call& call);
  void forget_oldest(const UserId& user);
  void tell(const Call& call, const char* what, const Call::Member* member,
            const std::string& text = {});
  bool has_room(const User& to, const UserId& sender, bool stranger) const;
  std::size_t open_calls(const UserId& user, const UserId* from = nullptr) const;
  bool busy(const UserId& user) const;
  CallMessage roster_of(const Call& call) const;
  PersonRef self(const User& user, const std::string& name) const;

  Context& context_;
  const Users& users_;
  const Contacts& contacts_;
  Courier& courier_;
  Options options_;
  RateLimit rate_;
  std::map<Key, Call> calls_;
  std::map<Key, std::string> names_;  // what the user calls itself in that call
  struct Unheard {
    UserId from{};
    Time since{};
  };
  std::map<Key, Unheard> unheard_;  // invitations of blocked callers, while they would ring
  Timer watching_{};
};

}  // namespace beckon::service
