// SPDX-License-Identifier: MIT
#include "node/driver.h"

#include <fmt/core.h>

#include <algorithm>

#include "config/address.h"
#include "node/service/kernel/frames.h"
#include "node/service/routes/routes.h"

namespace beckon {

Result<std::unique_ptr<Driver>> Driver::open(const Parts& parts, Node node) {
  auto driver = std::make_unique<Driver>(parts, std::move(node));
  auto opened = driver->open_doors();
  if (!opened) return opened.error();
  return driver;
}

Driver::Driver(const Parts& parts, Node node)
    : loop_(parts.loop),
      store_(parts.store),
      log_(parts.log),
      node_(std::move(node)),
      writer_(parts.loop.raw(), parts.store),
      wake_(parts.loop),
      stop_(parts.loop),
      log_counts_(parts.loop) {
  constexpr auto often = std::chrono::seconds(10);
  log_counts_.start(
      often, [this] { log_.tell_left_out(); }, often);
}

Driver::~Driver() {
  closing_ = true;
  wake_.stop();
  http_.reset();
  transport_.reset();
  bool idle = false;
  writer_.when_idle([&idle] { idle = true; });
  while (!idle) loop_.run_once();
}

Result<void> Driver::open_doors() {
  io::TransportOptions transport = node_.transport;
  transport.wall = node_.wall;
  transport.chance = node_.seeds.chance;
  transport_ =
      std::make_unique<io::Transport>(loop_, node_.identity, node_.overlay, node_.epoch,
                                      static_cast<io::TransportListener&>(*this), transport);
  transport_->set_enroller(node_.enroller);
  auto address = transport_->listen(node_.listen, node_.advertise);
  if (!address) return address.error();
  // Records and letters carry it to nodes that have never seen us, so "all addresses" will not do.
  chord::PeerRef self{transport_->id(),
                      config::reachable_at(transport_->addresses().front()).front()};
  service::Surroundings around{store_, signer_, node_.overlay.id(), node_.seeds};
  service_ = std::make_unique<service::Service>(node_.options, self, node_.epoch, around);
  service::add_routes(*service_);
  auto hosting = service::Hosting::open(*service_, node_.overlay, signer_, node_.hosting);
  if (!hosting) return hosting.error();
  hosting_ = std::move(*hosting);
  service::add_routes(*hosting_);
  add_metrics();
  if (node_.overlay.admission == service::Admission::closed) add_renewal();
  auto http = io::HttpServer::open(loop_, node_.socket, static_cast<io::HttpListener&>(*this));
  if (!http) return http.error();
  http_ = std::move(*http);
  return {};
}

Now Driver::now() const { return {loop_.now(), node_.wall()}; }

void Driver::start(const service::Command& command) { perform(service_->start(command, now())); }

void Driver::add_renewal() {
  service::Renewal::Self self{.overlay = node_.overlay.id(),
                              .authority = *node_.overlay.authority,
                              .key = node_.identity.key,
                              .credential = *node_.identity.credential,
                              .authority_node = node_.authority_node};
  auto adopt = [this](const service::Credential& fresh) -> Result<void> {
    if (auto kept = node_.keep_credential(fresh); !kept) return kept;
    transport_->set_credential(fresh);
    return {};
  };
  renewal_.emplace(service_->kernel(), node_.renewal, std::move(self), signer_, adopt);
  renewal_->set_enroller(node_.enroller);
  service_->kernel().serve(raw(service::FrameType::renew_req),
                           [this](const service::Request& request) { renewal_->handle(request); });
  service_->on_ring_event([this](const chord::Event& event) {
    const auto* change = std::get_if<chord::ModeChanged>(&event);
    if (change != nullptr && change->to == chord::Mode::member) renewal_->start();
  });
}

void Driver::perform(service::Output output) {
  if (closing_) return;  // doors are shut; writes begun earlier still come to their end
  for (const LogLine& line : output.log) log_.write(line);
  for (service::Write& write : output.writes) {
    writer_.write(std::move(write.mutations), [this, token = write.token](Result<void> result) {
      perform(service_->written(token, std::move(result), now()));
    });
  }
  for (const chord::Frame& frame : output.send) transport_->send(frame);
  for (const std::string& address : output.dial) transport_->dial(address);
  for (const chord::Id& peer : output.close) transport_->close(peer);
  for (service::HttpPart& part : output.http) http_->send(std::move(part));
  if (output.wake_at == Time::max()) {
    wake_.stop();
  } else {
    Time due = std::max(output.wake_at, loop_.now());
    wake_.start(due - loop_.now(), [this, due] {
      loop_delays_.observe(std::max(loop_.now() - due, Duration::zero()));
      perform(service_->tick(now()));
    });
  }
  if (output.finished && !finished_) stop_soon();
}

/// The node has left. What is under way to the disk, to peers and to whoever waits at the API gets
/// a moment to arrive.
void Driver::stop_soon() {
  finished_ = true;
  writer_.when_idle(
      [this] { stop_.start(std::chrono::milliseconds(100), [this] { loop_.stop(); }); });
}

void Driver::frame(chord::Frame frame) { perform(service_->receive(std::move(frame), now())); }

void Driver::link_up(const chord::PeerRef& peer, std::uint64_t epoch) {
  perform(service_->link_up({.peer = peer, .epoch = epoch}, now()));
}

void Driver::dialled(const std::string& address, const chord::PeerRef& peer, std::uint64_t epoch) {
  perform(service_->link_up({.peer = peer, .epoch = epoch, .dialled = address}, now()));
}

void Driver::link_down(const chord::Id& peer, const Error& why) {
  perform(service_->link_down(peer, why, now()));
}

void Driver::unreachable(const chord::PeerRef& peer, const Error& why) {
  perform(service_->unreachable(peer, why, now()));
}

void Driver::superseded(const chord::PeerRef& by, const std::string& later_at) {
  perform(service_->refused_as_older(by, later_at, now()));
}

void Driver::same_key(const chord::PeerRef& peer, std::uint64_t epoch) {
  perform(service_->link_up({.peer = peer, .epoch = epoch}, now()));
}

void Driver::revocations(const service::Revocations& list) {
  if (node_.keep_revocations) node_.keep_revocations(list);
  if (!list.contains(transport_->id())) return;
  log_.write(
      {LogLevel::error,
       "the overlay's authority has expelled this node: no node of the overlay answers it any "
       "more. To come back, ask for a new invite, then: beckon up --invite STRING"});
  start(service::Expelled{});
}

/// Records, keys and questions under way were made by the schema in use, so it stays in use.
void Driver::schema(const service::SchemaDocument&) {
  const service::Overlay& overlay = transport_->overlay();
  if (node_.keep_overlay) node_.keep_overlay(overlay);
  log_.write({LogLevel::info,
              fmt::format("schema {} of the overlay has come; this node uses schema {} until its "
                          "next start",
                          service::schema_of(overlay).number(), hosting_->schema().number())});
}

void Driver::http_request(service::ExchangeId exchange, const service::HttpRequest& request) {
  perform(service_->http_request(exchange, request, now()));
}

void Driver::http_closed(service::ExchangeId exchange) {
  perform(service_->http_closed(exchange, now()));
}

void Driver::add_metrics() {
  service::Metrics& metrics = service_->metrics();
  auto counter = [this, &metrics](const char* name, const char* help,
                                  std::uint64_t io::TransportStats::*field) {
    metrics.counter(name, help,
                    [this, field] { return static_cast<double>(transport_->stats().*field); });
  };
  metrics.gauge("links", "peers with an open link",
                [this] { return static_cast<double>(transport_->stats().links); });
  metrics.gauge("connections", "open connections to peers",
                [this] { return static_cast<double>(transport_->stats().connections); });
  counter("connections_accepted_total", "connections peers made", &io::TransportStats::accepted);
  counter("connections_dialled_total", "connections made to peers", &io::TransportStats::dialled);
  counter("connections_refused_total", "connections turned away", &io::TransportStats::refused);
  counter("frames_received_total", "frames from peers", &io::TransportStats::frames_in);
  counter("frames_sent_total", "frames to peers", &io::TransportStats::frames_out);
  counter("bytes_received_total", "bytes from peers, inside TLS", &io::TransportStats::bytes_in);
  counter("bytes_sent_total", "bytes to peers, inside TLS", &io::TransportStats::bytes_out);
  metrics.histogram("loop_delay_seconds", "how late the event loop was when the service was due",
                    loop_delays_);
  metrics.counter("store_commits_total", "transactions of the store",
                  [this] { return static_cast<double>(writer_.commits()); });
}

}  // namespace beckon
