# SPDX-License-Identifier: MIT
"""A node that dials, greets, asks and answers (docs/protocol.md), on Python's ssl. It does not listen."""
import hashlib
import os
import pathlib
import queue
import select
import socket
import ssl
import struct
import tempfile
import threading
import time

from records import ed25519
from schema import overlay_id

SPKI = bytes.fromhex("302a300506032b6570032100")
HELLO, HELLO_ACK, REFUSED, ALIVE, STATE_REQ, STATE_REP, RING_ERROR, ERROR = 0x01, 0x02, 0x03, 0x07, 0x08, 0x09, 0x1F, 0x20


def node_id(public_key):
    return hashlib.sha256(b"id" + SPKI + public_key).digest()[:20]


# ---- The certificate: self-signed, one private extension ---------------------------------------------

def der(tag, *parts):
    body = b"".join(parts)
    size = bytes([len(body)]) if len(body) < 128 else bytes([0x82]) + struct.pack(">H", len(body))
    return bytes([tag]) + size + body


def oid(*arcs):
    out = b""
    for arc in (arcs[0] * 40 + arcs[1], *arcs[2:]):
        digits = [arc & 127]
        while arc := arc >> 7:
            digits.append(arc & 127 | 128)
        out += bytes(reversed(digits))
    return der(0x06, out)


def certificate(secret):
    public, _ = ed25519(secret, b"")
    algorithm = der(0x30, oid(1, 3, 101, 112))
    name = der(0x30, der(0x31, der(0x30, oid(2, 5, 4, 3), der(0x0C, b"stranger"))))
    moment = lambda at: der(0x17, time.strftime("%y%m%d%H%M%SZ", time.gmtime(at)).encode())
    solved = der(0x04, bytes([2]) + bytes(8))  # an open overlay without a puzzle
    extension = der(0x30, oid(2, 25, 268941137046718409387719032866520017141), der(0x04, solved))
    body = der(0x30, der(0xA0, der(0x02, b"\x02")), der(0x02, b"\x01"), algorithm, name,
               der(0x30, moment(time.time() - 3600), moment(time.time() + 86400)), name, SPKI + public,
               der(0xA3, der(0x30, extension)))
    return der(0x30, body, algorithm, der(0x03, b"\x00" + ed25519(secret, body)[1]))


def tls_context(secret):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the peer is judged by its Node-ID, below
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["beckon/1"])
    with tempfile.TemporaryDirectory() as folder:
        both = pathlib.Path(folder) / "stranger.pem"
        key = bytes.fromhex("302e020100300506032b657004220420") + secret
        both.write_text(ssl.DER_cert_to_PEM_cert(certificate(secret))
                        + ssl.DER_cert_to_PEM_cert(key).replace("CERTIFICATE", "PRIVATE KEY"))
        context.load_cert_chain(both)
    return context


# ---- The greeting ------------------------------------------------------------------------------------

VERSION, FIELD_SCHEMA, FIELD_RANDOM = 2, 2, 0x80
SIGNED = {0x41, 0x43}  # DELIVER and MAILBOX: exact


def field(kind, value):
    return struct.pack(">BH", kind, len(value)) + value


def greeting(newest=VERSION, oldest=VERSION, capabilities=0, fields=None, behind=b""):
    """HELLO; `fields` are encoded ones."""
    if fields is None:
        fields = [field(FIELD_SCHEMA, struct.pack(">I", 1)), field(FIELD_RANDOM + os.urandom(1)[0] % 128, os.urandom(9))]
    return (bytes([newest, oldest]) + overlay_id() + struct.pack(">QQB", int(time.time() * 1000), capabilities, len(fields))
            + b"".join(fields) + behind)


def read_greeting(body):
    """(newest, oldest, capabilities, {type: [values]}) and what stands behind."""
    newest, oldest = body[:2]
    capabilities, count = struct.unpack(">QB", body[42:51])
    fields, at = {}, 51
    for _ in range(count):
        kind, size = struct.unpack(">BH", body[at:at + 3])
        fields.setdefault(kind, []).append(body[at + 3:at + 3 + size])
        at += 3 + size
    assert at <= len(body) and body[2:34] == overlay_id()
    return newest, oldest, capabilities, fields


def read_refusal(body):
    """(code, text, cure)"""
    code, at, words = struct.unpack(">H", body[:2])[0], 2, []
    for _ in range(2):
        words.append(body[at + 1:at + 1 + body[at]].decode())
        at += 1 + body[at]
    return code, *words


class Refused(Exception):
    """(code, text, cure)"""


class Today:
    """How a node of this version talks."""

    def hello(self):
        return greeting()

    def grown(self, kind, body):
        """A body with what this node adds at its end."""
        return body


class Older(Today):
    """Says as little as may be: the first node of version 2."""

    def hello(self):
        return greeting(fields=[])


