// SPDX-License-Identifier: MIT
#pragma once

#include <tuple>

#include "chord/message.h"
#include "node/service/admission/enrolment.h"
#include "node/service/admission/renewal.h"
#include "node/service/find/find_messages.h"
#include "node/service/items/author_item.h"
#include "node/service/items/replica_messages.h"
#include "node/service/mail/contacts.h"
#include "node/service/mail/locator.h"
#include "node/service/mail/mail_messages.h"
#include "node/service/mail/mailbox_item.h"
#include "node/service/mail/outbox.h"
#include "node/service/ring/peer_memory.h"
#include "tests/wire/random_fields.h"

namespace beckon::test {

/// A message, the table of the documents that shows it, and its name there. The tests of messages,
/// messages_fuzz and protocol_tables go over this list: a new message is one line here.
template <typename M>
struct Listed {
  using Message = M;
  const char* table;  // "": no document shows it, only this node reads it
  const char* name;
};

/// The part of something larger that is a list of fields: a filter or a signature follows it.
template <typename T>
struct Head {
  T value{};
  static constexpr Form form = exact("head");
  static void fields(auto& f, auto& m) { T::fields(f, m.value); }
};

inline constexpr std::tuple all_messages{
    Listed<service::HelloBody>{"transport", "HELLO"},
    Listed<service::Refused>{"transport", "REFUSED"},
    Listed<service::EnrolRequest>{"transport", "ENROL"},
    Listed<service::Enrolment>{"transport", "ENROLLED"},
    Listed<service::Revocations>{"transport", "REVOCATIONS"},
    Listed<service::Credential>{"transport", "credential"},
    Listed<service::RenewRequest>{"renewal", "RENEW"},
    Listed<service::Renewed>{"renewal", "its reply"},

    Listed<chord::Id>{"items", "id"},
    Listed<service::ItemKey>{"items", "itemkey"},
    Listed<service::Span>{"items", "span"},
    Listed<service::RawItem>{"items", "raw_item"},
    Listed<service::ItemStamp>{"items", "entry"},
    Listed<service::ItemSum>{"items", "sum"},
    Listed<service::ErrorBody>{"items", "error"},
    Listed<service::PutRequest>{"items", "PUT"},
    Listed<service::PutReply>{"items", "its reply"},
    Listed<service::GetRequest>{"items", "GET"},
    Listed<service::GetReply>{"items", "its reply"},
    Listed<service::ReplicateRequest>{"items", "REPLICATE"},
    Listed<service::ReplicateReply>{"items", "its reply"},
    Listed<service::DigestRequest>{"items", "SYNC_DIGEST"},
    Listed<service::DigestReply>{"items", "its reply"},
    Listed<service::ListRequest>{"items", "SYNC_LIST"},
    Listed<service::ListReply>{"items", "its reply"},
    Listed<service::WantRequest>{"items", "SYNC_WANT"},
    Listed<service::WantReply>{"items", "its reply"},
    Listed<service::ChainRequest>{"items", "CHAIN"},
    Listed<Head<service::AuthorItem>>{"author record", "fields"},

    Listed<chord::PeerRef>{"ring", "peer"},
    Listed<chord::StateRequest>{"ring", "STATE_REQ"},
    Listed<chord::StateReply>{"ring", "STATE_REP"},
    Listed<chord::Notify>{"ring", "NOTIFY"},
    Listed<chord::NextRequest>{"ring", "NEXT_REQ"},
    Listed<chord::NextReply>{"ring", "NEXT_REP"},
    Listed<chord::Ping>{"ring", "PING"},
    Listed<chord::Pong>{"ring", "PONG"},
    Listed<chord::Leave>{"ring", "LEAVE"},
    Listed<chord::LeaveAck>{"ring", "LEAVE_ACK"},
    Listed<chord::ErrorReply>{"ring", "ERROR"},

    Listed<profile::Marks>{"entry", "marks"},
    Listed<Head<profile::Record>>{"entry", "record"},
    Listed<profile::Wanted>{"find", "wanted"},
    Listed<service::QueryRequest>{"find", "query"},
    Listed<service::QueryReply>{"find", "its reply"},
    Listed<service::CountRequest>{"find", "count"},
    Listed<service::CountReply>{"find", "its reply"},
    Listed<service::VerifyRequest>{"find", "verify"},
    Listed<service::VerifyReply>{"find", "its reply"},

    Listed<service::DeliverReply>{"mail", "reply to DELIVER"},
    Listed<service::FetchRequest>{"mail", "MAILBOX"},
    Listed<service::FetchReply>{"mail", "its reply"},
    Listed<service::Letter>{"letter", "letter"},
    Listed<service::EnvelopeHeader>{"letter", "header"},
    Listed<service::Locator>{"letter", "locator"},
    Listed<service::MailboxAck>{"letter", "acknowledgement"},

    Listed<service::PeerRow>{"", "remembered peers"},
    Listed<service::Contact>{"", "contact"},
    Listed<service::Outgoing>{"", "recipient"},
    Listed<service::SentLetter>{"", "sent letter"},
};

/// Calls `use` with each Listed.
template <typename Use>
void each_message(Use use) {
  std::apply([&](const auto&... listed) { (use(listed), ...); }, all_messages);
}

template <>
struct Sample<profile::PredicatesCodec> {
  static profile::Predicates make(Rng& rng) {
    profile::NumberTest number{.lo = rng.below(20), .hi = 20 + rng.below(20)};
    return {{.slot = 4, .any = {profile::TextTest{}}}, {.slot = 6, .any = {number}}};
  }
};
template <>
struct Sample<service::OverlayCodec> {
  static service::Overlay make(Rng&) { return service::builtin_overlay(); }
};
template <>
struct Sample<service::RevocationsCodec> {
  static std::optional<service::Revocations> make(Rng& rng) {
    if (rng.below(2) == 0) return std::nullopt;
    return random_message<service::Revocations>(rng);
  }
};

}  // namespace beckon::test
