// SPDX-License-Identifier: MIT
#pragma once

#include <openssl/ssl.h>
#include <uv.h>

#include <functional>
#include <memory>
#include <vector>

namespace beckon::bench {

/// The rival of bench_rpc: TLS 1.3 by OpenSSL over memory BIOs on libuv's C interface, with mutual
/// Ed25519 certificates and nothing else: no frames, no peers, no limits, no time-outs.
class BareStream {
 public:
  using Heard = std::function<void(BareStream&, const char* data, std::size_t size)>;
  using Ready = std::function<void(BareStream&)>;

  static std::unique_ptr<BareStream> connect(uv_loop_t* loop, SSL_CTX* context, int port,
                                             Ready ready, Heard heard);
  static std::unique_ptr<BareStream> accept(uv_stream_t* door, SSL_CTX* context, Heard heard);
  void write(const char* data, std::size_t size);  // leaves at flush()
  void flush();
  void close();

 private:
  BareStream(uv_loop_t* loop, SSL_CTX* context, bool server);
  void begin();
  void received(const char* data, std::size_t size);
  std::unique_ptr<uv_tcp_t> tcp_;
  uv_connect_t connect_{};
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  std::vector<char> plain_{};
  std::vector<char> buffer_;
  Ready ready_{};
  Heard heard_{};
  bool shaken_ = false;
};

std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> bare_context();

}  // namespace beckon::bench
