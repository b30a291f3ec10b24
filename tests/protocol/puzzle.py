# SPDX-License-Identifier: MIT
"""The identity puzzle of open overlays, written from docs/protocol.md."""
from schema import overlay_id, sha256

ED25519_KEY = bytes.fromhex("302a300506032b6570032100")  # what X.509 writes before the 32 bytes of a key


def zero_bits(key, solution):
    """How hard a puzzle this is a solution of, in the built-in overlay."""
    digest = sha256(b"puzzle" + overlay_id() + ED25519_KEY + key + solution.to_bytes(8, "big"))
    return 256 - int.from_bytes(digest, "big").bit_length()


def first_solution(key, bits):
    solution = 0
    while zero_bits(key, solution) < bits:
        solution += 1
    return solution
