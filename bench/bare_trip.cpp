// SPDX-License-Identifier: MIT
#include "bench/bare_trip.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cstdlib>
#include <map>

#include "bench/bare_tls.h"
#include "node/io/uv.h"

namespace beckon::bench {

namespace {

using io::uv::Loop;

constexpr std::size_t warm_up = 20;

/// Answers every whole request on each of its connections.
struct Server {
  BareTrip::Sizes sizes{};
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context = bare_context();
  std::vector<std::unique_ptr<BareStream>> streams{};
  std::map<BareStream*, std::size_t> heard{};
  std::vector<char> reply = std::vector<char>(sizes.reply);

  static void accept(uv_stream_t* door, int) {
    auto* server = static_cast<Server*>(door->data);
    server->streams.push_back(BareStream::accept(
        door, server->context.get(), [server](BareStream& from, const char*, std::size_t size) {
          std::size_t& heard = server->heard[&from];
          for (heard += size; heard >= server->sizes.request; heard -= server->sizes.request)
            from.write(server->reply.data(), server->reply.size());
        }));
  }
};

int listen(uv_tcp_t& door) {
  sockaddr_in at{};
  uv_ip4_addr("127.0.0.1", 0, &at);
  uv_tcp_bind(&door, reinterpret_cast<sockaddr*>(&at), 0);
  uv_listen(reinterpret_cast<uv_stream_t*>(&door), 16, &Server::accept);
  int size = sizeof at;
  uv_tcp_getsockname(&door, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

/// Until it is killed.
[[noreturn]] void serve(BareTrip::Sizes sizes, int tell_port) {
  Loop loop;
  Server server{.sizes = sizes};
  uv_tcp_t door{};
  uv_tcp_init(loop.raw(), &door);
  door.data = &server;
  int port = listen(door);
  if (::write(tell_port, &port, sizeof port) != sizeof port) std::abort();
  loop.run();
  std::abort();
}

}  // namespace

BareTrip::BareTrip(Sizes sizes) : sizes_(sizes) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  server_ = ::fork();
  if (server_ < 0) std::abort();
  if (server_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // however the bench ends
    serve(sizes, ends[1]);
  }
  bool told = ::read(ends[0], &port_, sizeof port_) == sizeof port_;
  ::close(ends[0]);
  ::close(ends[1]);
  if (!told) std::abort();
}

BareTrip::~BareTrip() {
  ::kill(server_, SIGKILL);
  ::waitpid(server_, nullptr, 0);
}

std::vector<double> BareTrip::measure(std::size_t count) const {
  std::vector<char> message(sizes_.request);
  std::vector<double> out;
  std::uint64_t sent = 0;
  std::size_t heard = 0;
  Loop loop;
  auto context = bare_context();
  auto send = [&](BareStream& stream) {
    sent = uv_hrtime();
    stream.write(message.data(), message.size());
    stream.flush();
  };
  auto stream = BareStream::connect(loop.raw(), context.get(), port_, send,
                                    [&](BareStream& from, const char*, std::size_t bytes) {
                                      heard += bytes;
                                      if (heard < sizes_.reply) return;
                                      heard = 0;
                                      out.push_back(static_cast<double>(uv_hrtime() - sent) / 1000);
                                      out.size() < count + warm_up ? send(from) : loop.stop();
                                    });
  loop.run();
  stream->close();
  loop.run_ready();
  loop.run_ready();
  out.erase(out.begin(), out.begin() + warm_up);
  return out;
}

namespace {

/// The asking end of bare_finds.
class BareFinder {
 public:
  BareFinder(const std::vector<std::unique_ptr<BareTrip>>& processes, std::size_t hosts,
             std::size_t count)
      : sizes_(processes.front()->sizes()), hosts_(hosts), count_(count + warm_up) {
    for (const auto& process : processes) {
      streams_.push_back(BareStream::connect(
          loop_.raw(), context_.get(), process->port(),
          [this](BareStream&) {
            if (++ready_ == streams_.size()) begin();
          },
          [this](BareStream& from, const char*, std::size_t size) { heard(from, size); }));
    }
  }

  std::vector<double> run() {
    loop_.run();
    for (auto& stream : streams_) stream->close();
    loop_.run_ready();
    loop_.run_ready();
    out_.erase(out_.begin(), out_.begin() + warm_up);
    return std::move(out_);
  }

 private:
  void begin() {
    began_ = uv_hrtime();
    first_ = true;
    ask(1);
  }
  void ask(std::size_t how_many) {
    waiting_ = how_many;
    for (std::size_t i = 0; i < how_many; ++i) {
      BareStream& stream = *streams_[next_++ % streams_.size()];
      stream.write(message_.data(), message_.size());
      stream.flush();
    }
  }
  void heard(BareStream& from, std::size_t size) {
    std::size_t& bytes = heard_[&from];
    bytes += size;
    if (bytes < sizes_.reply) return;
    bytes = 0;
    if (--waiting_ > 0) return;
    if (std::exchange(first_, false)) return ask(hosts_);
    out_.push_back(static_cast<double>(uv_hrtime() - began_) / 1000);
    out_.size() < count_ ? begin() : loop_.stop();
  }

  BareTrip::Sizes sizes_;
  std::size_t hosts_;
  std::size_t count_;
  Loop loop_{};
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_ = bare_context();
  std::vector<char> message_ = std::vector<char>(sizes_.request);
  std::vector<std::unique_ptr<BareStream>> streams_{};
  std::map<BareStream*, std::size_t> heard_{};
  std::size_t ready_ = 0;
  std::size_t next_ = 0;
  std::size_t waiting_ = 0;
  bool first_ = true;
  std::uint64_t began_ = 0;
  std::vector<double> out_{};
};

}  // namespace

std::vector<double> bare_finds(const std::vector<std::unique_ptr<BareTrip>>& processes,
                               std::size_t hosts, std::size_t count) {
  return BareFinder(processes, hosts, count).run();
}

std::vector<double> bare_round_trips(std::size_t count) { return BareTrip({}).measure(count); }

}  // namespace beckon::bench
