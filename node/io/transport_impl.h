// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <list>
#include <map>

#include "node/io/accept_gate.h"
#include "node/io/connection.h"
#include "node/io/transport.h"

namespace beckon::io {

/// How far a connection has come. `doubted`: greeted by an earlier start of a peer whose later one
/// has a link; waits until that link has shown that its other end lives. `draining`: replaced or
/// being closed, sends nothing more.
enum class Stage : std::uint8_t { shaking, greeting, enrolling, doubted, open, draining };

class Transport::Impl {
 public:
  Impl(uv::Loop& loop, Identity self, service::Overlay overlay, std::uint64_t epoch,
       TransportListener& listener, TransportOptions options);
  ~Impl();

  Result<std::string> listen(const std::string& address, const std::string& announce);
  void send(const chord::Frame& frame);
  void dial(const std::string& address);
  void close(const chord::Id& peer);
  bool linked(const chord::Id& peer) const { return links_.contains(peer); }
  std::vector<LinkInfo> links() const;
  TransportStats stats() const;
  Result<void> set_revocations(const service::Revocations& list);
  Result<void> set_schema(const service::SchemaDocument& document);
  void set_credential(const service::Credential& credential);

  Identity self_;
  chord::Id id_;
  service::Overlay overlay_;
  Trust trust_;
  service::Hello hello_;
  service::Enroller* enroller_ = nullptr;

 private:
  /// One connection and what we know of its other end.
  struct Link final : ConnectionOwner {
    explicit Link(Impl& owner) : impl(owner) {}
    void ready(Connection&) override { impl.ready(*this); }
    void frame(Connection&, const service::FrameView& frame) override { impl.frame(*this, frame); }
    void over() override { impl.some_are_over_ = true; }

    Impl& impl;
    std::unique_ptr<Connection> connection{};
    Stage stage = Stage::shaking;
    std::optional<service::Greeting> greeting{};
    chord::PeerRef target{};  // whom we dialled; the id is zero when any node will do
    chord::PeerRef peer{};    // who it is, once greeted
    std::uint64_t epoch{};
    std::string from{};                  // host of an accepted connection, for the log
    std::optional<uv::Endpoint> gate{};  // of an accepted connection: whence it came
    bool unproven = false;               // as the gate counts
    Time since{};                        // began; of doubted and draining links: when that began
    Time opened{};
    Time used{};
    Time rested{};
    std::uint64_t uploaded{};  // bytes, as far as the limit has counted them
    bool deliver = true;       // a replaced link delivers what is still under way
    bool silent = false;       // its end is no news to anybody
  };
  /// Frames waiting for a link.
  struct Pending {
    std::deque<chord::Frame> frames{};
    std::size_t bytes{};
    Time until{};  // while no dial is under way: when to give up
    Link* dialling = nullptr;
  };
  struct Notice {
    chord::PeerRef peer{};
    Error why{};
    bool was_linked = false;
  };
  struct Door {
    uv::Tcp socket;
    bool waiting = false;  // a connection was announced that we have not accepted yet
  };

  // transport.cpp: connections come and go
  void accept(Door& door);
  void admit(uv::Tcp stream);
  Link& start_dial(const chord::PeerRef& target, const Address& to);
  void turn();
  bool reap();
  void bury(Link& link);
  void bury_dial(Link& link);
  bool flush();
  bool flush_slices(const std::vector<Link*>& dirty);
  bool count_upload(Link& link, Time now);
  void sweep();
  std::optional<Error> overdue(const Link& link, Time now) const;
  void rest_idle(Time now);
  void close_idle(Time now);
  void expire_pending(Time now);
  void recheck(Time now);
  void renew_certificate();
  void complain(const std::string& address, const std::string& text);
  void prove(Link& link);
  bool may_dial() const { return all_.size() < options_.max_connections; }
  ConnectionOptions connection_options() const;

  // transport_links.cpp: what is said on them
  void ready(Link& link);
  void frame(Link& link, const service::FrameView& frame);
  void greet(Link& link, const service::FrameView& frame);
  void meet_own_key(Link& link);
  void doubt(Link& link);
  void hear_alive(Link& link, const service::FrameView& frame);
  void settle_doubts(Time now);
  void turn_away(Link& link, service::Refusal why, const std::string& text);
  bool dialling(const chord::Id& peer) const;
  std::optional<service::Refusal> objection(const Link& link);
  bool replaces(const Link& fresh, const Link& old) const;
  void open(Link& link);
  void tell_dialled(const Link& link);
  void make_way(Link& fresh, Link& old);
  void cancel_dial(const chord::Id& peer, const Link& fresh);
  void retire(Link& link, bool deliver);
  Bytes greeting();
  void send_on(Link& link, std::uint8_t type, std::uint64_t request, ByteView body);
  void enrol(Link& link, const service::FrameView& frame);
  void hear_revocations(Link& link, const service::FrameView& frame);
  void adopt(const service::Revocations& list, const Link* from);
  void hear_schema(Link& link, const service::FrameView& frame);
  void adopt(const service::SchemaDocument& document, const Link* from);
  void send_schema(Link& link);
  void part_from_expelled(Link& link);
  chord::PeerRef announced(const Link& link) const;

  uv::Loop& loop_;
  TransportListener& listener_;
  TransportOptions options_;
  Rng rng_;
  std::unique_ptr<TlsContext> tls_;
  WallTime certified_{};
  AcceptGate gate_;
  Complaints complaints_;
  std::list<Door> doors_{};
  std::list<Link> all_{};
  std::map<chord::Id, Link*> links_{};  // the open ones
  std::map<chord::Id, Pending> pending_{};
  std::vector<Link*> dirty_{};
  std::vector<Notice> notices_{};  // to tell in the next turn
  bool some_are_over_ = false;
  Time upload_free_at_{};  // when what was sent fits into the limit
  Time rechecked_{};
  TransportStats total_{};
  uv::Prepare prepare_;
  uv::Timer sweeper_;
  uv::Timer wake_;
};

}  // namespace beckon::io
