// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "node/io/transport.h"

namespace beckon::io::test {

/// Turns the loop until the condition holds; false when it does not within ten seconds.
bool run_until(uv::Loop& loop, const std::function<bool()>& condition,
               Duration deadline = std::chrono::seconds(10));
/// Turns the loop for a while in which something must not happen.
void run_for(uv::Loop& loop, Duration span);

/// Short time-outs and exact sweeps, so that tests of them end soon.
TransportOptions quick_options();

/// A transport that remembers everything it was told.
struct Node final : TransportListener {
  Node(uv::Loop& loop, Identity self, const service::Overlay& overlay = service::builtin_overlay(),
       TransportOptions options = quick_options(), std::uint64_t epoch = 1);

  void frame(chord::Frame f) override;
  void link_up(const chord::PeerRef& peer, std::uint64_t epoch) override;
  void link_down(const chord::Id& peer, const Error& why) override;
  void unreachable(const chord::PeerRef& peer, const Error& why) override;
  void log(LogLine line) override { lines.push_back(to_text(line)); }
  void superseded(const chord::PeerRef& by, const std::string& later_at) override {
    superseded_by.push_back(by.id);
    later_at_said.push_back(later_at);
  }
  void same_key(const chord::PeerRef&, std::uint64_t epoch) override { copies.push_back(epoch); }
  void revocations(const service::Revocations& list) override { lists.push_back(list); }
  void schema(const service::SchemaDocument& document) override { schemas.push_back(document); }

  chord::PeerRef ref() const { return {.id = transport.id(), .address = address}; }
  void send(const Node& to, Bytes body, std::uint64_t request = 1);

  std::vector<chord::Frame> frames{};
  std::vector<chord::PeerRef> ups{};
  std::vector<std::uint64_t> epochs{};
  std::vector<chord::Id> downs{};
  std::vector<std::string> down_reasons{};
  std::vector<std::string> failures{};
  std::vector<chord::Id> superseded_by{};
  std::vector<std::string> later_at_said{};
  std::vector<std::uint64_t> copies{};
  std::vector<std::string> lines{};
  std::vector<service::Revocations> lists{};
  std::vector<service::SchemaDocument> schemas{};
  std::function<void(const chord::Frame&)> on_frame{};
  Transport transport;
  std::string address{};
};

/// A closed overlay made on the spot: an authority's key and credentials by request.
struct ClosedOverlay {
  ClosedOverlay();
  service::Credential issue(const PublicKey& key, WallTime now = uv::wall_now()) const;
  service::Credential sign(service::Credential credential) const;
  service::Revocations revoke(const chord::Id& id, std::uint64_t version) const;
  Identity member() const;

  Identity authority{};
  service::Overlay overlay{};
};

}  // namespace beckon::io::test
