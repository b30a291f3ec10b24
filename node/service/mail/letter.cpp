#include "node/service/mail/letter.h"

#include <algorithm>

namespace beckon::service {

namespace {

constexpr std::uint8_t version = 1;
constexpr std::size_t header_size = 1 + UserId::size + 8 + 4 + 4;
constexpr std::size_t smallest_padding = 256;
constexpr std::string_view info = "beckon/msg/v1";
constexpr std::string_view domain = "beckon/letter/v1";

using KeyTag = std::array<std::uint8_t, 4>;

/// Tells the recipient which of its keys was meant without telling others more than "some key".
KeyTag tag_of(const hpke::PublicKey& key) {
  Digest digest = sha256({as_bytes("beckon/key-tag/v1"), key});
  return {digest[0], digest[1], digest[2], digest[3]};
}

Bytes header(const UserId& to, WallTime expiry, const KeyTag& tag, std::size_t sealed_size) {
  ByteWriter w;
  w.u8(version);
  w.raw(to.bytes);
  w.i64(to_ms(expiry));
  w.raw(tag);
  w.u32(static_cast<std::uint32_t>(sealed_size));
  return w.take();
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

Bytes encode(const Letter& letter) {
  ByteWriter w;
  w.raw(letter.from);
  w.raw(letter.to.bytes);
  w.raw(letter.id);
  w.i64(to_ms(letter.time));
  w.u8(static_cast<std::uint8_t>(letter.kind));
  w.raw(letter.thread);
  w.counted8(as_bytes(letter.name));
  w.counted32(as_bytes(letter.body));
  return w.take();
}

Result<Letter> read_letter(ByteReader& r) {
  Letter letter;
  letter.from = r.array<32>();
  letter.to.bytes = r.array<UserId::size>();
  letter.id = r.array<16>();
  letter.time = wall_from_ms(r.i64());
  std::uint8_t kind = r.u8();
  letter.thread = r.array<16>();
  letter.name = as_text(r.counted8());
  letter.body = as_text(r.counted32());
  bool good = r.ok() && is_plausible(letter.time) && kind >= 1 && kind <= 3 &&
              letter.name.size() <= Letter::max_name && letter.body.size() <= Letter::max_body &&
              is_utf8(letter.name) && is_utf8(letter.body);
  if (!good) return invalid("the letter inside the envelope is malformed");
  letter.kind = static_cast<Letter::Kind>(kind);
  return letter;
}

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

  Bytes out =
      header(letter.to, options.expiry, tag_of(options.to_key), inner.size() + hpke::overhead);
  auto sealed = hpke::seal(options.to_key, options.ephemeral, with_info(letter.to), out, inner);
  if (!sealed) return sealed.error();
  out.insert(out.end(), sealed->begin(), sealed->end());
  return Envelope{.to = letter.to, .expiry = options.expiry, .bytes = std::move(out)};
}

Result<Envelope> decode_envelope(ByteView bytes) {
  if (bytes.size() > Envelope::max_size) return invalid("an envelope is too large");
  ByteReader r(bytes);
  Envelope out;
  std::uint8_t found = r.u8();
  out.to.bytes = r.array<UserId::size>();
  out.expiry = wall_from_ms(r.i64());
  r.raw(sizeof(KeyTag));
  std::uint32_t size = r.u32();
  bool fits = size > hpke::overhead && padded_size(size - hpke::overhead) == size - hpke::overhead;
  bool good = found == version && fits && is_plausible(out.expiry);
  if (!good || r.raw(size).empty()) r.fail();
  if (auto done = r.finish("an envelope"); !done) return done.error();
  out.bytes.assign(bytes.begin(), bytes.end());
  return out;
}

namespace {

Result<Bytes> open_with_any_key(const Envelope& envelope, const User& recipient) {
  ByteView head = ByteView(envelope.bytes).first(header_size);
  ByteView tag = head.subspan(1 + UserId::size + 8, sizeof(KeyTag));
  for (const MessageKey& key : recipient.message_keys) {
    KeyTag ours = tag_of(hpke::public_key(key.secret));
    if (!std::equal(tag.begin(), tag.end(), ours.begin())) continue;
    auto inner = hpke::open(key.secret, with_info(envelope.to), head,
                            ByteView(envelope.bytes).subspan(header_size));
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
  auto letter = read_letter(r);
  if (!letter) return letter.error();
  std::size_t content_size = inner->size() - r.remaining();
  Signature signature = r.array<64>();
  ByteView padding = r.rest();
  bool clean = r.ok() && std::all_of(padding.begin(), padding.end(), [](auto b) { return b == 0; });
  Bytes message = signed_bytes(overlay, envelope.expiry, ByteView(*inner).first(content_size));
  if (!clean || letter->to != envelope.to || !signer.verify(letter->from, message, signature)) {
    return invalid("the letter's sender, recipient or text was forged");
  }
  return letter;
}

}  // namespace beckon::service
