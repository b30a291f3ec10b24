// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <set>

#include "node/service/kernel/gate.h"
#include "node/service/mail/courier.h"
#include "node/service/mail/reception.h"

namespace beckon::service {

/// Both sides of a mailbox. As one of the nodes that keep it: gives the letters to whoever proves
/// to be their recipient. As the recipient's host: fetches when this node comes back and every so
/// often, takes the letters in, acknowledges them on the ring and sends each sender a receipt.
class Mailbox {
 public:
  struct Options {
    Duration period = std::chrono::minutes(10);
    std::size_t window = 8;  // mailboxes asked at once
    std::size_t max_pages = 128;
    std::size_t max_letters = 3000;  // of one visit: all that honest keepers can hold
    Duration timeout = std::chrono::seconds(5);
    std::chrono::milliseconds skew = std::chrono::minutes(5);
    std::size_t copies = 3;  // nodes that keep a mailbox
    std::size_t receipts_at_once = 8;
    std::size_t max_receipts =
        4096;                       // waiting; beyond, a sender learns of delivery by trying again
    std::size_t acks_at_once = 64;  // in one write to the ring, one write at a time
    std::size_t max_acks = 4096;    // waiting; beyond, the letter is fetched and known again
    RateLimit::Options rate{.per_second = 500, .burst = 5000, .peers = 1024};  // fetches, per peer
  };

  Mailbox(Context& context, Replicas& replicas, const Users& users, Reception& reception,
          Courier& courier, const Signer& signer, const Digest& overlay, Options options);

  void start();      // begins the periods
  void fetch_all();  // now, for every hosted user

  void handle(const Request& request);  // mailbox_req
  std::uint64_t refused() const { return gate_.refused(); }

 private:
  Result<FetchReply> page_for(const FetchRequest& request) const;
  void visit_next();
  Flow<void> visit(UserId id);
  Bytes fetch_request(const User& user, const Id& keeper, const std::optional<Id>& after) const;
  void take(const UserId& user, const Bytes& bytes);
  void acknowledge(const User& user, const Envelope& envelope);
  void send_acks();
  void send_receipts();
  void send_receipt(const User& user, const Letter& letter);

  Context& context_;
  Replicas& replicas_;
  const Users& users_;
  Reception& reception_;
  Courier& courier_;
  const Signer& signer_;
  Digest overlay_;
  Options options_;
  std::deque<UserId> queue_;
  struct Owed {
    UserId user{};
    Letter letter{};  // without its text
  };
  std::deque<Owed> receipts_;
  std::size_t receipts_under_way_ = 0;
  std::deque<ItemClient::PutEntry> acks_;
  bool acking_ = false;
  Gate gate_;
  Scope visits_;
};

}  // namespace beckon::service
