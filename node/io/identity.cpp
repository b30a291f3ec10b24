// SPDX-License-Identifier: MIT
#include "node/io/identity.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "node/io/descriptor.h"

namespace beckon::io {

namespace {

namespace fs = std::filesystem;

Error system_error(const std::string& what, const fs::path& path) {
  int number = errno;
  ErrorCode code = number == ENOENT ? ErrorCode::not_found : ErrorCode::internal;
  std::string cure =
      number == EACCES ? "; run as the user who owns it, or give it back with chown" : "";
  return {code,
          fmt::format("cannot {} {}: {}{}", what, path.string(), std::strerror(number), cure)};
}

Result<void> write_all(int fd, ByteView bytes, const fs::path& path) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("write", path);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  if (::fsync(fd) != 0) return system_error("write", path);
  return {};
}

/// A new name in a directory is durable only after the directory itself is.
void sync_directory(const fs::path& directory) {
  Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.ok()) ::fsync(fd.get());
}

Result<void> private_directory(const fs::path& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) {
    fs::create_directories(directory.parent_path(), error);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
      return system_error("make directory", directory);
    }
  }
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) return system_error("look at", directory);
  if ((info.st_mode & 022) != 0) {
    return Error{ErrorCode::refused,
                 fmt::format("{} may be written by other users; run: chmod 700 {}",
                             directory.string(), directory.string())};
  }
  return {};
}

Result<void> check_private(int fd, const fs::path& file) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error("look at", file);
  auto refuse = [&](const std::string& text) {
    return Error{ErrorCode::refused, fmt::format("{} {}", file.string(), text)};
  };
  if (!S_ISREG(info.st_mode)) return refuse("is not an ordinary file; move it away");
  if (info.st_uid != ::geteuid()) {
    return refuse("belongs to another user; run as that user, or give it to this one with chown");
  }
  if ((info.st_mode & 077) != 0) {
    return refuse(fmt::format("may be read by other users; run: chmod 600 {}", file.string()));
  }
  return {};
}

Result<Bytes> read_descriptor(int fd, const fs::path& file, std::size_t limit) {
  Bytes out(limit + 1);
  std::size_t size = 0;
  while (size < out.size()) {
    ssize_t count = ::read(fd, out.data() + size, out.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("read", file);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > limit) return invalid(fmt::format("{} is longer than {} bytes", file.string(), limit));
  out.resize(size);
  return out;
}

}  // namespace

chord::Id Identity::id() const {
  return service::node_id(key, credential ? std::optional(credential->nonce) : std::nullopt);
}

void fill_random(std::span<std::uint8_t> out) {
  ENSURE(RAND_bytes(out.data(), static_cast<int>(out.size())) == 1);
}

Identity new_identity() {
  Identity out;
  fill_random(out.seed);
  out.key = Ed25519().public_key(out.seed);
  return out;
}

Result<SecretSeed> load_secret(const fs::path& file) {
  Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.ok()) return system_error("read key file", file);
  if (auto fine = check_private(fd.get(), file); !fine) return fine.error();
  auto bytes = read_descriptor(fd.get(), file, 128);
  std::string_view text = bytes ? as_text(*bytes) : std::string_view();
  if (text.ends_with('\n')) text.remove_suffix(1);
  auto key = from_hex(text);
  if (!key || key->size() != SecretSeed().size()) {
    return invalid(
        fmt::format("{} does not hold a key (64 hexadecimal digits); put a copy back, or move it "
                    "away and this node "
                    "starts as a new one",
                    file.string()));
  }
  SecretSeed out{};
  std::copy(key->begin(), key->end(), out.begin());
  return out;
}

Result<void> create_secret(const fs::path& file, const SecretSeed& seed) {
  if (auto fine = private_directory(file.parent_path()); !fine) return fine;
  // Written under another name first: part of a key would stop every later start.
  std::string draft = file.string() + ".XXXXXX";
  Descriptor fd(::mkostemp(draft.data(), O_CLOEXEC));  // makes it 0600
  if (!fd.ok()) return system_error("make key file", file);
  auto done = write_all(fd.get(), as_bytes(to_hex(seed) + "\n"), file);
  if (done && ::link(draft.c_str(), file.c_str()) != 0) done = system_error("make key file", file);
  ::unlink(draft.c_str());
  if (done) sync_directory(file.parent_path());
  return done;
}

Result<Identity> load_or_create_identity(const fs::path& key_file) {
  Identity out;
  auto seed = load_secret(key_file);
  if (seed) {
    if (auto fine = private_directory(key_file.parent_path()); !fine) return fine.error();
    out.seed = *seed;
  } else if (seed.error().code == ErrorCode::not_found) {
    fill_random(out.seed);
    if (auto made = create_secret(key_file, out.seed); !made) return made.error();
  } else {
    return seed.error();
  }
  out.key = Ed25519().public_key(out.seed);
  return out;
}

Result<void> replace_file(const fs::path& file, ByteView content) {
  if (auto fine = private_directory(file.parent_path()); !fine) return fine;
  fs::path fresh = file;
  fresh += ".new";
  {
    Descriptor fd(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.ok()) return system_error("write", fresh);
    if (auto done = write_all(fd.get(), content, fresh); !done) return done;
  }
  if (::rename(fresh.c_str(), file.c_str()) != 0) return system_error("replace", file);
  sync_directory(file.parent_path());
  return {};
}

Result<Bytes> read_file(const fs::path& file, std::size_t limit) {
  Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return system_error("read", file);
  return read_descriptor(fd.get(), file, limit);
}

}  // namespace beckon::io
