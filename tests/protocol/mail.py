# SPDX-License-Identifier: MIT
"""Letters, envelopes, locators and mailboxes (docs/protocol.md, Messages). X25519 and the cipher are libcrypto's."""
import ctypes
import hashlib
import hmac
import os
import struct
import time

from records import crypto, ed25519
from schema import overlay_id, sha256
from signatures import ed25519_holds

X25519 = 1034
for function in ("EVP_PKEY_CTX_new", "EVP_CIPHER_CTX_new", "EVP_chacha20_poly1305"):
    getattr(crypto, function).restype = ctypes.c_void_p
SIZE = ctypes.c_size_t


def x25519_public(secret):
    key = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_private_key(X25519, None, secret, SIZE(32)))
    out, size = ctypes.create_string_buffer(32), SIZE(32)
    assert crypto.EVP_PKEY_get_raw_public_key(key, out, ctypes.byref(size)) == 1
    crypto.EVP_PKEY_free(key)
    return out.raw


def x25519(secret, public):
    own = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_private_key(X25519, None, secret, SIZE(32)))
    other = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_public_key(X25519, None, public, SIZE(32)))
    context = ctypes.c_void_p(crypto.EVP_PKEY_CTX_new(own, None))
    out, size = ctypes.create_string_buffer(32), SIZE(32)
    assert crypto.EVP_PKEY_derive_init(context) == 1 and crypto.EVP_PKEY_derive_set_peer(context, other) == 1
    assert crypto.EVP_PKEY_derive(context, out, ctypes.byref(size)) == 1
    crypto.EVP_PKEY_CTX_free(context)
    crypto.EVP_PKEY_free(own)
    crypto.EVP_PKEY_free(other)
    return out.raw


def chacha(key, nonce, header, data, tag=None):
    """Seals (text ‖ tag), or with a tag opens; None if it does not hold."""
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    cipher, encrypt, size = ctypes.c_void_p(crypto.EVP_chacha20_poly1305()), int(tag is None), ctypes.c_int()
    out, mark = ctypes.create_string_buffer(len(data) + 1), ctypes.create_string_buffer(tag or bytes(16), 16)
    assert crypto.EVP_CipherInit_ex(context, cipher, None, key, nonce, encrypt) == 1
    if tag:
        assert crypto.EVP_CIPHER_CTX_ctrl(context, 0x11, 16, mark) == 1
    assert crypto.EVP_CipherUpdate(context, None, ctypes.byref(size), header, len(header)) == 1
    assert crypto.EVP_CipherUpdate(context, out, ctypes.byref(size), data, len(data)) == 1
    good = crypto.EVP_CipherFinal_ex(context, ctypes.create_string_buffer(16), ctypes.byref(size)) == 1
    if not tag:
        assert crypto.EVP_CIPHER_CTX_ctrl(context, 0x10, 16, mark) == 1
    crypto.EVP_CIPHER_CTX_free(context)
    return (out.raw[:len(data)] + (b"" if tag else mark.raw)) if good else None


# ---- HPKE base mode, RFC 9180 --------------------------------------------------------------------------

def extract(suite, salt, label, data):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + data, hashlib.sha256)


def expand(suite, secret, label, info, size):
    info = struct.pack(">H", size) + b"HPKE-v1" + suite + label + info
    return hmac.digest(secret, info + b"\x01", hashlib.sha256)[:size]


def key_and_nonce(shared, enc, public, info):
    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x03"
    secret = expand(kem, extract(kem, b"", b"eae_prk", shared), b"shared_secret", enc + public, 32)
    context = b"\x00" + extract(suite, b"", b"psk_id_hash", b"") + extract(suite, b"", b"info_hash", info)
    secret = extract(suite, secret, b"secret", b"")
    return expand(suite, secret, b"key", context, 32), expand(suite, secret, b"base_nonce", context, 12)


def seal(public, info, header, text):
    own = os.urandom(32)
    enc = x25519_public(own)
    return enc + chacha(*key_and_nonce(x25519(own, public), enc, public, info), header, text)


def unseal(secret, info, header, sealed):
    enc, public = sealed[:32], x25519_public(secret)
    return chacha(*key_and_nonce(x25519(secret, enc), enc, public, info), header, sealed[32:-16], sealed[-16:])


# ---- Letters ---------------------------------------------------------------------------------------------

def now_ms():
    return int(time.time() * 1000)


def letter(sender, to, name, body, kind=1):
    name, body = name.encode(), body.encode()
    return (ed25519(sender, b"")[0] + to + os.urandom(16) + struct.pack(">qB", now_ms(), kind) + bytes(16)
            + bytes([len(name)]) + name + struct.pack(">I", len(body)) + body)


def key_tag(message_key):
    return sha256(b"beckon/key-tag/v1" + message_key)[:4]


def envelope(sender, to, message_key, written):
    expiry = struct.pack(">q", now_ms() + 3600 * 1000)
    inside = written + ed25519(sender, b"beckon/letter/v1" + overlay_id() + expiry + written)[1]
    size = 256
    while size < len(inside):
        size *= 2
    header = b"\x01" + to + expiry + key_tag(message_key) + struct.pack(">I", 32 + size + 16)
    return header + seal(message_key, b"beckon/msg/v1" + to, header, inside.ljust(size, b"\x00"))


def open_envelope(secret, sealed):
    """(sender's key, name, body)"""
    header, to, expiry = sealed[:37], sealed[1:21], sealed[21:29]
    assert sealed[0] == 1 and header[29:33] == key_tag(x25519_public(secret))
    inside = unseal(secret, b"beckon/msg/v1" + to, header, sealed[37:])
    at = 32 + 20 + 16 + 8 + 1 + 16
    name = inside[at + 1:at + 1 + inside[at]]
    at += 1 + len(name)
    size = struct.unpack(">I", inside[at:at + 4])[0]
    body, end = inside[at + 4:at + 4 + size], at + 4 + size
    signature, rest = inside[end:end + 64], inside[end + 64:]
    assert ed25519_holds(inside[:32], b"beckon/letter/v1" + overlay_id() + expiry + inside[:end], signature)
    assert inside[32:52] == to and not rest.strip(b"\x00")
    return inside[:32], name.decode(), body.decode()


# ---- Author records, which carry locators, and mailboxes ---------------------------------------------------

LOCATOR = 1


def author_item(secret, topic, payload, life=3600):
    public, now = ed25519(secret, b"")[0], now_ms()
    out = (b"beckon/record/v1" + overlay_id() + bytes([topic]) + public + struct.pack(">QQIB", now, now, life, 0)
           + struct.pack(">I", len(payload)) + payload)
    return out + ed25519(secret, out)[1]


def author_key(topic, public):
    return sha256(b"key" + overlay_id() + bytes([topic]) + public)[:20]


def payload_of(item):
    """(author's key, payload) of an author record, whose signature must hold."""
    public, size = item[49:81], struct.unpack(">I", item[102:106])[0]
    assert item[:48] == b"beckon/record/v1" + overlay_id() and ed25519_holds(public, item[:-64], item[-64:])
    return public, item[106:106 + size]


def locator(node, address, message_key):
    return b"\x02\x01" + node + bytes([len(address)]) + address.encode() + message_key + bytes(2)  # one host


def mailbox_key(user):
    return sha256(b"mbox" + overlay_id() + user)[:20]


def mailbox_request(secret, node):
    body = ed25519(secret, b"")[0] + struct.pack(">q", now_ms()) + b"\x00"
    return body + ed25519(secret, b"beckon/mbox-fetch/v1" + overlay_id() + node + body)[1]
