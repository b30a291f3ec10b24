// SPDX-License-Identifier: MIT
#include "node/io/connection.h"

#include <fmt/core.h>

#include <algorithm>

namespace beckon::io {

namespace {

constexpr std::size_t flush_at = 64 * 1024;  // do not let one turn of the loop gather more

}  // namespace

Connection::Connection(uv::Loop& loop, ConnectionOwner& owner, const TlsContext& tls,
                       ConnectionOptions options, const Address& to, Purpose purpose,
                       std::optional<chord::Id> expected)
    : loop_(loop),
      owner_(owner),
      options_(options),
      dialled_(true),
      tcp_(loop),
      tls_(tls, TlsSession::Side::dialler, purpose, expected) {
  resolve(to);
}

Connection::Connection(uv::Loop& loop, ConnectionOwner& owner, const TlsContext& tls,
                       ConnectionOptions options, uv::Tcp accepted)
    : loop_(loop),
      owner_(owner),
      options_(options),
      dialled_(false),
      tcp_(std::move(accepted)),
      tls_(tls, TlsSession::Side::acceptor, Purpose::link) {
  start_tls();
}

void Connection::resolve(const Address& to) {
  if (auto numeric = uv::Endpoint::numeric(to.host, to.port)) {
    candidates_ = {*numeric};
    try_next(Error{});
    return;
  }
  auto started = resolver_.start(loop_, to.host, to.port, [this](auto found) {
    if (!found) return close(found.error());
    candidates_.assign(found->rbegin(), found->rend());
    try_next(Error{ErrorCode::unavailable, "host has no address"});
  });
  if (!started) close(started.error());
}

void Connection::try_next(const Error& last) {
  if (candidates_.empty()) return close(last);
  uv::Endpoint to = candidates_.back();
  candidates_.pop_back();
  tcp_ = uv::Tcp(loop_);  // a stream that failed to connect cannot try again
  tcp_.connect(to, [this, to](int status) {
    if (closed_) return;
    if (status == 0) return start_tls();
    try_next(uv::error_of(status, "cannot connect to " + to.text()));
  });
}

void Connection::start_tls() {
  connected_ = true;
  reading_ = true;
  tcp_.read_start([this](int status, ByteView bytes) { received(status, bytes); });
  shake_hands();
}

void Connection::received(int status, ByteView bytes) {
  if (closed_) return;
  if (status < 0) {
    return close(status == UV_EOF ? Error{ErrorCode::unavailable, "the peer closed the connection"}
                                  : uv::error_of(status, "the connection broke"));
  }
  bytes_in_ += bytes.size();
  tls_.receive(bytes);
  if (!ready()) shake_hands();
  if (!closed_ && ready()) read_plain();
  // Answers to what has just been read, all at once and without waiting for the turn's end; those
  // that TLS gives by itself, to a KeyUpdate, come without any of ours.
  flush();
  write_encrypted();
  limit_queue();
  pause_or_read();
}

void Connection::shake_hands() {
  TlsSession::State state = tls_.advance();
  write_encrypted();  // the alert of a failure, too
  if (closed_) return;
  if (state == TlsSession::State::failed) return close(tls_.failure());
  if (state == TlsSession::State::ready) owner_.ready(*this);
}

void Connection::read_plain() {
  thread_local Bytes buffer(16 * 1024);  // one TLS record
  while (!closed_) {
    std::size_t count = tls_.read(buffer);
    if (count == 0) break;
    splitter_.feed(ByteView(buffer).first(count));
    deliver_frames();
  }
  if (closed_) return;
  if (tls_.state() == TlsSession::State::failed) {
    write_encrypted();
    return close(tls_.failure());
  }
  if (tls_.state() == TlsSession::State::ended) {
    return close(Error{ErrorCode::unavailable, "the peer closed the connection"});
  }
  if (!splitter_.partial()) {
    frame_since_.reset();
  } else if (!frame_since_) {
    frame_since_ = loop_.now();
  }
}

void Connection::deliver_frames() {
  while (!closed_) {
    auto frame = splitter_.next();
    if (!frame) return close(frame.error());
    if (!*frame) return;
    frame_since_.reset();
    ++frames_in_;
    owner_.frame(*this, **frame);
  }
}

void Connection::send(std::uint8_t type, std::uint64_t request, ByteView body) {
  if (closed_ || finishing_) return;
  service::append_frame(plain_, type, request, body);
  ++frames_out_;
  if (plain_.size() >= flush_at && !options_.paced) flush();
  limit_queue();
}

void Connection::limit_queue() {
  if (closed_ || queued() <= options_.write_queue) return;
  close(Error{ErrorCode::unavailable,
              fmt::format("the peer reads too slowly: {} bytes wait for it", queued())});
}

void Connection::flush(std::size_t most) {
  if (closed_ || plain_.empty() || writing_ || !ready()) return;
  std::size_t size = std::min(most, plain_.size());
  tls_.write(ByteView(plain_).first(size));
  plain_.erase(plain_.begin(), plain_.begin() + static_cast<std::ptrdiff_t>(size));
  if (plain_.empty() && plain_.capacity() > flush_at) plain_ = {};
  write_encrypted();
}

void Connection::write_encrypted() {
  if (closed_ || writing_) return;
  ByteView out = tls_.output();
  if (out.empty()) return;
  bytes_out_ += out.size();
  auto done = tcp_.write(out, [this](int status) { written(status); });
  if (!done) return close(done.error());
  writing_ = !*done;
  in_kernel_queue_ = writing_ ? out.size() : 0;
  tls_.output_taken();
  pause_or_read();
}

void Connection::written(int status) {
  if (closed_) return;
  if (status < 0) return close(uv::error_of(status, "the connection broke"));
  writing_ = false;
  in_kernel_queue_ = 0;
  if (!options_.paced) flush();
  write_encrypted();
  if (finishing_) say_goodbye();
  pause_or_read();
}

void Connection::pause_or_read() {
  if (closed_ || !connected_) return;
  bool full = queued() > options_.read_pause_at;
  if (!full) reads_on_ = false;
  bool wanted = !full || reads_on_;
  if (wanted == reading_) return;
  reading_ = wanted;
  if (wanted) {
    tcp_.read_start({});
  } else {
    stopped_ = loop_.now();
    tcp_.read_stop();
  }
}

void Connection::end_long_pause(Time now) {
  if (closed_ || !connected_ || reading_ || now - stopped_ < options_.read_pause_limit) return;
  reads_on_ = true;
  pause_or_read();
}

void Connection::finish() {
  if (closed_ || finishing_) return;
  flush();
  finishing_ = true;
  say_goodbye();
}

/// Closing at once could make the kernel throw away what the peer has not read yet. So we only say
/// that nothing more comes; the peer closes, and its end of stream ends ours.
void Connection::say_goodbye() {
  if (closed_ || writing_ || !plain_.empty() || said_goodbye_) return;
  said_goodbye_ = true;
  tls_.close();
  write_encrypted();
}

void Connection::close(const Error& why) {
  if (closed_) return;
  closed_ = true;
  why_ = why;
  if (connected_) tcp_.read_stop();
  owner_.over();
}

}  // namespace beckon::io
