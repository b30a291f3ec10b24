// SPDX-License-Identifier: MIT
#pragma once

#include "node/service/mail/calls.h"
#include "node/service/mail/inbox.h"
#include "node/service/mail/locators.h"
#include "node/service/mail/mailbox.h"
#include "node/service/mail/messenger.h"

namespace beckon::service {

/// Everything of a node that has to do with messages and calls, put together. Whoever owns it hands
/// it the requests of its frame types, and tells it when the node has become a member of the ring.
class Mail {
 public:
  struct Options {
    Contacts::Options contacts{};
    Inbox::Options inbox{};
    Outbox::Options outbox{};
    Courier::Options courier{};
    Reception::Options reception{};
    Mailbox::Options mailbox{};
    Messenger::Options messenger{};
    Locators::Options locators{};
    Calls::Options calls{};
  };

  Mail(Context& context, Replicas& replicas, Users& users, const Signer& signer,
       const Digest& overlay, const Options& options);

  Result<void> load();  // once, before anything else
  void joined();        // the node is a member now: fetch, send, publish locators

  static bool handles(std::uint8_t type);
  void handle(const Request& request);

  Contacts& contacts() { return contacts_; }
  Inbox& inbox() { return inbox_; }
  Outbox& outbox() { return outbox_; }
  Messenger& messenger() { return messenger_; }
  Locators& locators() { return locators_; }
  Calls& calls() { return calls_; }
  Courier& courier() { return courier_; }

 private:
  Contacts contacts_;
  Inbox inbox_;
  Outbox outbox_;
  Courier courier_;
  Reception reception_;
  Mailbox mailbox_;
  Locators locators_;
  Messenger messenger_;
  Calls calls_;
  Context& context_;
  bool started_ = false;
};

}  // namespace beckon::service
