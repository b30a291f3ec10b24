#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""When an Ed25519 signature holds (docs/protocol.md, "Signatures"), in whole numbers and from the page alone.

    signatures.py      prints the vectors "signatures" of vectors.json: signatures that only an odd key can make
"""
import hashlib
import json

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SMALL = (0, 1, P - 1,  # the y of the eight points whose order divides 8
         0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826,
         0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7)


def number(data):
    return int.from_bytes(data, "little")


def add(p, q):
    (a, b), (c, d) = p, q
    t = D * a * b * c * d % P
    return (a * d + b * c) * pow(1 + t, -1, P) % P, (b * d + a * c) * pow(1 - t, -1, P) % P


def times(n, p):
    out = 0, 1
    while n:
        out, p, n = add(out, p) if n & 1 else out, add(p, p), n >> 1
    return out


def encode(p):
    return (p[1] | (p[0] & 1) << 255).to_bytes(32, "little")


def decode(data):
    """The point, or None if there is none with this y."""
    sign, y = divmod(number(data), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    return ((x if x & 1 == sign else P - x) % P, y) if x * x % P == square else None


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def challenge(r, key, message):
    return number(hashlib.sha512(r + key + message).digest()) % L


def ed25519_holds(key, message, signature):
    r, s = signature[:32], number(signature[32:])
    ys = [number(point) % 2**255 for point in (key, r)]
    a = decode(key)
    if s >= L or max(ys) >= P or any(y in SMALL for y in ys) or a is None:
        return False
    minus_a = -a[0] % P, a[1]
    return encode(add(times(s, BASE), times(challenge(r, key, message), minus_a))) == r


def vectors():
    """[what, key, message, signature, whether it holds]"""
    torsion = decode(SMALL[3].to_bytes(32, "little"))  # of order 8
    secret, nonce, none = 0x1234567890abcdef << 180, 0xfedcba0987654321 << 184, (0, 1)
    plain = times(secret, BASE)
    out = []

    def put(what, key, message, r, s):
        signature = r + s.to_bytes(32, "little")
        out.append([what, key.hex(), message.hex(), signature.hex(), ed25519_holds(key, message, signature)])

    def signed(what, a, secret, r, nonce, key=None, wanted=lambda k: True):
        """With the first message whose challenge is wanted. key: another spelling of a."""
        key, r = key or encode(a), r if isinstance(r, bytes) else encode(r)
        message = next(m for m in (b"%d" % i for i in range(1000)) if wanted(challenge(r, key, m)))
        s = (nonce + challenge(r, key, message) * secret) % L
        put(what, key, message, r, s)
        return key, message, r, s

    def high(y, sign=1):
        return (y | sign << 255).to_bytes(32, "little")

    usual = times(nonce, BASE)
    key, message, r, s = signed("an ordinary signature", plain, secret, usual, nonce)
    put("S + L", key, message, r, s + L)
    put("the same for another message", key, message + b"!", r, s)
    signed("r = 0, so R is the neutral point", plain, secret, none, 0)
    signed("R is the neutral point, its sign bit set", plain, secret, high(1), 0)
    signed("R is the neutral point, written as p + 1", plain, secret, high(P + 1, 0), 0)
    for i in range(8):
        signed("A is [%d] of a point of order 8" % i, times(i, torsion), 0, usual, nonce, wanted=lambda k: k % 8 == 0)
    signed("A is the neutral point, its sign bit set", none, 0, usual, nonce, high(1))
    signed("A is the neutral point, written as p + 1", none, 0, usual, nonce, high(P + 1, 0))
    signed("A is the point y = 0, written as p", (0, 0), 0, usual, nonce, high(P, 0), lambda k: k % 4 == 0)
    signed("no point has the y of A", none, 0, usual, nonce, high(2, 0))
    mixed, shifted = add(plain, torsion), add(usual, torsion)
    signed("A has a part of order 8 that the challenge cancels", mixed, secret, usual, nonce, wanted=lambda k: k % 8 == 0)
    signed("A has a part of order 8: holds only with the cofactor", mixed, secret, usual, nonce, wanted=lambda k: k % 8 == 1)
    signed("R has a part of order 8: holds only with the cofactor", plain, secret, shifted, nonce)
    signed("the parts of order 8 of A and R cancel", mixed, secret, shifted, nonce, wanted=lambda k: k % 8 == 7)
    return out


if __name__ == "__main__":
    print(",\n".join(" " + json.dumps(vector, separators=(",", ":")) for vector in vectors()))
