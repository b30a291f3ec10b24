// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/crypto.h"
#include "node/io/http_server.h"
#include "node/io/store_writer.h"
#include "node/io/transport.h"
#include "node/log_file.h"
#include "node/service/admission/renewal.h"
#include "node/service/assembly/hosting.h"
#include "node/service/assembly/service.h"

namespace beckon {

/// Performs what the service asks for, on libuv: frames by the transport, writes by the store's
/// writer, HTTP by the server, time by a timer. Every input of the service passes through here, on
/// one thread, with the clocks read once for each.
class Driver final : private io::TransportListener, private io::HttpListener {
 public:
  struct Parts {
    io::uv::Loop& loop;
    service::Store& store;
    LogFile& log;
  };
  struct Node {
    io::Identity identity{};
    service::Overlay overlay{};
    std::uint64_t epoch{};
    service::ServiceOptions options{};
    service::Hosting::Options hosting{};
    service::Seeds seeds{};
    std::string listen{};
    std::string advertise{};
    std::string socket{};
    std::function<void(const service::Revocations&)> keep_revocations{};
    std::function<void(const service::Overlay&)> keep_overlay{};  // with a newer schema
    std::optional<chord::Id> authority_node{};  // closed overlays: who renews credentials
    std::function<Result<void>(const service::Credential&)> keep_credential{};
    service::Enroller* enroller = nullptr;  // this node is the authority's; outlives the driver
    service::Renewal::Options renewal{};
    io::TransportOptions transport{};  // its clock is `wall`
    WallTime (*wall)() = io::uv::wall_now;
  };

  static Result<std::unique_ptr<Driver>> open(const Parts& parts, Node node);
  Driver(const Parts& parts, Node node);  // only by open()
  ~Driver() override;

  void start(const service::Command& command);
  void leave() { start(service::Down{}); }
  bool finished() const { return finished_; }

  service::Service& service() { return *service_; }
  service::Hosting& hosting() { return *hosting_; }
  io::Transport& transport() { return *transport_; }
  const service::Renewal* renewal() const { return renewal_ ? &*renewal_ : nullptr; }  // closed

 private:
  Result<void> open_doors();
  void add_metrics();
  void add_renewal();
  Now now() const;
  void perform(service::Output output);
  void stop_soon();

  // inputs
  void frame(chord::Frame frame) override;
  void link_up(const chord::PeerRef& peer, std::uint64_t epoch) override;
  void dialled(const std::string& address, const chord::PeerRef& peer,
               std::uint64_t epoch) override;
  void link_down(const chord::Id& peer, const Error& why) override;
  void unreachable(const chord::PeerRef& peer, const Error& why) override;
  void superseded(const chord::PeerRef& by, const std::string& later_at) override;
  void same_key(const chord::PeerRef& peer, std::uint64_t epoch) override;
  void log(LogLine line) override { log_.write(line); }
  void revocations(const service::Revocations& list) override;
  void schema(const service::SchemaDocument& document) override;
  void http_request(service::ExchangeId exchange, const service::HttpRequest& request) override;
  void http_closed(service::ExchangeId exchange) override;

  io::uv::Loop& loop_;
  service::Store& store_;
  LogFile& log_;
  Ed25519 signer_{};
  Node node_;
  io::StoreWriter writer_;
  std::unique_ptr<io::Transport> transport_{};
  std::unique_ptr<service::Service> service_{};
  std::unique_ptr<service::Hosting> hosting_{};
  std::optional<service::Renewal> renewal_{};
  std::unique_ptr<io::HttpServer> http_{};
  io::uv::Timer wake_;
  service::Histogram loop_delays_{};  // how much later than asked for the loop woke the service
  io::uv::Timer stop_;
  io::uv::Timer log_counts_;
  bool finished_ = false;
  bool closing_ = false;  // being destroyed: what the service still says goes nowhere
};

}  // namespace beckon
