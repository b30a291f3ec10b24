#pragma once

#include <string>

#include "base/result.h"

namespace beckon::io {

/// A descriptor closed by its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  int release() noexcept;

 private:
  int fd_;
};

/// A listening Unix socket, mode 0600 from its first moment; replaces an old socket of that name.
Result<Descriptor> listen_unix(const std::string& path);

/// Is the process at the other end one of our own user's?
bool same_user(int socket);

/// Has the other end closed? Reads nothing.
bool peer_closed(int socket);

}  // namespace beckon::io
