// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/person_address.h"
#include "node/service/admission/overlay.h"
#include "node/service/assembly/service.h"
#include "node/service/find/index_item.h"
#include "node/service/find/search.h"
#include "node/service/mail/mail.h"
#include "node/service/mail/mailbox_item.h"
#include "node/service/people/person_ref.h"
#include "node/service/people/users.h"

namespace beckon::service {

/// What a node does for people, on top of Service: hosts users, publishes and finds them, carries
/// their messages and calls. Made right after the service and before its start; gone before it.
class Hosting {
 public:
  struct Options {
    Users::Options users{};
    Search::Options search{};
    Mail::Options mail{};
  };

  /// Reads what the disk kept; makes the first user, `me`, if there is none.
  static Result<std::unique_ptr<Hosting>> open(Service& service, const Overlay& overlay,
                                               const Signer& signer, const Options& options);
  Hosting(Service& service, profile::Schema schema, const Overlay& overlay, const Signer& signer,
          const Options& options);  // only by open()
  Hosting(const Hosting&) = delete;
  Hosting& operator=(const Hosting&) = delete;

  Service& service() { return service_; }
  const profile::Schema& schema() const { return schema_; }
  std::string address_of(const User& user) const;  // to give away
  /// Refuses an address that was mistyped, or belongs to another overlay.
  Result<PersonRef> at_address(std::string_view text) const;
  Users& users() { return users_; }
  Search& search() { return search_; }
  Mail& mail() { return mail_; }

 private:
  Result<void> load();
  void hear_ring();
  void serve_frames();

  Service& service_;
  const profile::Schema schema_;
  const PersonAddress::OverlayTag overlay_tag_;
  GenuineRecords genuine_;
  IndexRules index_rules_;
  MailboxRules mailbox_rules_;
  Users users_;
  Search search_;
  Mail mail_;
};

}  // namespace beckon::service
