// SPDX-License-Identifier: MIT
#include "tests/node/io/rogue.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/address.h"
#include "node/service/kernel/frame_splitter.h"

namespace beckon::io::test {

namespace {

constexpr std::string_view alpn =
    "\x08"
    "beckon/1";

/// An Ed25519 key whose private and public halves do not belong together.
PrivateKeyPtr mismatched(const SecretSeed& secret, const PublicKey& shown) {
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY,
                                        const_cast<std::uint8_t*>(secret.data()), 32),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY,
                                        const_cast<std::uint8_t*>(shown.data()), 32),
      OSSL_PARAM_construct_end()};
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_from_name(nullptr, "ED25519", nullptr);
  EVP_PKEY* key = nullptr;
  ENSURE(EVP_PKEY_fromdata_init(context) == 1);
  ENSURE(EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, params) == 1);
  EVP_PKEY_CTX_free(context);
  return PrivateKeyPtr(key);
}

PrivateKeyPtr key_for(const Forgery& how) {
  if (how.kind == KeyKind::p256) return PrivateKeyPtr(EVP_EC_gen("P-256"));
  if (how.kind == KeyKind::rsa) return PrivateKeyPtr(EVP_RSA_gen(2048));
  if (how.public_of != nullptr) return mismatched(how.self.seed, how.public_of->key);
  return private_key(how.self.seed);
}

uv::Endpoint endpoint(const std::string& text) {
  auto address = Address::parse(text);
  return *uv::Endpoint::numeric(address->host, address->port);
}

}  // namespace

Papers forge(const Forgery& how) {
  Papers out{.key = key_for(how), .certificate = CertificatePtr(X509_new())};
  X509* x = out.certificate.get();
  X509_set_version(x, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
  X509_gmtime_adj(X509_getm_notBefore(x), how.from_day * 24 * 3600);
  X509_gmtime_adj(X509_getm_notAfter(x), how.to_day * 24 * 3600);
  X509_NAME* name = X509_get_subject_name(x);
  const auto* cn = reinterpret_cast<const unsigned char*>(how.common_name.c_str());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, cn, -1, -1, 0);
  X509_set_issuer_name(x, name);
  X509_set_pubkey(x, out.key.get());
  if (!how.extension.empty()) add_private_extension(x, how.extension);
  bool plain = how.kind == KeyKind::ed25519;
  PrivateKeyPtr signer = how.signer != nullptr ? private_key(how.signer->seed) : nullptr;
  EVP_PKEY* with = signer ? signer.get() : out.key.get();
  ENSURE(X509_sign(x, with, plain ? nullptr : EVP_sha256()) > 0);
  return out;
}

Rogue::Rogue(uv::Loop& loop, const Papers& papers)
    : loop_(loop), context_(SSL_CTX_new(TLS_method())) {
  SSL_CTX* c = context_.get();
  SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION);
  auto any = [](X509_STORE_CTX*, void*) { return 1; };
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(c, any, nullptr);
  auto pick = [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char*,
                 unsigned, void*) {
    *out = reinterpret_cast<const unsigned char*>(alpn.data()) + 1;
    *size = static_cast<unsigned char>(alpn.size() - 1);
    return SSL_TLSEXT_ERR_OK;
  };
  SSL_CTX_set_alpn_select_cb(c, pick, nullptr);
  SSL_CTX_set_alpn_protos(c, reinterpret_cast<const unsigned char*>(alpn.data()), alpn.size());
  if (!papers.certificate) return;
  ENSURE(SSL_CTX_use_certificate(c, papers.certificate.get()) == 1);
  ENSURE(SSL_CTX_use_PrivateKey(c, papers.key.get()) == 1);
  if (papers.second) SSL_CTX_add1_chain_cert(c, papers.second.get());
}

Rogue::~Rogue() = default;

void Rogue::connect(const std::string& address) {
  door_ = std::make_unique<uv::Tcp>(loop_);
  door_->connect(endpoint(address), [this](int status) {
    if (status != 0) {
      over_ = true;
      return;
    }
    begin(std::move(*door_), false);
  });
}

std::string Rogue::listen() {
  door_ = std::make_unique<uv::Tcp>(loop_);
  auto heard = door_->listen(*uv::Endpoint::numeric("127.0.0.1", 0), 1, [this](int) {
    auto stream = door_->accept();
    if (stream && !stream_) begin(std::move(*stream), true);
  });
  ENSURE(heard.has_value());
  return door_->local().text();
}

void Rogue::begin(uv::Tcp stream, bool server) {
  stream_ = std::make_unique<uv::Tcp>(std::move(stream));
  ssl_.reset(SSL_new(context_.get()));
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  server ? SSL_set_accept_state(ssl_.get()) : SSL_set_connect_state(ssl_.get());
  stream_->read_start([this](int status, ByteView bytes) {
    if (status < 0) {
      over_ = true;
      return stream_->read_stop();
    }
    BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
    turn();
  });
  turn();
}

void Rogue::turn() {
  if (!shaken_) shaken_ = SSL_do_handshake(ssl_.get()) == 1;
  std::size_t count = 0;
  if (shaken_ && !unsaid_.empty()) {
    SSL_write_ex(ssl_.get(), unsaid_.data(), unsaid_.size(), &count);
    unsaid_.clear();
  }
  Bytes buffer(64 * 1024);
  while (shaken_ && SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &count) == 1) {
    heard_.insert(heard_.end(), buffer.begin(),
                  buffer.begin() + static_cast<std::ptrdiff_t>(count));
  }
  write_out();
}

void Rogue::write_out() {
  BIO* out = SSL_get_wbio(ssl_.get());
  Bytes bytes(BIO_ctrl_pending(out));
  if (bytes.empty() || over_) return;
  BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
  if (!stream_->write(bytes, [](int) {})) over_ = true;
}

void Rogue::say(ByteView plain) {
  unsaid_.insert(unsaid_.end(), plain.begin(), plain.end());
  if (ssl_ && !over_) turn();
}

void Rogue::say_frame(std::uint8_t type, ByteView body, std::uint64_t request) {
  Bytes out;
  service::append_frame(out, type, request, body);
  say(out);
}

void Rogue::stop_reading() { stream_->read_stop(); }

void Rogue::renew_keys(int times) {
  for (int i = 0; i < times && !over_; ++i) {
    ENSURE(SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED) == 1);
    ENSURE(SSL_do_handshake(ssl_.get()) == 1);
  }
  write_out();
}

void Rogue::hang_up() {
  stream_.reset();
  over_ = true;
}

Plain::Plain(uv::Loop& loop, const std::string& address) : stream_(loop) {
  stream_.connect(endpoint(address), [this](int status) {
    connected_ = status == 0;
    over_ = status != 0;
    if (!connected_) return;
    stream_.read_start([this](int state, ByteView) {
      if (state >= 0) return;
      over_ = true;
      stream_.read_stop();
    });
  });
}

void Plain::write(Bytes bytes) {
  if (!stream_.write(bytes, [](int) {})) over_ = true;
}

}  // namespace beckon::io::test
