// SPDX-License-Identifier: MIT
#include "node/service/mail/letter.h"

#include <algorithm>

namespace beckon::service {

namespace {

constexpr std::size_t smallest_padding = 256;
constexpr std::string_view info = "beckon/msg/v1";
constexpr std::string_view domain = "beckon/letter/v1";

using KeyTag = decltype(EnvelopeHeader::key_tag);

/// Tells the recipient which of its keys was meant without telling others more than "some key".
KeyTag tag_of(const hpke::PublicKey& key) {
  Digest digest = sha256({as_bytes("beckon/key-tag/v1"), key});
  return {digest[0], digest[1], digest[2], digest[3]};
}

Bytes with_info(const UserId& to) {
  ByteWriter w;
  w.raw(as_bytes(info));
  w.raw(to.bytes);
  return w.take();
}

Bytes signed_bytes(const Digest& overlay, WallTime expiry, ByteView content) {
  ByteWriter w;
  w.raw(as_bytes(domain));
  w.raw(overlay);
  w.i64(to_ms(expiry));
  w.raw(content);
  return w.take();
}

/// Zeros up to the next 256 * 2^n, so that sizes tell little.
std::size_t padded_size(std::size_t size) {
  std::size_t out = smallest_padding;
  while (out < size) out *= 2;
  return out;
}

}  // namespace

Result<Envelope> seal(const Letter& letter, const SecretSeed& from, const Signer& signer,
                      const SealOptions& options) {
  if (letter.body.size() > Letter::max_body)
    return invalid("a message holds at most 64 KiB of text");
  if (letter.name.size() > Letter::max_name)
    return invalid("a sender's name holds at most 128 bytes");
  if (!is_utf8(letter.body) || !is_utf8(letter.name))
    return invalid("a message must be UTF-8 text");
  Bytes inner = encode(letter);
  Signature signature = signer.sign(from, signed_bytes(options.overlay, options.expiry, inner));
  inner.insert(inner.end(), signature.begin(), signature.end());
  inner.resize(padded_size(inner.size()));

  Bytes out = encode(
      EnvelopeHeader{.to = letter.to,
                     .expiry = options.expiry,
                     .key_tag = tag_of(options.to_key),
                     .sealed_size = static_cast<std::uint32_t>(inner.size() + hpke::overhead)});
  auto sealed = hpke::seal(options.to_key, options.ephemeral, with_info(letter.to), out, inner);
  if (!sealed) return sealed.error();
  out.insert(out.end(), sealed->begin(), sealed->end());
  return Envelope{.to = letter.to, .expiry = options.expiry, .bytes = std::move(out)};
}

Result<Envelope> decode_envelope(ByteView bytes) {
  if (bytes.size() > Envelope::max_size) return invalid("an envelope is too large");
  ByteReader r(bytes);
  EnvelopeHeader header;
  read_fields(r, header);
  std::size_t size = header.sealed_size;
  bool fits = size > hpke::overhead && padded_size(size - hpke::overhead) == size - hpke::overhead;
  if (!fits || r.raw(size).empty()) r.fail();
  if (auto done = r.finish("an envelope"); !done) return done.error();
  return Envelope{.to = header.to, .expiry = header.expiry, .bytes = {bytes.begin(), bytes.end()}};
}

namespace {

Result<Bytes> open_with_any_key(const Envelope& envelope, const User& recipient) {
  ByteView head = ByteView(envelope.bytes).first(EnvelopeHeader::size);
  ByteView tag = head.subspan(1 + UserId::size + 8, sizeof(KeyTag));
  for (const MessageKey& key : recipient.message_keys) {
    KeyTag ours = tag_of(hpke::public_key(key.secret));
    if (!std::equal(tag.begin(), tag.end(), ours.begin())) continue;
    auto inner = hpke::open(key.secret, with_info(envelope.to), head,
                            ByteView(envelope.bytes).subspan(EnvelopeHeader::size));
    if (inner) return inner;
  }
  return Error{ErrorCode::not_found, "no key of the recipient opens the envelope"};
}

}  // namespace

Result<Letter> open(const Envelope& envelope, const User& recipient, const Signer& signer,
                    const Digest& overlay) {
  if (envelope.to != recipient.id()) return invalid("the envelope is for somebody else");
  auto inner = open_with_any_key(envelope, recipient);
  if (!inner) return inner.error();
  ByteReader r(*inner);
  Letter letter;
  read_fields(r, letter);
  if (!r.ok()) return r.finish(Letter::form.name).error();
  std::size_t content_size = inner->size() - r.remaining();
  Signature signature = r.array<64>();
  ByteView padding = r.rest();
  bool clean = r.ok() && std::all_of(padding.begin(), padding.end(), [](auto b) { return b == 0; });
  Bytes message = signed_bytes(overlay, envelope.expiry, ByteView(*inner).first(content_size));
  if (!clean || letter.to != envelope.to || !signer.verify(letter.from, message, signature)) {
    return invalid("the letter's sender, recipient or text was forged");
  }
  return letter;
}

}  // namespace beckon::service
