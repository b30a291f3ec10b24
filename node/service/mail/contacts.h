// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "node/service/kernel/context.h"
#include "node/service/people/user.h"

namespace beckon::service {

/// Somebody a user has written to, accepted or blocked, and the last known way to reach them.
struct Contact {
  enum class Standing : std::uint8_t { accepted = 1, blocked = 2 };

  PublicKey key{};
  Standing standing = Standing::accepted;
  std::string alias{};            // given by the user; unique among its contacts, may be empty
  std::string name{};             // what they call themselves: a claim
  hpke::PublicKey message_key{};  // all zero while unknown
  PeerRef host{};                 // a hint; the locator on the ring is newer
  static constexpr Form form = exact("a stored contact");
  static void fields(auto& f, auto& m) {
    f.constant("version", 1);
    f("key", m.key);
    f("standing", m.standing, between(Standing::accepted, Standing::blocked));
    f.text8("alias", m.alias);
    f.text8("name", m.name);
    f("message key", m.message_key);
    f("host", m.host.id);
    f.text8("address", m.host.address, upto(chord::max_address_size));
  }
  UserId id() const { return user_id(key); }
  friend bool operator==(const Contact&, const Contact&) = default;
};

/// The contacts of all users of this node, in Table::contacts. Whom a user writes to counts as
/// accepted: an answer must not land among strangers.
class Contacts {
 public:
  struct Options {
    std::size_t max_contacts = 10'000;  // per user
    std::size_t max_alias = 64;
  };
  using Book = std::map<UserId, Contact>;

  Contacts(Context& context, Options options);
  Result<void> load();

  const Contact* find(const UserId& user, const UserId& who) const;
  const Contact* by_alias(const UserId& user, std::string_view alias) const;
  const Book& of(const UserId& user) const;

  Result<void> put(const UserId& user, Contact contact, Context::WriteDone done);
  Result<void> rename(const UserId& user, const UserId& who, std::string alias,
                      Context::WriteDone done);

 private:
  Context& context_;
  Options options_;
  std::map<UserId, Book> books_;
};

}  // namespace beckon::service
