// SPDX-License-Identifier: MIT
// What does our transport cost over bare TLS? Request and reply of 200 bytes through Transport and
// through a TLS echo on libuv, turn about, server and client on a thread each; then handshakes a
// second and what an idle link keeps in memory. Ratios of one run are what counts.
#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <set>
#include <thread>

#include "bench/bare_tls.h"
#include "node/io/transport.h"

using namespace beckon;
using namespace beckon::io;

namespace {

constexpr std::size_t body_size = 200;
constexpr std::size_t message_size = body_size + 13;  // the same bytes on the wire for both

struct Measured {
  double p50_us = 0, p99_us = 0, per_second = 0, cpu_us = 0;
};

/// Of this process, both ends: what other work on the machine cannot take away from it.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// Round trips of one run: begins `depth` of them, then one for each that ended, until `total`.
class Trips {
 public:
  Trips(std::size_t depth, std::size_t total) : depth_(depth), total_(total) { us_.reserve(total); }
  bool begin(std::uint64_t& slot) {
    if (begun_ == total_) return false;
    if (begun_ == 0) start_ = uv_hrtime(), start_cpu_ = cpu_seconds();
    slot = begun_++;
    sent_.push_back(uv_hrtime());
    return true;
  }
  bool end(std::uint64_t slot) {  // true: all are done
    us_.push_back(static_cast<double>(uv_hrtime() - sent_[slot]) / 1000);
    return us_.size() == total_;
  }
  std::size_t depth() const { return depth_; }
  std::uint64_t ended() const { return us_.size(); }
  Measured result() {
    double seconds = static_cast<double>(uv_hrtime() - start_) / 1e9;
    double cpu = cpu_seconds() - start_cpu_;
    auto count = static_cast<double>(us_.size());
    std::sort(us_.begin(), us_.end());
    return {us_[us_.size() / 2], us_[us_.size() * 99 / 100], count / seconds, cpu / count * 1e6};
  }

 private:
  std::size_t depth_, total_;
  std::size_t begun_ = 0;
  std::uint64_t start_ = 0;
  double start_cpu_ = 0;
  std::vector<std::uint64_t> sent_{};
  std::vector<double> us_{};
};

struct Quiet : TransportListener {
  void frame(chord::Frame) override {}
  void link_up(const chord::PeerRef&, std::uint64_t) override {}
  void link_down(const chord::Id&, const Error&) override {}
  void unreachable(const chord::PeerRef&, const Error& why) override {
    std::fprintf(stderr, "bench_rpc: unreachable: %s\n", why.text.c_str());
    std::exit(1);
  }
  void log(LogLine line) override {
    std::fprintf(stderr, "bench_rpc: %s\n", to_text(line).c_str());
  }
};

struct EchoNode final : Quiet {
  Transport* transport = nullptr;
  void frame(chord::Frame f) override { transport->send(f); }
};

TransportOptions roomy() {
  TransportOptions out;
  out.max_connections = out.max_accepted = out.max_accepted_loopback = out.idle_pool = 2000;
  out.max_unauthenticated = out.max_unauthenticated_loopback = 1000;
  out.handshakes_per_second = out.handshake_burst = 1e9;
  return out;
}

/// A server on a thread of its own, until destroyed.
class Server {
 public:
  explicit Server(std::function<void(uv::Loop&, std::promise<std::string>&)> body)
      : thread_([this, body] {
          uv::Loop loop;
          stop_ = std::make_unique<uv::Async>(loop, [&] { loop.stop(); });
          body(loop, address_);
          stop_.reset();
        }) {
    where = address_.get_future().get();
  }
  ~Server() {
    stop_->send();
    thread_.join();
  }
  std::string where{};

