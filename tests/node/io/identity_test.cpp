// SPDX-License-Identifier: MIT
#include "node/io/identity.h"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "node/io/certificate.h"
#include "node/io/uv.h"
#include "tests/node/io/rogue.h"
#include "tests/node/io/temp_dir.h"

using namespace beckon;
using namespace beckon::io;
namespace fs = std::filesystem;

TEST_SUITE_BEGIN("io/identity");

namespace {

unsigned mode_of(const fs::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777;
}

/// While it lives no file of this process grows beyond so many bytes.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &now) == 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

}  // namespace

TEST_CASE("the first start makes a key that later starts find again, for its owner only") {
  beckon::test::TempDir temp;
  fs::path file = fs::path(temp.file("home")) / "node.key";
  auto first = load_or_create_identity(file);
  REQUIRE(first);
  CHECK(mode_of(file) == 0600);
  CHECK(mode_of(file.parent_path()) == 0700);
  auto second = load_or_create_identity(file);
  REQUIRE(second);
  CHECK(second->seed == first->seed);
  CHECK(second->key == first->key);
  CHECK(second->id() == first->id());
  CHECK(new_identity().key != first->key);
}

TEST_CASE("a key file that is too open, broken or no file is refused with the cure") {
  beckon::test::TempDir temp;
  fs::path file = fs::path(temp.file("home")) / "node.key";
  auto made = load_or_create_identity(file);
  REQUIRE(made);
  REQUIRE(::chmod(file.c_str(), 0640) == 0);
  auto open = load_or_create_identity(file);
  REQUIRE_FALSE(open);
  CHECK(open.error().text ==
        file.string() + " may be read by other users; run: chmod 600 " + file.string());
  REQUIRE(::chmod(file.c_str(), 0600) == 0);

  REQUIRE(::chmod(file.parent_path().c_str(), 0777) == 0);
  auto shared = load_or_create_identity(file);
  REQUIRE_FALSE(shared);
  CHECK(shared.error().text.find("chmod 700") != std::string::npos);
  REQUIRE(::chmod(file.parent_path().c_str(), 0700) == 0);

  for (std::string content : {"", "12", "not a key\n", "00\n"}) {
    CAPTURE(content);
    REQUIRE(replace_file(file, as_bytes(content)));
    auto broken = load_or_create_identity(file);
    REQUIRE_FALSE(broken);
    CHECK(broken.error().text.find("does not hold a key") != std::string::npos);
  }
  fs::remove(file);
  fs::create_directory(file);
  CHECK_FALSE(load_or_create_identity(file));
  fs::remove(file);
  fs::create_symlink("/etc/hostname", file);
  CHECK_FALSE(load_or_create_identity(file));
}

TEST_CASE("a disk that fills up while the key is written leaves no part of it behind") {
  beckon::test::TempDir temp;
  fs::path file = fs::path(temp.file("home")) / "node.key";
  {
    FullDisk full(10);
    auto failed = load_or_create_identity(file);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().text.find("cannot write " + file.string()) == 0);
  }
  CHECK(fs::is_empty(file.parent_path()));
  auto made = load_or_create_identity(file);
  REQUIRE(made);
  CHECK(mode_of(file) == 0600);
  CHECK_FALSE(create_secret(file, new_identity().seed));  // never replaces one
  CHECK(load_or_create_identity(file)->seed == made->seed);
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), {}) == 1);
}

TEST_CASE("a file is replaced whole or not at all") {
  beckon::test::TempDir temp;
  fs::path file = fs::path(temp.file("d")) / "x";
  REQUIRE(replace_file(file, as_bytes("one")));
  REQUIRE(replace_file(file, as_bytes("two")));
  CHECK(as_text(*read_file(file, 10)) == "two");
  CHECK_FALSE(read_file(file, 2));
  CHECK(mode_of(file) == 0600);
  CHECK(read_file(file.parent_path() / "absent", 2).error().code == ErrorCode::not_found);
}

TEST_CASE("a node's own certificate proves its id, in open and closed overlays") {
  Identity self = new_identity();
  Trust open;
  auto proven = judge_certificate(make_certificate(self, uv::wall_now()).get(), open, Purpose::link,
                                  uv::wall_now());
  REQUIRE(proven);
  CHECK(proven->id == self.id());
  CHECK(proven->key == self.key);
  CHECK_FALSE(proven->credential);
  // It outlives nobody's patience: a year, give or take a day.
  auto at = [&](std::chrono::hours when) {
    auto certificate = make_certificate(self, uv::wall_now());
    return judge_certificate(certificate.get(), open, Purpose::link, uv::wall_now() + when)
        .has_value();
  };
  CHECK(at(std::chrono::hours(24 * 365)));
  CHECK_FALSE(at(std::chrono::hours(24 * 367)));
  CHECK_FALSE(at(std::chrono::hours(-24 * 3)));
}

TEST_CASE("a key of another kind is refused by itself, not only by what TLS offers") {
  for (auto kind : {io::test::KeyKind::p256, io::test::KeyKind::rsa}) {
    io::test::Papers papers = io::test::forge({.kind = kind});
    auto judged =
        judge_certificate(papers.certificate.get(), Trust{}, Purpose::link, uv::wall_now());
    REQUIRE_FALSE(judged);
    CHECK(judged.error().text == "certificate has a key that is not Ed25519");
  }
}

TEST_CASE("a certificate of a key that everybody can sign for is refused") {
  // Under the neutral point (R, S) with R = [S]B satisfies the equation for every message.
  Bytes neutral(32);
  neutral[0] = 1;
  Bytes signature = *from_hex(
      "24b16255ec3cb5071dedf777cda17e987b07514e1846fe9500d4b490e1f671f6"
      "00000000000000000000000000000000000000000000002143658709badcfe00");
  auto certificate = make_certificate(new_identity(), uv::wall_now());
  PrivateKeyPtr key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, neutral.data(), 32));
  REQUIRE(X509_set_pubkey(certificate.get(), key.get()) == 1);
  const ASN1_BIT_STRING* bits = nullptr;
  X509_get0_signature(&bits, nullptr, certificate.get());
  ASN1_BIT_STRING_set(const_cast<ASN1_BIT_STRING*>(bits), signature.data(), 64);
  REQUIRE(X509_verify(certificate.get(), key.get()) == 1);  // OpenSSL 3.0 alone believes it
  auto proven = judge_certificate(certificate.get(), Trust{}, Purpose::link, uv::wall_now());
  REQUIRE_FALSE(proven.has_value());
  CHECK(proven.error().text == "certificate is not signed by its own key");
}

TEST_SUITE_END();
