// SPDX-License-Identifier: MIT
#include "node/io/tls.h"

#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstring>

namespace beckon::io {

namespace {

// As ALPN spells lists: length, name.
constexpr std::string_view alpn_link =
    "\x08"
    "beckon/1";
constexpr std::string_view alpn_enrol =
    "\x0e"
    "beckon-enrol/1";

const unsigned char* unsigned_data(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string openssl_reason() {
  unsigned long code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "the connection was cut" : reason;
}

}  // namespace

void FreeContext::operator()(SSL_CTX* c) const noexcept { SSL_CTX_free(c); }
void FreeSession::operator()(SSL* s) const noexcept { SSL_free(s); }

namespace {

/// The error that makes OpenSSL send the alert we want.
int alert_for(Fault fault) {
  switch (fault) {
    case Fault::not_timely:
      return X509_V_ERR_CERT_HAS_EXPIRED;  // certificate_expired
    case Fault::expelled:
      return X509_V_ERR_CERT_REVOKED;  // certificate_revoked
    case Fault::no_credential:
      return X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT;  // unknown_ca
    case Fault::other:
      break;
  }
  return X509_V_ERR_CERT_REJECTED;  // bad_certificate
}

/// What an alert says about us; empty for those that say nothing a person can mend.
std::string meaning_of_alert(int reason) {
  switch (reason) {
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "peer finds our certificate too new or too old; set this machine's clock";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
      return "the overlay's authority has expelled this node; to come back, ask it for a new "
             "invite, then: beckon up --invite STRING";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return "the overlay there is closed; ask its founder for an invite (beckon overlay invite), "
             "then: beckon up --invite STRING";
    default:
      return {};
  }
}

}  // namespace

/// What OpenSSL calls back during a handshake.
struct TlsCallbacks {
  static int select_alpn(SSL* ssl, const unsigned char** out, unsigned char* out_size,
                         const unsigned char* offered, unsigned int size, void*) noexcept {
    auto* session = static_cast<TlsSession*>(SSL_get_app_data(ssl));
    for (auto [name, purpose] :
         {std::pair(alpn_link, Purpose::link), std::pair(alpn_enrol, Purpose::enrol)}) {
      auto* chosen = const_cast<unsigned char**>(out);
      int found = SSL_select_next_proto(chosen, out_size, unsigned_data(name),
                                        static_cast<unsigned>(name.size()), offered, size);
      if (found != OPENSSL_NPN_NEGOTIATED) continue;
      session->purpose_ = purpose;
      return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }

  /// Replaces OpenSSL's chain building: here a certificate stands for itself.
  static int verify(X509_STORE_CTX* store, void*) noexcept {
    auto* ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto* session = static_cast<TlsSession*>(SSL_get_app_data(ssl));
    if (auto fine = judge(store, *session); !fine) {
      session->failure_ = fine.error();
      Fault fault = fault_of(X509_STORE_CTX_get0_cert(store), *session->trust_, session->clock_());
      X509_STORE_CTX_set_error(store, alert_for(fault));
      return 0;
    }
    X509_STORE_CTX_set_error(store, X509_V_OK);
    return 1;
  }

  static Result<void> judge(X509_STORE_CTX* store, TlsSession& session) {
    int length = sk_X509_num(X509_STORE_CTX_get0_untrusted(store));
    if (length != 1) {
      return Error{ErrorCode::refused,
                   fmt::format("peer sent {} certificates instead of one", length)};
    }
    auto proven = judge_certificate(X509_STORE_CTX_get0_cert(store), *session.trust_,
                                    session.purpose_, session.clock_());
    if (!proven) return proven.error();
    if (session.expected_ && proven->id != *session.expected_) {
      return Error{ErrorCode::refused,
                   fmt::format("another node ({}) answers where {} was expected",
                               proven->id.brief(), session.expected_->brief())};
    }
    session.peer_ = std::move(*proven);
    return {};
  }
};

/// OpenSSL's view of the network: takes from TlsSession::incoming_, appends to outgoing_.
struct TlsPipe {
  static TlsSession& session(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* out, int size) noexcept {
    ByteView& from = session(bio).incoming_;
    BIO_clear_retry_flags(bio);
    if (from.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    std::size_t count = std::min(from.size(), static_cast<std::size_t>(size));
    std::memcpy(out, from.data(), count);
    from = from.subspan(count);
    return static_cast<int>(count);
  }
  static int write(BIO* bio, const char* data, int size) noexcept {
    Bytes& to = session(bio).outgoing_;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(data);
    to.insert(to.end(), bytes, bytes + size);
    return size;
  }
  static long control(BIO*, int what, long, void*) noexcept {
    return what == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static const BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {  // lives as long as the process
      BIO_METHOD* out = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "TlsSession");
      ENSURE(out != nullptr);
      BIO_meth_set_read(out, read);
      BIO_meth_set_write(out, write);
      BIO_meth_set_ctrl(out, control);
      return out;
    }();
    return made;
  }
  static BIO* make(TlsSession& session) {
    BIO* out = BIO_new(method());
    ENSURE(out != nullptr);
    BIO_set_data(out, &session);
    BIO_set_init(out, 1);
    return out;
  }
};

TlsContext::TlsContext(const Identity& self, const Trust& trust, Clock clock)
    : context_(SSL_CTX_new(TLS_method())), trust_(&trust), clock_(clock) {
  SSL_CTX* c = context_.get();
  ENSURE(c != nullptr);
  ENSURE(SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) == 1);
  ENSURE(SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) == 1);
  ENSURE(SSL_CTX_set1_groups_list(c, "X25519") == 1);
  SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(c, 0);
  SSL_CTX_set_max_early_data(c, 0);
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(c, TlsCallbacks::verify, nullptr);
  SSL_CTX_set_alpn_select_cb(c, TlsCallbacks::select_alpn, nullptr);
  ENSURE(SSL_CTX_set1_sigalgs_list(c, "ed25519") == 1);
  ENSURE(SSL_CTX_use_certificate(c, make_certificate(self, clock()).get()) == 1);
  ENSURE(SSL_CTX_use_PrivateKey(c, private_key(self.seed).get()) == 1);
}

TlsSession::TlsSession(const TlsContext& context, Side side, Purpose purpose,
                       std::optional<chord::Id> expected)
    : trust_(context.trust_),
      clock_(context.clock_),
      ssl_(SSL_new(context.context_.get())),
      side_(side),
      purpose_(purpose),
      expected_(expected) {
  ENSURE(ssl_ != nullptr);
  BIO* pipe = TlsPipe::make(*this);
  SSL_set_bio(ssl_.get(), pipe, pipe);  // takes it
  SSL_set_app_data(ssl_.get(), this);
  if (side == Side::acceptor) {
    SSL_set_accept_state(ssl_.get());
    return;
  }
  SSL_set_connect_state(ssl_.get());
  std::string_view alpn = purpose == Purpose::link ? alpn_link : alpn_enrol;
  ENSURE(SSL_set_alpn_protos(ssl_.get(), unsigned_data(alpn), static_cast<unsigned>(alpn.size())) ==
         0);
}

TlsSession::State TlsSession::fail(const std::string& doing) {
  std::string reason = openssl_reason();
  if (failure_.text.empty()) {
    failure_ = {ErrorCode::refused, fmt::format("{}: {}", doing, reason)};
  }
  return state_ = State::failed;
}

TlsSession::State TlsSession::advance() {
  if (state_ != State::handshaking) return state_;
  ERR_clear_error();
  int done = SSL_do_handshake(ssl_.get());
  if (done != 1) {
    int why = SSL_get_error(ssl_.get(), done);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return state_;
    return fail("TLS handshake failed");
  }
  const unsigned char* alpn = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &alpn, &size);
  if (size == 0 || !peer_) {
    failure_ = {ErrorCode::refused, "peer does not speak beckon/1"};
    return state_ = State::failed;
  }
  return state_ = State::ready;
}

