// SPDX-License-Identifier: MIT
#pragma once

#include <openssl/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "node/io/tls.h"
#include "node/io/uv.h"
#include "node/service/admission/hello.h"

namespace beckon::io::test {

/// What a stranger shows: any certificate, with any key, or none at all.
struct Papers {
  PrivateKeyPtr key{};
  CertificatePtr certificate{};
  CertificatePtr second{};  // makes a chain of two
};

enum class KeyKind : std::uint8_t { ed25519, p256, rsa };

/// How to forge them.
struct Forgery {
  KeyKind kind = KeyKind::ed25519;
  Identity self = new_identity();  // whose key, for Ed25519
  std::string common_name = "beckon";
  long from_day = -1;
  long to_day = 30;
  Bytes extension{};                    // the credential's place; empty: none
  const Identity* signer = nullptr;     // another key signs the certificate
  const Identity* public_of = nullptr;  // the key claims to be this one, which it is not
};
Papers forge(const Forgery& how);

/// The other end of a connection, with no scruples: speaks TLS 1.3 by OpenSSL itself, believes any
/// certificate, shows any papers, says anything.
class Rogue {
 public:
  Rogue(uv::Loop& loop, const Papers& papers);
  ~Rogue();

  void connect(const std::string& address);
  std::string listen();      // for one connection
  void say(ByteView plain);  // at once when TLS is up, else as soon as it is
  void say_frame(std::uint8_t type, ByteView body, std::uint64_t request = 0);
  void hang_up();
  void stop_reading();
  void renew_keys(int times);  // each time asks the other side to do the same

  bool shaken() const { return shaken_; }  // as far as this end can know
  bool over() const { return over_; }
  const Bytes& heard() const { return heard_; }

 private:
  void begin(uv::Tcp stream, bool server);
  void turn();
  void write_out();
  uv::Loop& loop_;
  std::unique_ptr<SSL_CTX, FreeContext> context_;
  std::unique_ptr<SSL, FreeSession> ssl_{};
  std::unique_ptr<uv::Tcp> door_{};
  std::unique_ptr<uv::Tcp> stream_{};
  Bytes unsaid_{};
  Bytes heard_{};
  bool shaken_ = false;
  bool over_ = false;
};

/// A bare TCP client.
class Plain {
 public:
  Plain(uv::Loop& loop, const std::string& address);
  void write(Bytes bytes);
  bool connected() const { return connected_; }
  bool over() const { return over_; }

 private:
  uv::Tcp stream_;
  bool connected_ = false;
  bool over_ = false;
};

}  // namespace beckon::io::test
