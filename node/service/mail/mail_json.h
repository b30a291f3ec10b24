// SPDX-License-Identifier: MIT
#pragma once

#include "base/json.h"
#include "node/service/mail/contacts.h"
#include "node/service/mail/inbox.h"
#include "node/service/mail/outbox.h"

namespace beckon::service {

/// "2026-05-01T09:30:00.000Z"
std::string iso_time(WallTime time);

/// {"id","from":{"id","name","alias"},"text","time","thread","group","unread"}. The thread is the
/// group's number, or else the other person's id. The text of a request is cut: `whole` is false.
Json message_json(const Message& message, Inbox::Place place, const Contact* sender,
                  bool whole = true);

/// {"id","to":[{"user","name","state"}],"delivered","kept","refused","unreachable","sending"}
Json sent_letter_json(const SentLetter& sent);

/// The numbers of the above alone, and how many there are: `to`.
Json progress_json(const SentLetter& sent);

}  // namespace beckon::service
