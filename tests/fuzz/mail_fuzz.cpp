// SPDX-License-Identifier: MIT
// What of letters and calls is more than a list of fields (messages_fuzz has those), read from the
// wire or from the disk. The first byte of the input picks the decoder. What is accepted must
// encode to the same bytes; a stored row that is damaged must be refused, never crash the start.
#include "node/service/mail/call_message.h"
#include "node/service/mail/inbox.h"
#include "node/service/mail/mailbox_item.h"
#include "node/service/mail/outbox.h"
#include "tests/fuzz/fuzz.h"
#include "tests/world/fake_net.h"
#include "tests/world/fast_signer.h"

using namespace beckon;
using namespace beckon::service;
using fuzz::seed;

namespace {

const test::FastSigner signer;
const Digest overlay{};

void check_envelope(ByteView body) {
  auto envelope = decode_envelope(body);
  if (!envelope) return;
  ENSURE(std::ranges::equal(envelope->bytes, body));
  User somebody = make_user(signer, {1}, {2}, {});
  envelope->to = somebody.id();
  ENSURE(!open(*envelope, somebody, signer, overlay));  // nobody sealed it
}

void check_entry(ByteView body) {
  MailboxRules rules(overlay, signer);
  for (const UserId& user : {UserId{}, user_id(PublicKey{})}) {
    auto info = rules.read(mailbox_key(overlay, user), body);
    if (info && info->tombstone) rules.genuine(body);
  }
}

void check_call(ByteView body) {
  auto message = decode_call_message(as_text(body));
  if (!message) return;
  auto again = decode_call_message(encode(*message));
  ENSURE(again && *again == *message);
}

void check_user(ByteView body) {
  auto user = decode_user(body, signer, profile::Schema::built_in());
  bool old_row = !body.empty() && body[0] == 1;  // written again as a new one
  if (user && !old_row) ENSURE(std::ranges::equal(encode(*user), body));
}

/// A row as the disk gave it, read at the start of a node; the first bytes are its key.
void check_row(Table table, ByteView body) {
  test::FakeNet net(1, {}, [](test::FakeNode&) { return std::make_shared<int>(0); });
  test::FakeNode& node = net.add();
  std::size_t key_size = std::min<std::size_t>(body.size(), table == Table::inbox ? 28 : 37);
  ByteView key = body.first(key_size);
  ByteView value = body.subspan(key_size);
  ENSURE(node.disk().commit({{.table = table,
                              .key = Bytes(key.begin(), key.end()),
                              .value = Bytes(value.begin(), value.end())}}));
  Inbox inbox(node, {});
  Outbox outbox(node, {});
  auto loaded = table == Table::inbox ? inbox.load() : outbox.load();
  if (!loaded || table != Table::inbox) return;
  UserId user{ByteReader(key).array<UserId::size>()};
  ENSURE(inbox.list(user, Inbox::Place::shown, 0, nullptr, 10));
  ENSURE(inbox.counts(user).unread + inbox.counts(user).requests <= 1);
}

using Check = void (*)(ByteView);
constexpr std::array<Check, 6> checks = {
    check_envelope,
    check_entry,
    check_call,
    check_user,
    [](ByteView b) { check_row(Table::inbox, b); },
    [](ByteView b) { check_row(Table::outbox, b); },
};

Bytes joined(std::initializer_list<ByteView> parts) {
  ByteWriter w;
  for (ByteView part : parts) w.raw(part);
  return w.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::pick(checks, data, size);
}

std::vector<Bytes> fuzz_seeds() {
  User user = make_user(signer, {1}, {2}, {});
  Letter letter{.from = user.key, .name = "A", .body = "text"};
  letter.to = user_id(PublicKey{});
  Bytes plain = encode(letter);
  auto envelope = seal(letter, user.seed, signer,
                       {.overlay = overlay,
                        .to_key = hpke::public_key({3}),
                        .expiry = wall_from_ms(1'790'000'000'000),
                        .ephemeral = {4}});
  ENSURE(envelope);
  Bytes ack = sign_mailbox_ack({.recipient = PublicKey{}}, overlay, user.seed, signer);
  CallMessage invite{.op = CallMessage::Op::invite, .count = 1, .members = {PersonRef{}}};
  Bytes received(8, 0);
  return {
      seed(0, envelope->bytes),
      seed(1, ack),
      seed(1, envelope->bytes),
      seed(2, as_bytes(encode(invite))),
      seed(3, encode(user)),
      seed(4, joined({letter.to.bytes, received, Bytes{1, 1, 1}, received, plain})),
      seed(5, joined({Bytes{'m'}, user.id().bytes, Letter::Number{}, Bytes{1}, received, plain}))};
}
