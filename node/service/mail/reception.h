// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/kernel/gate.h"
#include "node/service/mail/contacts.h"
#include "node/service/mail/inbox.h"
#include "node/service/mail/mail_messages.h"
#include "node/service/mail/outbox.h"
#include "node/service/people/users.h"

namespace beckon::service {

/// Takes in letters for the users of this node, whichever way they came: opens, checks, and judges
/// by the user's contacts and policy. What is answered as delivered is durable. A blocked sender is
/// answered like a stranger whose requests nobody looks at: the same policy, rate and number of
/// letters; they are noted durably and never shown.
class Reception {
 public:
  struct Options {
    RateLimit::Options rate{.per_second = 5, .burst = 200, .peers = 4096};  // per sender and user
    RateLimit::Options peer_rate{.per_second = 1000, .burst = 5000, .peers = 1024};  // per node
    double rubbish_cost = 50;  // what cannot be opened counts as so many
    std::chrono::milliseconds skew = std::chrono::minutes(5);
    RateLimit::Options complaints{.per_second = 1.0 / 3600, .burst = 1, .peers = 256};  // logged
  };
  struct Taken {
    Delivery outcome{};
    std::optional<Letter> text{};     // a text that is durable now: its sender is owed a receipt
    bool rubbish = false;             // sealed to no key of ours, or changed on the way
    const char* complaint = nullptr;  // what was wrong, if an honest node would not have brought it
  };
  using Done = std::function<void(Result<Taken>)>;  // an Error: our disk failed; try again
  /// Letters that are no text belong to others.
  using Take = std::function<Delivery(const User& to, const Letter& letter)>;

  Reception(Context& context, const Users& users, const Contacts& contacts, const Outbox& outbox,
            Inbox& inbox, const Signer& signer, const Digest& overlay, Options options);

  void on_receipt(Take take) { take_receipt_ = std::move(take); }
  void on_call(Take take) { take_call_ = std::move(take); }

  void handle(const Request& request);  // deliver_req
  std::uint64_t refused() const { return gate_.refused(); }
  /// Letters of a mailbox come all at once, and are lost if refused: no rate is asked of them. The
  /// mailbox's own limits bound them.
  enum class Way : std::uint8_t { direct, mailbox };
  void take(const Envelope& envelope, Way way, Done done);

 private:
  void take_text(const User& user, const Letter& letter, Way way, Done done);
  Inbox::Place place_for(const User& user, const Letter& letter) const;
  std::optional<Delivery> refusal(const Envelope& envelope) const;
  void complain(const PeerRef& about, const char* what);
  void announce(const UserId& user, const Letter& letter);

  Context& context_;
  const Users& users_;
  const Contacts& contacts_;
  const Outbox& outbox_;
  Inbox& inbox_;
  const Signer& signer_;
  Digest overlay_;
  Options options_;
  static Delivery nobody(const User&, const Letter&) { return Delivery::refused; }
  Take take_receipt_ = nobody;
  Take take_call_ = nobody;
  RateLimit rate_;
  Gate gate_;
  RateLimit complaints_;
};

}  // namespace beckon::service