class Newer(Today):
    """Speaks later versions too, and adds to everything."""

    def hello(self):
        return greeting(newest=7, capabilities=2 ** 64 - 1, behind=b"more",
                        fields=[field(FIELD_SCHEMA, struct.pack(">I", 1) + b"longer"), field(9, b"new"), field(9, b"again"),
                                field(120, bytes(500))])

    def grown(self, kind, body):
        return body if kind in SIGNED else body + b"\x00\x05added"


class Garbage(Newer):
    """The same with anything at all where additions may be."""

    def hello(self):
        noise = [field(4 + os.urandom(1)[0] % 252, os.urandom(os.urandom(1)[0])) for _ in range(9)]
        return greeting(newest=255, capabilities=int.from_bytes(os.urandom(8), "big"), fields=noise, behind=os.urandom(700))

    def grown(self, kind, body):
        return body if kind in SIGNED else body + os.urandom(os.urandom(1)[0])


# ---- A link ------------------------------------------------------------------------------------------

class Link:
    """One open link. `serve(type, body)` answers the peer's requests with (type, body), or None."""

    def __init__(self, secret, address, serve, timeout=10, manner=None):
        host, port = address.rsplit(":", 1)
        plain = socket.create_connection((host, int(port)), timeout)
        self.socket = tls_context(secret).wrap_socket(plain)
        shown = self.socket.getpeercert(binary_form=True)
        at = shown.index(SPKI) + len(SPKI)
        self.peer = node_id(shown[at:at + 32])
        self.address, self.serve, self.timeout = address, serve, timeout
        self.lock, self.waiting, self.last, self.unread = threading.Lock(), {}, 0, b""
        self.manner = manner or Today()
        self.send(HELLO, 1, self.manner.hello())
        kind, _, body = self.receive()
        if kind == REFUSED:
            self.socket.close()
            raise Refused(*read_refusal(body))
        assert kind == HELLO_ACK, f"answered by {kind}"
        self.greeted = read_greeting(body)
        self.socket.settimeout(None)
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def send(self, kind, request, body):
        with self.lock:
            self.socket.sendall(struct.pack(">IBQ", 9 + len(body), kind, request) + body)

    def exactly(self, size):
        while len(self.unread) < size:
            if not self.socket.pending():
                select.select([self.socket], [], [])
            with self.lock:  # OpenSSL wants one thread at a time on a connection
                more = self.socket.recv(65536)
            if not more:
                raise ConnectionError("the peer has closed the link")
            self.unread += more
        out, self.unread = self.unread[:size], self.unread[size:]
        return out

    def receive(self):
        size, kind, request = struct.unpack(">IBQ", self.exactly(13))
        return kind, request, self.exactly(size - 9)

    def listen(self):
        try:
            while True:
                kind, request, body = self.receive()
                if request in self.waiting:
                    self.waiting[request].put((kind, body))
                elif kind == ALIVE:
                    if body == b"\x00":
                        self.send(ALIVE, request, b"\x01")
                elif request and kind < 0x20:  # of the ring, which we are not on
                    self.send(RING_ERROR, request, self.manner.grown(RING_ERROR, b"\x01\x02" + bytes(4)))
                elif request and kind % 2:
                    answer = self.serve(kind, body) or (ERROR, bytes([14]) + bytes(4) + b"\x00")
                    self.send(answer[0], request, self.manner.grown(*answer))
        except OSError:
            pass

    def close(self):
        """The listener is awake again before the descriptor goes: it could be another file's by then."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.listener.join()
        self.socket.close()

    def ask(self, kind, body):
        """The body of the reply."""
        self.last += 1
        request = self.last | (1 << 63 if kind < 0x20 else 0)
        self.waiting[request] = queue.Queue()
        self.send(kind, request, self.manner.grown(kind, body))
        replied, answer = self.waiting[request].get(timeout=self.timeout)
        del self.waiting[request]
        assert replied == kind + 1, f"{kind:#x} was answered by {replied:#x} {answer.hex()}"
        return answer

    def raw_ask(self, kind, request, body):
        """(type, body) of whatever answers."""
        self.waiting[request] = queue.Queue()
        self.send(kind, request, body)
        answer = self.waiting[request].get(timeout=self.timeout)
        del self.waiting[request]
        return answer

    def ring(self):
        """[(id, address)] of the successors that the peer names, itself first."""
        body = self.ask(STATE_REQ, b"\x01")
        at = 10  # version, mode, epoch

        def one(at):
            end = at + 21 + body[at + 20]
            return (body[at:at + 20], body[at + 21:end].decode()), end

        if body[at]:
            _, at = one(at + 1)
        else:
            at += 1
        out, count, at = [(self.peer, self.address)], body[at], at + 1
        for _ in range(count):
            peer, at = one(at)
            out.append(peer)
        return out
