# SPDX-License-Identifier: MIT
"""Filters and signed records (docs/protocol-index.md 3, 4).

XXH3 comes from libxxhash, Ed25519 from libcrypto.
"""
import ctypes
import struct

from schema import CLASSES, OWN_SLOT, SALT, attribute_at, attribute_of, pieces, slot_of, space_of

M32, M64 = 2**32 - 1, 2**64 - 1

xxhash = ctypes.CDLL("libxxhash.so.0")


class Xxh128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
xxhash.XXH3_128bits.restype = Xxh128
xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def counted32(data):
    return struct.pack(">I", len(data)) + data


def text_seed(name, folded):
    data = b"\x01" + counted32(SALT) + counted32(name.encode()) + folded.encode()
    h = xxhash.XXH3_128bits(data, len(data))
    return h.high, h.low


def attribute_seed(space_name):
    data = b"\x00" + counted32(SALT) + counted32(space_name.encode())
    return xxhash.XXH3_64bits(data, len(data))


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


POINT, RANGE = 2, 3


def group_seed(seed, kind, group):
    key = seed + kind * 0xD6E8FEB86659FD93 & M64
    low = mix(key + group * 0x9E3779B97F4A7C15 & M64)
    high = mix(((key << 32 | key >> 32) & M64) ^ (group + 0xA0761D6478BD642F & M64))
    return high, low


def word(seed, j):
    high, low = seed
    x = (low & M32) + j * 0x9E3779B9 & M32
    x = (x ^ x >> 16) * 0x7FEB352D & M32
    x ^= low >> 32
    x = (x ^ x >> 15) * 0x846CA68B & M32
    x = x + (high & M32) & M32
    return x ^ x >> 16 ^ high >> 32


def shape(cls, slot, kind):
    """(d, s)"""
    a = attribute_at(slot)
    return (a["point_group"], CLASSES[cls]["k"]) if kind == POINT else CLASSES[cls]["slots"][a["name"]]


def row(cls, slot, seed, kind, lo, hi):
    """The words of a number's groups, and the distance at which windows of k begin."""
    k = CLASSES[cls]["k"]
    d, s = shape(cls, slot, kind)
    first, more = lo // d, hi // d - lo // d
    count = more * s + k
    words = lambda: [word(group_seed(seed, kind, first + i // s & M64), i % s) for i in range(count)]
    return more, s, count, words


def elements(profile):
    """(presence, slots with texts, text seeds, numbers (seed, slot, kind, lo, hi, scope))."""
    presence, text_slots, texts, numbers = 0, set(), [], []
    for name, values in profile:
        a, slot = attribute_of(name), slot_of(name)
        presence |= 1 << slot
        if slot == OWN_SLOT:
            texts.append(text_seed(name, ""))
        for val in values:
            if val[0] and a["type"] != "ip":
                texts.append(text_seed(name, val[0]))
                text_slots.add(slot)
            if val[1] is None:
                continue
            space = space_of(name, val)
            scope = float(space[2] - space[1] + 1)
            if a["type"] in ("hybrid", "any"):
                scope = 100.0
                while scope <= max(map(abs, val[1])):
                    scope *= 10
            kind = POINT if val[1][0] == val[1][1] else RANGE
            for lo, hi in pieces(space, val):
                numbers.append((attribute_seed(space[0]), slot, kind, lo, hi, scope))
    return presence, text_slots, texts, numbers


def open_slots(found, cls):
    return {n[1] for n in found[3] if row(cls, n[1], n[0], n[2], n[3], n[4])[2] > 256}


def word_set(found, cls):
    """All words of a profile's elements; their remainders are the filter of any length."""
    out = {word(seed, j) for seed in found[2] for j in range(CLASSES[cls]["k"])}
    skipped = open_slots(found, cls)
    for seed, slot, kind, lo, hi, _ in found[3]:
        if slot not in skipped:
            out.update(row(cls, slot, seed, kind, lo, hi)[3]())
    return out


LENGTHS = [64, 96, 128, 192, 256, 384, 512, 768, 1536]


def filter_of(words, bits):
    out = bytearray(bits // 8)
    for w in words:
        out[w % bits // 8] |= 1 << w % bits % 8
    return bytes(out)


def ones(data):
    return sum(byte.bit_count() for byte in data)


def number_rate(scope, width, k, d, s, q):
    outside = scope - width
    if outside <= 0:
        return 0.0
    left, wrong = outside, min(outside, d - 1)
    left -= wrong
    for i in range(1, (k - 1) // s + 1):
        zone = min(left, 2 * d)
        left -= zone
        wrong += zone * q ** (i * s)
    return (wrong + left * q**k) / outside


def total_rate(found, cls, q):
    k, skipped = CLASSES[cls]["k"], open_slots(found, cls)
    total = len(found[1]) * q**k
    for _, slot, kind, lo, hi, scope in found[3]:
        if slot in skipped:
            continue
        total += number_rate(scope, hi - lo + 1.0, k, *shape(cls, slot, kind), q) + q**k
    return total


def choose(found):
    """What Beckon's publisher takes: (class, filter)."""
    fewest = min(len(open_slots(found, c)) for c in range(8))
    classes = {c: word_set(found, c) for c in range(8) if len(open_slots(found, c)) == fewest}
    best = None
    for bits in LENGTHS:
        for cls, words in classes.items():
            made = filter_of(words, bits)
            rate = total_rate(found, cls, ones(made) / bits)
            if best is None or rate < best[0]:
                best = rate, cls, made
        if best[0] <= 5.5e-3:
            break
    return best[1:]


crypto = ctypes.CDLL("libcrypto.so.3")
for function in ("EVP_PKEY_new_raw_private_key", "EVP_PKEY_new_raw_public_key", "EVP_MD_CTX_new"):
    getattr(crypto, function).restype = ctypes.c_void_p


def ed25519(secret, message):
    """(public key, signature)"""
    key = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_private_key(1087, None, secret, ctypes.c_size_t(32)))
    public, signature = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
    size = ctypes.c_size_t(32)
    assert crypto.EVP_PKEY_get_raw_public_key(key, public, ctypes.byref(size)) == 1
    context, size = ctypes.c_void_p(crypto.EVP_MD_CTX_new()), ctypes.c_size_t(64)
    assert crypto.EVP_DigestSignInit(context, None, None, None, key) == 1
    assert crypto.EVP_DigestSign(context, signature, ctypes.byref(size), message, ctypes.c_size_t(len(message))) == 1
    crypto.EVP_MD_CTX_free(context)
    crypto.EVP_PKEY_free(key)
    return public.raw, signature.raw


def record(person, found, cls, made, withdrawn=False):
    secret, address = bytes.fromhex(person["secret"]), person["address"].encode()
    out = bytes([2, withdrawn, 0]) + ed25519(secret, b"")[0] + bytes.fromhex(person["message_key"])
    out += b"\x01" + bytes.fromhex(person["host"]) + bytes([len(address)]) + address  # one host
    out += struct.pack(">QI", person["version"], person["expiry"])
    if withdrawn:
        out += bytes(12) + bytes([255])
    else:
        opened = sum(1 << slot for slot in open_slots(found, cls))
        out += struct.pack(">II", found[0], opened) + CLASSES[cls]["name"]
        out += bytes([LENGTHS.index(len(made) * 8)]) + made
    out += bytes(2)  # no additions
    return out + ed25519(secret, b"beckon/record/v2" + SALT + out)[1]
