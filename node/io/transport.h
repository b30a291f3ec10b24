// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "chord/frame.h"
#include "node/io/identity.h"
#include "node/io/uv.h"
#include "node/service/admission/enrolment.h"
#include "node/service/admission/hello.h"
#include "node/service/admission/overlay.h"
#include "node/service/admission/revocations.h"

namespace beckon::io {

/// Every limit of the transport; docs/protocol.md names those a peer can feel.
struct TransportOptions {
  std::size_t max_connections = 512;
  std::size_t max_accepted = 384;              // the others are for our own dials
  std::size_t max_accepted_per_address = 128;  // per IPv4 address or IPv6 /64
  std::size_t max_accepted_loopback = 256;     // whole rings live on one machine
  std::size_t max_unauthenticated = 256;
  std::size_t max_unauthenticated_per_address = 8;  // per IPv4 address or IPv6 /64
  std::size_t max_unauthenticated_loopback = 128;
  std::size_t idle_pool = 128;             // links kept though nobody uses them
  std::size_t write_queue = 1024 * 1024;   // bytes; beyond it the link is dropped
  std::size_t read_pause_at = 256 * 1024;  // a peer that does not read is not listened to,
  Duration read_pause_limit = std::chrono::seconds(1);  // for so long
  std::size_t pending_bytes = 256 * 1024;               // per peer, while connecting
  double handshakes_per_second = 400;  // a token bucket; accepting pauses when empty
  double handshake_burst = 256;
  double upload_per_second = 0;  // bytes to all peers together; 0: no limit
  Duration upload_burst = std::chrono::milliseconds(250);  // so much of it at once
  Duration dial_timeout = std::chrono::seconds(3);         // TCP and TLS
  Duration hello_timeout = std::chrono::seconds(5);   // from the first packet to HELLO or HELLO_ACK
  Duration proof_timeout = std::chrono::seconds(2);   // to show that a link's peer still lives
  Duration frame_timeout = std::chrono::seconds(20);  // from a frame's first byte to its last
  Duration rest_after = std::chrono::seconds(1);      // unused: gives its buffers back
  Duration idle_after = std::chrono::seconds(60);
  Duration drain = std::chrono::seconds(2);         // a replaced link may still deliver
  Duration sweep = std::chrono::milliseconds(250);  // how exactly time-outs are kept
  Duration recheck = std::chrono::minutes(10);      // credentials of open links
  Duration log_again = std::chrono::minutes(1);     // a bad address is named once in this time
  WallTime (*wall)() = uv::wall_now;
  std::uint64_t chance = 0;  // seed of what greetings carry at random
};

/// What the transport tells. Never called from inside a call of Transport; in the order things
/// happened. A frame comes only between link_up and link_down of its peer; link_up of a peer that
/// is up already does not happen, a restarted peer gives link_down first.
class TransportListener {
 public:
  virtual ~TransportListener() = default;
  virtual void frame(chord::Frame frame) = 0;
  virtual void link_up(const chord::PeerRef& peer, std::uint64_t epoch) = 0;
  /// Who answered at an address given to dial(); after its link_up, or when it is linked already.
  virtual void dialled(const std::string& /*address*/, const chord::PeerRef& /*peer*/,
                       std::uint64_t /*epoch*/) {}
  virtual void link_down(const chord::Id& peer, const Error& why) = 0;
  /// A dial failed; what was waiting for it is dropped. The id is zero for dial(address).
  virtual void unreachable(const chord::PeerRef& peer, const Error& why) = 0;
  /// That peer refused our dial: it says that it is linked to a later start of this node, which
  /// listens there. After unreachable.
  virtual void superseded(const chord::PeerRef& /*by*/, const std::string& /*later_at*/) {}
  /// A process with our own key but another epoch was met; there is no link to it.
  virtual void same_key(const chord::PeerRef& /*peer*/, std::uint64_t /*epoch*/) {}
  virtual void log(LogLine line) = 0;
  /// A newer list, signed by the authority, came from a peer; keep it over a restart.
  virtual void revocations(const service::Revocations&) {}
  /// A newer schema, signed by the authority, came from a peer; keep it for the next start.
  virtual void schema(const service::SchemaDocument&) {}
};

struct LinkInfo {
  chord::PeerRef peer{};
  std::uint64_t epoch{};
  std::uint8_t version{};        // of the protocol, and
  std::uint64_t capabilities{};  // what both ends can
  bool dialled{};                // by us
  std::uint64_t frames_in{}, frames_out{}, bytes_in{}, bytes_out{};
  Duration idle{};
};

struct TransportStats {
  std::uint64_t accepted{}, dialled{}, refused{}, dropped{};  // connections, since the start
  std::uint64_t frames_in{}, frames_out{}, bytes_in{}, bytes_out{};
  std::size_t connections{}, unauthenticated{}, links{};
};

/// Frames between this node and its peers, over TCP and mutual TLS 1.3: one link per peer whichever
/// side dialled, every peer known by the id its certificate proves
/// (docs/protocol.md). A bad peer costs its own connection, one log line, and nobody else anything.
/// One thread, on the loop it is given. Frames on one link arrive in order; those queued when a
/// link dies are lost.
class Transport {
 public:
  /// `self` needs a valid credential when the overlay is closed. The listener and loop outlive
  /// this.
  Transport(uv::Loop& loop, Identity self, service::Overlay overlay, std::uint64_t epoch,
            TransportListener& listener, TransportOptions options = {});
  ~Transport();

  /// Begins to accept at "HOST:PORT" (port 0: any) and returns the address with the real port; at
  /// "[::]:PORT" by IPv4, too. May be called for several addresses. What peers are told is
  /// `announce`, or this address.
  Result<std::string> listen(const std::string& address, const std::string& announce = "");

  chord::Id id() const;
  std::vector<std::string> addresses() const;  // as peers are told

  /// Sends to frame.peer.id; without a link dials frame.peer.address first and keeps the frame.
  void send(const chord::Frame& frame);
  void dial(const std::string& address);  // whoever answers there, if the overlay admits it
  void close(const chord::Id& peer);      // flushes, then closes; link_down follows

  bool linked(const chord::Id& peer) const;
  std::vector<LinkInfo> links() const;  // in id order
  TransportStats stats() const;

  /// A newer list is sent to all peers and drops those it names; an older one is ignored.
  Result<void> set_revocations(const service::Revocations& list);
  const service::Revocations& revocations() const;
  /// A schema that extends the one held is sent to all peers, and newcomers get it from now on. Any
  /// other is an error.
  Result<void> set_schema(const service::SchemaDocument& document);
  const service::Overlay& overlay() const;  // with the newest schema
  void set_credential(
      const service::Credential& credential);  // renewed: used from the next link on
  /// Who answers newcomers (the authority's node); without one they get the overlay file only.
  void set_enroller(service::Enroller* enroller);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace beckon::io