 private:
  std::promise<std::string> address_{};
  std::unique_ptr<uv::Async> stop_{};
  std::thread thread_;
};

void serve_ours(uv::Loop& loop, std::promise<std::string>& address) {
  EchoNode node;
  Transport transport(loop, new_identity(), service::builtin_overlay(), 1, node, roomy());
  node.transport = &transport;
  address.set_value(*transport.listen("127.0.0.1:0"));
  loop.run();
}

void serve_bare(uv::Loop& loop, std::promise<std::string>& address) {
  struct State {
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context = bench::bare_context();
    std::vector<std::unique_ptr<bench::BareStream>> streams{};
  } state;
  auto door = std::make_unique<uv_tcp_t>();
  uv_tcp_init(loop.raw(), door.get());
  door->data = &state;
  sockaddr_in at{};
  uv_ip4_addr("127.0.0.1", 0, &at);
  uv_tcp_bind(door.get(), reinterpret_cast<sockaddr*>(&at), 0);
  uv_listen(reinterpret_cast<uv_stream_t*>(door.get()), 16, [](uv_stream_t* stream, int) {
    auto* s = static_cast<State*>(stream->data);
    auto echo = [](bench::BareStream& from, const char* data, std::size_t size) {
      from.write(data, size);
    };
    s->streams.push_back(bench::BareStream::accept(stream, s->context.get(), echo));
  });
  int size = sizeof at;
  uv_tcp_getsockname(door.get(), reinterpret_cast<sockaddr*>(&at), &size);
  address.set_value(std::to_string(ntohs(at.sin_port)));
  loop.run();
  for (auto& stream : state.streams) stream->close();
  uv_close(reinterpret_cast<uv_handle_t*>(door.get()), nullptr);
  loop.run_ready();
  loop.run_ready();
}

Measured run_ours(const std::string& address, std::size_t depth, std::size_t total) {
  struct Client final : Quiet {
    Trips trips;
    uv::Loop& loop;
    Transport* transport = nullptr;
    chord::Frame request{};
    Client(uv::Loop& l, std::size_t d, std::size_t t) : trips(d, t), loop(l) {
      request.type = 0x20;
      request.body.assign(body_size, 7);
    }
    void ask() {
      std::uint64_t slot = 0;
      if (!trips.begin(slot)) return;
      request.request = slot + 1;
      transport->send(request);
    }
    void link_up(const chord::PeerRef& who, std::uint64_t) override {
      request.peer = who;
      for (std::size_t i = 0; i < trips.depth(); ++i) ask();
    }
    void frame(chord::Frame f) override {
      if (trips.end(f.request - 1)) loop.stop();
      ask();
    }
  };
  uv::Loop loop;
  Client client(loop, depth, total);
  Transport transport(loop, new_identity(), service::builtin_overlay(), 1, client, roomy());
  client.transport = &transport;
  transport.dial(address);
  loop.run();
  return client.trips.result();
}

Measured run_bare(const std::string& port, std::size_t depth, std::size_t total) {
  uv::Loop loop;
  Trips trips(depth, total);
  auto context = bench::bare_context();
  std::vector<char> message(message_size, 7);
  std::size_t partial = 0;
  auto ask = [&](bench::BareStream& s) {
    std::uint64_t slot = 0;
    if (trips.begin(slot)) s.write(message.data(), message.size());
  };
  auto ready = [&](bench::BareStream& s) {
    for (std::size_t i = 0; i < depth; ++i) ask(s);
  };
  auto heard = [&](bench::BareStream& s, const char*, std::size_t size) {
    for (partial += size; partial >= message_size; partial -= message_size) {
      if (trips.end(trips.ended())) loop.stop();
      ask(s);
    }
  };
  auto stream =
      bench::BareStream::connect(loop.raw(), context.get(), std::atoi(port.c_str()), ready, heard);
  loop.run();
  Measured out = trips.result();
  stream->close();
  return out;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void print_row(const char* what, const std::vector<Measured>& rounds) {
  std::vector<double> p50, p99, rate, cpu;
  for (const Measured& m : rounds) {
    p50.push_back(m.p50_us), p99.push_back(m.p99_us);
    rate.push_back(m.per_second), cpu.push_back(m.cpu_us);
  }
  auto [low, high] = std::minmax_element(rate.begin(), rate.end());
  std::printf("%-22s %9.1f %9.1f %9.2f %12.0f   (%.0f..%.0f)\n", what, median(p50), median(p99),
              median(cpu), median(rate), *low, *high);
}

void compare(std::size_t depth, std::size_t total, int rounds) {
  Server ours(serve_ours), bare(serve_bare);
  std::vector<Measured> a, b;
  std::vector<double> p50_ratio, rate_ratio, cpu_ratio;
  for (int i = 0; i < rounds; ++i) {
    b.push_back(run_bare(bare.where, depth, total));
    a.push_back(run_ours(ours.where, depth, total));
    p50_ratio.push_back(a.back().p50_us / b.back().p50_us);
    rate_ratio.push_back(a.back().per_second / b.back().per_second);
    cpu_ratio.push_back(a.back().cpu_us / b.back().cpu_us);
  }
  std::printf("\n%zu in flight, %zu requests, %d rounds\n%-22s %9s %9s %9s %12s   (range)\n", depth,
              total, rounds, "", "p50 us", "p99 us", "cpu us", "requests/s");
  print_row("bare TLS echo", b);
  print_row("transport", a);
  auto [low, high] = std::minmax_element(p50_ratio.begin(), p50_ratio.end());
  std::printf("transport / bare: p50 %.2fx (%.2f..%.2f)", median(p50_ratio), *low, *high);
  auto [slow, fast] = std::minmax_element(rate_ratio.begin(), rate_ratio.end());
  std::printf(", throughput %.2fx (%.2f..%.2f)", median(rate_ratio), *slow, *fast);
  auto [light, heavy] = std::minmax_element(cpu_ratio.begin(), cpu_ratio.end());
  std::printf(", cpu %.2fx (%.2f..%.2f)\n", median(cpu_ratio), *light, *heavy);
}

/// Mutual handshakes to a proven link, several under way at once.
void handshakes(std::size_t total) {
  struct Dialler final : Quiet {
    std::size_t* left = nullptr;
    uv::Loop* loop = nullptr;
    std::string address{};
    std::unique_ptr<Transport> transport{};
    void link_up(const chord::PeerRef& peer, std::uint64_t) override {
      if (--*left == 0) loop->stop();
      transport->close(peer.id);
    }
    void link_down(const chord::Id&, const Error&) override { transport->dial(address); }
  };
  Server server(serve_ours);
  uv::Loop loop;
  std::size_t left = total;
  std::vector<std::unique_ptr<Dialler>> diallers;
  for (int i = 0; i < 8; ++i) {
    auto d = std::make_unique<Dialler>();
    d->left = &left;
    d->loop = &loop;
    d->address = server.where;
    d->transport = std::make_unique<Transport>(loop, new_identity(), service::builtin_overlay(), 1,
                                               *d, roomy());
    d->transport->dial(server.where);
    diallers.push_back(std::move(d));
  }
  std::uint64_t start = uv_hrtime();
  double start_cpu = cpu_seconds();
  loop.run();
  double seconds = static_cast<double>(uv_hrtime() - start) / 1e9;
  double cpu = cpu_seconds() - start_cpu;
  auto count = static_cast<double>(total);
  std::printf(
      "\nhandshakes to a greeted link: %.0f/s (%zu, server and client on a core each); %.2f ms of "
      "CPU for both ends, so at most %.0f/s on two cores\n",
      count / seconds, total, cpu / count * 1e3, 2 * count / cpu);
}

double heap_kb() { return static_cast<double>(mallinfo2().uordblks) / 1024; }

/// The accepting side lives in a process of its own, so that only its end is counted.
void memory(std::size_t count) {
  int address[2], answer[2];
  if (pipe(address) != 0 || pipe(answer) != 0) std::exit(1);
  pid_t child = fork();
  if (child == 0) {
    struct Counter final : Quiet {
      std::size_t up = 0;
      void link_up(const chord::PeerRef&, std::uint64_t) override { ++up; }
    } counter;
    uv::Loop loop;
    Transport transport(loop, new_identity(), service::builtin_overlay(), 1, counter, roomy());
    std::string where = *transport.listen("127.0.0.1:0");
    where.resize(64, '\0');
    if (write(address[1], where.data(), 64) != 64) _exit(1);
    constexpr std::size_t first = 16;
    double before = 0;
    while (counter.up < count) {
      loop.run_once();
      if (counter.up <= first) before = heap_kb();  // what comes once is paid by then
    }
    for (std::uint64_t end = uv_hrtime() + 2'000'000'000; uv_hrtime() < end;) loop.run_once();
    double each = (heap_kb() - before) / static_cast<double>(count - first);
    if (write(answer[1], &each, sizeof each) != sizeof each) _exit(1);
    loop.run();  // until it is ended from outside
  }
  char where[64] = {};
  if (read(address[0], where, sizeof where) != sizeof where) std::exit(1);
  Quiet quiet;
  uv::Loop loop;
  std::vector<std::unique_ptr<Transport>> clients;
  auto all_up = [&] {
    return std::all_of(clients.begin(), clients.end(),
                       [](const auto& c) { return c->stats().links == 1; });
  };
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<Transport>(loop, new_identity(), service::builtin_overlay(),
                                                  1, quiet, roomy()));
    clients.back()->dial(where);
    while (i % 32 == 31 && !all_up()) loop.run_once();
  }
  while (!all_up()) loop.run_once();
  double each = 0;
  if (read(answer[0], &each, sizeof each) != sizeof each) std::exit(1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::printf("\nan idle link keeps %.1f KiB of heap at the accepting end (%zu links)\n", each,
              count);
}

}  // namespace

/// bench_rpc [--quick] [memory] [latency] [throughput] [handshakes]; none named: all.
int main(int argc, char** argv) {
  std::set<std::string> words(argv + 1, argv + argc);
  bool quick = words.erase("--quick") > 0;
  auto asked = [&](const char* what) { return words.empty() || words.contains(what); };
  if (asked("memory")) memory(quick ? 200 : 400);  // first, while this process has no threads
  if (asked("latency")) compare(1, quick ? 2000 : 20000, quick ? 3 : 9);
  if (asked("throughput")) compare(64, quick ? 20000 : 200000, quick ? 3 : 9);
  if (asked("handshakes")) handshakes(quick ? 200 : 3000);
  return 0;
}