std::size_t TlsSession::read(std::span<std::uint8_t> out) {
  if (state_ != State::ready) return 0;
  if (incoming_.empty() && SSL_pending(ssl_.get()) == 0) return 0;
  ERR_clear_error();
  std::size_t count = 0;
  if (SSL_read_ex(ssl_.get(), out.data(), out.size(), &count) == 1) return count;
  int why = SSL_get_error(ssl_.get(), 0);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return 0;
  if (why == SSL_ERROR_ZERO_RETURN) {
    state_ = State::ended;
  } else if (auto told = meaning_of_alert(ERR_GET_REASON(ERR_peek_last_error())); !told.empty()) {
    failure_ = {ErrorCode::refused, std::move(told)};
    fail("TLS broke");
  } else if (side_ == Side::dialler) {
    // TLS 1.3: only here a client learns that its certificate was not accepted.
    fail("peer broke the connection off, or did not accept our certificate");
  } else {
    fail("TLS broke");
  }
  return 0;
}

void TlsSession::write(ByteView plain) {
  if (state_ != State::ready || plain.empty()) return;
  ERR_clear_error();
  std::size_t count = 0;
  if (SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &count) != 1 || count != plain.size()) {
    fail("cannot encrypt");
  }
}

void TlsSession::close() {
  if (state_ != State::ready) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
}

/// Instead of SSL_MODE_RELEASE_BUFFERS, which does it after each record.
void TlsSession::rest() {
  SSL_free_buffers(ssl_.get());  // does nothing while they hold something
  outgoing_.shrink_to_fit();
}

}  // namespace beckon::io
