#include "bench/bare_trip.h"

#include <array>
#include <future>
#include <thread>

#include "bench/bare_tls.h"
#include "node/io/uv.h"

namespace beckon::bench {

namespace {

using io::uv::Loop;

struct Echo {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context = bare_context();
  std::vector<std::unique_ptr<BareStream>> streams{};

  static void accept(uv_stream_t* door, int) {
    auto* echo = static_cast<Echo*>(door->data);
    echo->streams.push_back(BareStream::accept(
        door, echo->context.get(),
        [](BareStream& from, const char* data, std::size_t size) { from.write(data, size); }));
  }
};

int listen(uv_tcp_t& door) {
  sockaddr_in at{};
  uv_ip4_addr("127.0.0.1", 0, &at);
  uv_tcp_bind(&door, reinterpret_cast<sockaddr*>(&at), 0);
  uv_listen(reinterpret_cast<uv_stream_t*>(&door), 16, &Echo::accept);
  int size = sizeof at;
  uv_tcp_getsockname(&door, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

/// Runs until `stop` is called.
void serve(std::promise<int>& port, std::promise<io::uv::Async*>& stopper) {
  Loop loop;
  Echo echo;
  io::uv::Async stop(loop, [&] { loop.stop(); });
  auto door = std::make_unique<uv_tcp_t>();
  uv_tcp_init(loop.raw(), door.get());
  door->data = &echo;
  stopper.set_value(&stop);
  port.set_value(listen(*door));
  loop.run();
  for (auto& stream : echo.streams) stream->close();
  uv_close(reinterpret_cast<uv_handle_t*>(door.get()), nullptr);
  loop.run_ready();
  loop.run_ready();
}

std::vector<double> ask(int port, std::size_t count) {
  constexpr std::size_t size = 200;
  std::array<char, size> message{};
  std::vector<double> out;
  std::uint64_t sent = 0;
  std::size_t heard = 0;
  Loop loop;
  auto context = bare_context();
  auto send = [&](BareStream& stream) {
    sent = uv_hrtime();
    stream.write(message.data(), size);
    stream.flush();
  };
  auto stream = BareStream::connect(loop.raw(), context.get(), port, send,
                                    [&](BareStream& from, const char*, std::size_t bytes) {
                                      heard += bytes;
                                      if (heard < size) return;
                                      heard = 0;
                                      out.push_back(static_cast<double>(uv_hrtime() - sent) / 1000);
                                      out.size() < count ? send(from) : loop.stop();
                                    });
  loop.run();
  stream->close();
  loop.run_ready();
  loop.run_ready();
  return out;
}

}  // namespace

std::vector<double> bare_round_trips(std::size_t count) {
  std::promise<int> port;
  std::promise<io::uv::Async*> stopper;
  std::thread server([&] { serve(port, stopper); });
  auto out = ask(port.get_future().get(), count);
  stopper.get_future().get()->send();
  server.join();
  return out;
}

}  // namespace beckon::bench
