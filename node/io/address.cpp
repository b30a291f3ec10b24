#include "node/io/address.h"

#include <fmt/core.h>

#include <charconv>

#include "base/text.h"

namespace beckon::io {

namespace {

constexpr std::size_t max_host = 255;

Error bad(std::string_view text) {
  return invalid(fmt::format("address must be HOST:PORT with a port of 0..65535, got \"{}\"",
                             printable(text, 80)));
}

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad(text);
  std::string_view host = text.substr(0, colon);
  std::string_view port = text.substr(colon + 1);
  bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  bool v6 = host.find(':') != std::string_view::npos;
  if (host.empty() || host.size() > max_host || v6 != bracketed) return bad(text);
  for (char c : host) {
    bool printable = c > ' ' && c <= '~';  // what peers take from each other (chord/wire.cpp)
    if (!printable || c == '[' || c == ']' || c == '/') return bad(text);
  }
  Address out{.host = std::string(host), .port = 0};
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) return bad(text);
  return out;
}

std::string Address::text() const {
  bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace beckon::io
