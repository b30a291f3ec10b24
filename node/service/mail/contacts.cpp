// SPDX-License-Identifier: MIT
#include "node/service/mail/contacts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace beckon::service {

namespace {

Bytes row_key(const UserId& user, const UserId& who) {
  ByteWriter w;
  w.raw(user.bytes);
  w.raw(who.bytes);
  return w.take();
}

/// An alias is typed where a query, @N or a User-ID prefix may stand too, so it must look like
/// none.
Result<void> check_alias(std::string_view alias, std::size_t limit) {
  auto plain = [](char c) {
    auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || std::isalnum(u) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (alias.empty() || alias.size() > limit || !is_utf8(alias) ||
      !std::all_of(alias.begin(), alias.end(), plain)) {
    return invalid(fmt::format("an alias has 1 to {} letters, digits, '-', '_' or '.', got '{}'",
                               limit, printable(alias, 80)));
  }
  return {};
}

}  // namespace

Contacts::Contacts(Context& context, Options options) : context_(context), options_(options) {}

Result<void> Contacts::load() {
  std::optional<Error> failed;
  auto scanned = context_.store().scan(Table::contacts, {}, [&](ByteView key, ByteView row) {
    ByteReader r(key);
    UserId user{r.array<UserId::size>()};
    UserId who{r.array<UserId::size>()};
    auto contact = decode<Contact>(row);
    if (!r.finish("key") || !contact || contact->id() != who) {
      failed = invalid(fmt::format("the stored contact {} cannot be read", to_hex(key)));
      return false;
    }
    books_[user].emplace(who, *std::move(contact));
    return true;
  });
  if (!scanned) return scanned.error();
  if (failed) return *failed;
  return {};
}

const Contacts::Book& Contacts::of(const UserId& user) const {
  static const Book none;
  auto found = books_.find(user);
  return found == books_.end() ? none : found->second;
}

const Contact* Contacts::find(const UserId& user, const UserId& who) const {
  const Book& book = of(user);
  auto found = book.find(who);
  return found == book.end() ? nullptr : &found->second;
}

const Contact* Contacts::by_alias(const UserId& user, std::string_view alias) const {
  for (const auto& [who, contact] : of(user)) {
    if (!alias.empty() && contact.alias == alias) return &contact;
  }
  return nullptr;
}

Result<void> Contacts::put(const UserId& user, Contact contact, Context::WriteDone done) {
  Book& book = books_[user];
  UserId who = contact.id();
  if (!book.contains(who) && book.size() >= options_.max_contacts) {
    return Error{ErrorCode::refused, fmt::format("the contact list is full ({})", book.size())};
  }
  contact.name = contact.name.substr(0, 128);
  if (!is_utf8(contact.name)) contact.name.clear();
  Mutation row{.table = Table::contacts, .key = row_key(user, who), .value = encode(contact)};
  book.insert_or_assign(who, std::move(contact));
  context_.write({std::move(row)}, std::move(done));
  return {};
}

Result<void> Contacts::rename(const UserId& user, const UserId& who, std::string alias,
                              Context::WriteDone done) {
  if (auto good = check_alias(alias, options_.max_alias); !good) return good.error();
  const Contact* contact = find(user, who);
  if (contact == nullptr) return Error{ErrorCode::not_found, "there is no such contact"};
  const Contact* holder = by_alias(user, alias);
  if (holder != nullptr && holder != contact) {
    return Error{ErrorCode::conflict, fmt::format("'{}' is already the alias of {}",
                                                  printable(alias, 80), holder->id().brief())};
  }
  Contact renamed = *contact;
  renamed.alias = std::move(alias);
  return put(user, std::move(renamed), std::move(done));
}

}  // namespace beckon::service
