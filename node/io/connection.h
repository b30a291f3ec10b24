// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "node/io/tls.h"
#include "node/io/uv.h"
#include "node/service/kernel/frame_splitter.h"

namespace beckon::io {

class Connection;

/// Who hears of a connection. It may call anything on the connection,
/// but must not destroy it inside these.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual void ready(Connection& connection) = 0;  // TLS is done, peer() is proven
  virtual void frame(Connection& connection, const service::FrameView& frame) = 0;
  virtual void over() = 0;  // closed(); perhaps already while it is being made
};

struct ConnectionOptions {
  std::size_t write_queue = 1024 * 1024;
  std::size_t read_pause_at = 256 * 1024;
  Duration read_pause_limit = std::chrono::seconds(1);
  bool paced = false;  // only the owner's flush() sends
};

/// One TCP connection with TLS and frames on it; knows nothing of overlays or peers. Frames are
/// gathered and leave at flush(). When it is over, closed() is true and why() tells; nothing more
/// comes then, and its owner destroys it when convenient.
class Connection {
 public:
  /// Dials. `expected` is the id that must answer, if known.
  Connection(uv::Loop& loop, ConnectionOwner& owner, const TlsContext& tls,
             ConnectionOptions options, const Address& to, Purpose purpose,
             std::optional<chord::Id> expected);
  /// Takes an accepted stream.
  Connection(uv::Loop& loop, ConnectionOwner& owner, const TlsContext& tls,
             ConnectionOptions options, uv::Tcp accepted);

  void send(std::uint8_t type, std::uint64_t request, ByteView body);
  void flush(std::size_t most = SIZE_MAX);  // so many bytes of what was gathered
  void raise_frame_limit() { splitter_.set_limit(chord::max_frame_body); }
  /// While much waits for the peer it is not read from, but not for long: were it to do the same,
  /// both would wait for ever. Called from time to time.
  void end_long_pause(Time now);
  void rest() { tls_.rest(); }   // nothing to do for a while
  void finish();                 // sends what waits and a goodbye; reads on until the peer closes
  void close(const Error& why);  // at once

  bool closed() const { return closed_; }
  const Error& why() const { return why_; }
  bool ready() const { return tls_.state() == TlsSession::State::ready; }
  bool connected() const { return connected_; }  // TCP
  const Proven& peer() const { return tls_.peer(); }
  Purpose purpose() const { return tls_.purpose(); }
  uv::Endpoint remote() const { return tcp_.remote(); }
  bool dialled() const { return dialled_; }
  /// All that waits for the peer, TLS's own answers included: it asks for those at no cost.
  std::size_t queued() const { return plain_.size() + tls_.output().size() + in_kernel_queue_; }
  bool wants_flush() const { return !closed_ && !plain_.empty(); }
  std::optional<Time> frame_since() const {
    return frame_since_;
  }  // an unfinished frame's first byte

  std::uint64_t frames_in() const { return frames_in_; }
  std::uint64_t frames_out() const { return frames_out_; }
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }

 private:
  void resolve(const Address& to);
  void try_next(const Error& last);
  void start_tls();
  void received(int status, ByteView bytes);
  void shake_hands();
  void read_plain();
  void deliver_frames();
  void write_encrypted();
  void written(int status);
  void limit_queue();
  void pause_or_read();
  void say_goodbye();

  uv::Loop& loop_;
  ConnectionOwner& owner_;
  ConnectionOptions options_;
  bool dialled_;
  uv::Tcp tcp_;
  uv::Resolver resolver_;
  std::vector<uv::Endpoint> candidates_{};  // still to try, last first
  TlsSession tls_;
  service::FrameSplitter splitter_{4 * 1024};
  Bytes plain_{};
  std::size_t in_kernel_queue_ = 0;  // encrypted bytes libuv holds for us
  bool writing_ = false;
  bool connected_ = false;
  bool reading_ = false;
  bool reads_on_ = false;  // though more waits than read_pause_at
  Time stopped_{};         // reading, when it is
  bool finishing_ = false;
  bool said_goodbye_ = false;
  bool closed_ = false;
  Error why_{};
  std::optional<Time> frame_since_{};
  std::uint64_t frames_in_ = 0, frames_out_ = 0, bytes_in_ = 0, bytes_out_ = 0;
};

}  // namespace beckon::io
