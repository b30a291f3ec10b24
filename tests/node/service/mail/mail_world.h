// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include "node/service/mail/mail.h"
#include "node/service/mail/mailbox_item.h"
#include "tests/world/authors.h"
#include "tests/world/fake_net.h"

namespace beckon::test {

/// What runs on each node of a MailWorld.
struct MailNode {
  MailNode(FakeNode& node, const service::RuleBook& book, const Signer& signer,
           const service::ReplicaOptions& replica_options, const service::Mail::Options& options)
      : replicas(node, book, replica_options),
        users(node, signer, profile::Schema::built_in(), {}),
        mail(node, replicas, users, signer, test_overlay, options) {}

  service::Replicas replicas;
  service::Users users;
  service::Mail mail;
};

/// A ring of nodes that each host one person and carry letters.
class MailWorld {
 public:
  explicit MailWorld(std::size_t nodes, std::uint64_t seed = 1, FakeNet::Options net_options = {},
                     service::Mail::Options mail_options = quick())
      : options(mail_options), net(seed, net_options, [this](FakeNode& n) { return boot(n); }) {
    book.add(author_rules);
    book.add(mailbox_rules);
    for (std::size_t i = 0; i < nodes; ++i) places.push_back(net.add().self().id);
    for (const service::Id& id : places) net.start(id);
    net.run_for(std::chrono::seconds(10));
    for (const service::Id& id : places) keys.push_back(at(id).users.me()->key);
  }

  /// The same machinery on shorter periods, so that a run of minutes sees many of them.
  static service::Mail::Options quick() {
    service::Mail::Options out;
    out.mailbox.period = std::chrono::seconds(20);
    out.messenger.first_retry = std::chrono::seconds(5);
    out.messenger.last_retry = std::chrono::seconds(20);
    out.locators.retry = std::chrono::seconds(3);
    return out;
  }

  MailNode& at(const service::Id& id) { return net.node(id).component<MailNode>(); }
  MailNode& at(std::size_t i) { return at(places[i]); }
  service::UserId user(std::size_t i) const { return service::user_id(keys[i]); }

  service::PersonRef callee(std::size_t i) {
    service::PersonRef out{.key = keys[i], .name = "person"};
    if (net.node(places[i]).up()) {
      const service::User& user = *at(i).users.me();
      out.message_key = hpke::public_key(user.message_keys.front().secret);
      out.host = net.node(places[i]).self();
    }
    return out;
  }

  /// Sends and returns the letter's name; the letter is durable at the sender.
  service::Outbox::Name send(std::size_t from, std::vector<service::PersonRef> to,
                             std::string text) {
    bool accepted = false;
    auto name = at(from).mail.messenger().send(
        {.from = user(from), .name = "sender", .to = std::move(to), .text = std::move(text)},
        [&](const Result<void>& r) { accepted = r.has_value(); });
    REQUIRE(name);
    REQUIRE(net.run_until([&] { return accepted; }, std::chrono::seconds(10)));
    return *name;
  }

  service::SendState state(std::size_t from, const service::Outbox::Name& name, std::size_t to) {
    const service::SentLetter* sent = at(from).mail.outbox().find(name);
    return sent->to.at(user(to)).state;
  }
  bool reaches(std::size_t from, const service::Outbox::Name& name, std::size_t to,
               service::SendState wanted, Duration limit = std::chrono::seconds(60)) {
    return net.run_until([&] { return state(from, name, to) == wanted; }, limit);
  }

  std::vector<std::string> texts(std::size_t i, service::Inbox::Place place) {
    std::vector<std::string> out;
    auto list = at(i).mail.inbox().list(user(i), place, 0, nullptr, 100'000);
    REQUIRE(list);
    for (const service::Message& message : *list) out.push_back(message.letter.body);
    return out;
  }

  void befriend(std::size_t i, std::size_t other) {
    auto put = at(i).mail.contacts().put(user(i), {.key = keys[other]}, [](const Result<void>&) {});
    REQUIRE(put);
  }

  /// Person i, a friend of `friend_of_theirs`, goes away once its locator is out; how others know
  /// it.
  service::PersonRef goes_away(std::size_t i, std::size_t friend_of_theirs) {
    befriend(i, friend_of_theirs);
    service::PersonRef out = callee(i);
    net.run_for(std::chrono::seconds(1));
    net.crash(places[i]);
    return out;
  }

  FastSigner signer{};
  service::AuthorItemRules author_rules{test_overlay, signer};
  service::MailboxRules mailbox_rules{test_overlay, signer};
  service::RuleBook book{};
  service::ReplicaOptions replica_options{};
  service::Mail::Options options;
  std::vector<service::Id> places{};
  std::vector<PublicKey> keys{};
  FakeNet net;

 private:
  std::shared_ptr<void> boot(FakeNode& node) {
    auto parts = std::make_shared<MailNode>(node, book, signer, replica_options, options);
    auto* raw = parts.get();
    for (int type = 0x21; type < 0x30; type += 2) {
      node.on(static_cast<std::uint8_t>(type),
              [raw](const service::Request& r) { raw->replicas.handle(r); });
    }
    for (int type = 0x41; type < 0x50; type += 2) {
      node.on(static_cast<std::uint8_t>(type),
              [raw](const service::Request& r) { raw->mail.handle(r); });
    }
    node.on_ring_change([raw] { raw->replicas.ring_changed(); });
    REQUIRE(raw->users.load());
    REQUIRE(raw->mail.load());
    if (raw->users.me() == nullptr)
      REQUIRE(raw->users.create(service::empty_profile(), [](const Result<void>&) {}));
    raw->replicas.start();
    raw->mail.joined();
    return parts;
  }
};

/// The names that tests of mail use; they say `using namespace beckon::test::mail`.
namespace mail {
using namespace beckon::service;
using namespace std::chrono_literals;
using test::MailWorld;
using Place = Inbox::Place;
using Texts = std::vector<std::string>;
}  // namespace mail

}  // namespace beckon::test
