// SPDX-License-Identifier: MIT
#include "node/io/unix_socket.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace beckon::io {

namespace {

Error failed(const std::string& what, const std::string& path) {
  return {ErrorCode::internal, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
}

}  // namespace

Result<Descriptor> listen_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return invalid("the socket's path is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);

  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) {
    if (!S_ISSOCK(info.st_mode)) return invalid(path + " exists and is not a socket. Remove it");
    if (::unlink(path.c_str()) != 0) return failed("replace", path);
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.ok()) return failed("make a socket for", path);
  mode_t before = ::umask(0177);  // so that there is no moment in which others could connect
  int bound = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  if (bound != 0) return failed("bind", path);
  if (::listen(socket.get(), 128) != 0) return failed("listen at", path);
  return socket;
}

bool same_user(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
         credentials.uid == ::geteuid();
}

bool peer_closed(int socket) {
  char byte = 0;
  ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace beckon::io
