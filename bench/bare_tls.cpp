// SPDX-License-Identifier: MIT
#include "bench/bare_tls.h"

#include <cstdlib>

#include "node/io/certificate.h"
#include "node/io/uv.h"

namespace beckon::bench {

namespace {

constexpr std::size_t buffer_size = 64 * 1024;

}  // namespace

std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> bare_context() {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> out(SSL_CTX_new(TLS_method()), SSL_CTX_free);
  io::Identity self = io::new_identity();
  auto certificate = io::make_certificate(self, io::uv::wall_now());
  auto key = io::private_key(self.seed);
  SSL_CTX_set_min_proto_version(out.get(), TLS1_3_VERSION);
  SSL_CTX_use_certificate(out.get(), certificate.get());
  SSL_CTX_use_PrivateKey(out.get(), key.get());
  SSL_CTX_set_num_tickets(out.get(), 0);
  SSL_CTX_set_verify(out.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(
      out.get(), [](X509_STORE_CTX*, void*) { return 1; }, nullptr);
  return out;
}

BareStream::BareStream(uv_loop_t* loop, SSL_CTX* context, bool server)
    : tcp_(std::make_unique<uv_tcp_t>()), ssl_(SSL_new(context), SSL_free), buffer_(buffer_size) {
  uv_tcp_init(loop, tcp_.get());
  tcp_->data = this;
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  server ? SSL_set_accept_state(ssl_.get()) : SSL_set_connect_state(ssl_.get());
}

std::unique_ptr<BareStream> BareStream::connect(uv_loop_t* loop, SSL_CTX* context, int port,
                                                Ready ready, Heard heard) {
  std::unique_ptr<BareStream> out(new BareStream(loop, context, false));
  out->ready_ = std::move(ready);
  out->heard_ = std::move(heard);
  sockaddr_in to{};
  uv_ip4_addr("127.0.0.1", port, &to);
  out->connect_.data = out.get();
  uv_tcp_connect(&out->connect_, out->tcp_.get(), reinterpret_cast<sockaddr*>(&to),
                 [](uv_connect_t* request, int status) {
                   if (status != 0) std::abort();
                   static_cast<BareStream*>(request->data)->begin();
                 });
  return out;
}

std::unique_ptr<BareStream> BareStream::accept(uv_stream_t* door, SSL_CTX* context, Heard heard) {
  std::unique_ptr<BareStream> out(new BareStream(door->loop, context, true));
  out->heard_ = std::move(heard);
  uv_accept(door, reinterpret_cast<uv_stream_t*>(out->tcp_.get()));
  out->begin();
  return out;
}

void BareStream::begin() {
  uv_tcp_nodelay(tcp_.get(), 1);
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(tcp_.get()),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* out) {
        auto& buffer = static_cast<BareStream*>(handle->data)->buffer_;
        *out = uv_buf_init(buffer.data(), static_cast<unsigned>(buffer.size()));
      },
      [](uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
        if (count <= 0) return;
        static_cast<BareStream*>(stream->data)
            ->received(buffer->base, static_cast<std::size_t>(count));
      });
  SSL_do_handshake(ssl_.get());
  flush();
}

void BareStream::received(const char* data, std::size_t size) {
  BIO_write(SSL_get_rbio(ssl_.get()), data, static_cast<int>(size));
  if (!shaken_) {
    shaken_ = SSL_do_handshake(ssl_.get()) == 1;
    flush();
    if (shaken_ && ready_) ready_(*this);
  }
  char plain[16 * 1024];
  std::size_t count = 0;
  while (shaken_ && SSL_read_ex(ssl_.get(), plain, sizeof plain, &count) == 1)
    heard_(*this, plain, count);
  flush();
}

void BareStream::write(const char* data, std::size_t size) {
  plain_.insert(plain_.end(), data, data + size);
}

void BareStream::flush() {
  std::size_t count = 0;
  if (!plain_.empty()) SSL_write_ex(ssl_.get(), plain_.data(), plain_.size(), &count);
  plain_.clear();
  char* data = nullptr;
  long size = BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &data);
  while (size > 0) {  // the depths measured here never fill the socket for long
    uv_buf_t buffer = uv_buf_init(data, static_cast<unsigned>(size));
    int taken = uv_try_write(reinterpret_cast<uv_stream_t*>(tcp_.get()), &buffer, 1);
    if (taken < 0 && taken != UV_EAGAIN) return;
    data += std::max(taken, 0);
    size -= std::max(taken, 0);
  }
  (void)BIO_reset(SSL_get_wbio(ssl_.get()));
}

void BareStream::close() {
  tcp_->data = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(tcp_.release()), [](uv_handle_t* handle) {
    std::unique_ptr<uv_tcp_t> owned(reinterpret_cast<uv_tcp_t*>(handle));
  });
}

}  // namespace beckon::bench
