// SPDX-License-Identifier: MIT
#include "node/service/mail/mail.h"

namespace beckon::service {

Mail::Mail(Context& context, Replicas& replicas, Users& users, const Signer& signer,
           const Digest& overlay, const Options& options)
    : contacts_(context, options.contacts),
      inbox_(context, options.inbox),
      outbox_(context, options.outbox),
      courier_(context, replicas, signer, overlay, options.courier),
      reception_(context, users, contacts_, outbox_, inbox_, signer, overlay, options.reception),
      mailbox_(context, replicas, users, reception_, courier_, signer, overlay, options.mailbox),
      locators_(context, replicas, users, contacts_, signer, overlay, options.locators),
      messenger_(context, users, contacts_, outbox_, courier_, locators_, options.messenger),
      calls_(context, users, contacts_, courier_, options.calls),
      context_(context) {
  reception_.on_receipt(
      [this](const User& to, const Letter& l) { return messenger_.receipt(to, l); });
  reception_.on_call([this](const User& to, const Letter& l) { return calls_.take(to, l); });
}

Result<void> Mail::load() {
  if (auto done = contacts_.load(); !done) return done;
  if (auto done = inbox_.load(); !done) return done;
  return outbox_.load();
}

void Mail::joined() {
  mailbox_.fetch_all();
  if (started_) return;
  started_ = true;
  messenger_.start();
  locators_.start();
  mailbox_.start();
}

bool Mail::handles(std::uint8_t type) {
  return type == raw(FrameType::deliver_req) || type == raw(FrameType::mailbox_req);
}

void Mail::handle(const Request& request) {
  if (request.type == raw(FrameType::deliver_req)) return reception_.handle(request);
  if (request.type == raw(FrameType::mailbox_req)) return mailbox_.handle(request);
  context_.refuse(request, to_error(Status::unsupported));
}

}  // namespace beckon::service
