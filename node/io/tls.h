// SPDX-License-Identifier: MIT
#pragma once

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>

#include "node/io/certificate.h"

namespace beckon::io {

struct FreeContext {
  void operator()(SSL_CTX* c) const noexcept;
};
struct FreeSession {
  void operator()(SSL* s) const noexcept;
};

/// What all TLS sessions of a node share: TLS 1.3 and nothing else, our certificate, and the
/// judgement over the other side's. `trust` is read at every handshake and outlives all sessions.
class TlsContext {
 public:
  using Clock = WallTime (*)();
  TlsContext(const Identity& self, const Trust& trust, Clock clock);

 private:
  friend class TlsSession;
  std::unique_ptr<SSL_CTX, FreeContext> context_;
  const Trust* trust_;
  Clock clock_;
};

/// One TLS connection without a socket: bytes from the network go in by receive(), bytes for it
/// wait in output(). Neither is copied on the way through OpenSSL. After an error it is of no use;
/// failure() says why.
class TlsSession {
 public:
  enum class Side : std::uint8_t { dialler, acceptor };
  enum class State : std::uint8_t { handshaking, ready, ended, failed };

  /// `expected`: the id the other side must prove. An acceptor takes the purpose its peer asks for.
  TlsSession(const TlsContext& context, Side side, Purpose purpose,
             std::optional<chord::Id> expected = std::nullopt);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// Borrows the bytes: they stay until advance() and read() have used them up, that is until
  /// read() returns 0.
  void receive(ByteView encrypted) { incoming_ = encrypted; }
  State advance();  // continues the handshake
  /// Decrypts into `out`; 0 when more must be received first, or the session ended or failed.
  std::size_t read(std::span<std::uint8_t> out);
  void write(ByteView plain);
  void close();                                  // says goodbye; reading goes on
  ByteView output() const { return outgoing_; }  // encrypted, for the network
  void output_taken() { outgoing_.clear(); }
  void rest();  // gives up buffers, some 50 KiB, until there is something to do

  State state() const { return state_; }
  const Proven& peer() const { return *peer_; }  // when ready
  Purpose purpose() const { return purpose_; }
  const Error& failure() const { return failure_; }

 private:
  friend struct TlsCallbacks;
  friend struct TlsPipe;
  State fail(const std::string& doing);

  const Trust* trust_;
  TlsContext::Clock clock_;
  std::unique_ptr<SSL, FreeSession> ssl_;
  ByteView incoming_{};
  Bytes outgoing_{};
  Side side_;
  Purpose purpose_;
  State state_ = State::handshaking;
  std::optional<chord::Id> expected_;
  std::optional<Proven> peer_{};
  Error failure_{};
};

}  // namespace beckon::io
