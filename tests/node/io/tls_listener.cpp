// SPDX-License-Identifier: MIT
// A transport that listens on a free port, prints it, and goes on until its stdin ends: something
// for tests/node/io/sslscan to look at.
#include <cstdio>

#include "node/io/transport.h"

using namespace beckon;

namespace {

struct Nobody final : io::TransportListener {
  void frame(chord::Frame) override {}
  void link_up(const chord::PeerRef&, std::uint64_t) override {}
  void link_down(const chord::Id&, const Error&) override {}
  void unreachable(const chord::PeerRef&, const Error&) override {}
  void log(LogLine line) override { std::fprintf(stderr, "%s\n", to_text(line).c_str()); }
};

}  // namespace

int main() {
  Nobody nobody;
  io::uv::Loop loop;
  io::Transport transport(loop, io::new_identity(), service::builtin_overlay(), 1, nobody);
  auto address = transport.listen("127.0.0.1:0");
  if (!address) return 1;
  std::printf("%s\n", address->c_str());
  std::fflush(stdout);
  io::uv::Poll input(loop, 0);
  input.start(UV_READABLE | UV_DISCONNECT, [&](int) { loop.stop(); });
  loop.run();
  return 0;
}
