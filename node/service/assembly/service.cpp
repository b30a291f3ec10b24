// SPDX-License-Identifier: MIT
#include "node/service/assembly/service.h"

#include <fmt/core.h>

#include <cmath>

#include "base/json.h"

namespace beckon::service {

namespace {

/// What the API tells of a change of the ring; nothing for what concerns the node alone.
std::optional<Event> to_event(const chord::Event& event) {
  Json json;
  if (const auto* change = std::get_if<chord::PredecessorChanged>(&event)) {
    json["kind"] = "predecessor";
    json["predecessor"] = change->to ? Json(change->to->id.hex()) : nullptr;
  } else if (const auto* list = std::get_if<chord::SuccessorsChanged>(&event)) {
    json["kind"] = "successors";
    json["successors"] = Json::array();
    for (const PeerRef& peer : list->to) json["successors"].push_back(peer.id.hex());
  } else {
    return std::nullopt;
  }
  return Event{"ring", json.dump()};
}

/// Every epoch has 2^20 numbers of its own, for 2^44 epochs: in milliseconds since 1970, which an
/// epoch never lags behind, until the year 2527. A life that lasts some milliseconds is followed by
/// an epoch later by as many, so two lives share a number only if the first had a million events
/// for each of them (or, with a clock set back, a million in all).
Api::Options with_numbers_of(std::uint64_t epoch, Api::Options options) {
  options.first_event = (epoch << 20) + 1;
  return options;
}

}  // namespace

Service::Service(const ServiceOptions& options, PeerRef self, std::uint64_t epoch,
                 const Surroundings& around)
    : options_(options),
      kernel_(options.kernel, std::move(self), epoch, around.store, around.seeds),
      ring_log_(kernel_),
      membership_(kernel_, options.membership),
      api_(with_numbers_of(epoch, options.api)),
      author_rules_(around.overlay, around.signer),
      replicas_(kernel_, rules_, options.replicas) {
  add_replicas();
  add_metrics();
  status_field("users", [] { return Json::array(); });
  status_field("inbox", [] { return Json{{"unread", 0}, {"requests", 0}}; });
  status_field("web", [] { return Json(""); });
}

void Service::add_replicas() {
  rules_.add(author_rules_);
  for (int type = 0x21; type < 0x100; type += 2) {
    auto byte = static_cast<std::uint8_t>(type);
    if (Replicas::handles(byte)) {
      kernel_.serve(byte, [this](const Request& request) { replicas_.handle(request); });
    }
  }
  on_ring_event([this](const chord::Event& event) {
    bool neighbours = std::holds_alternative<chord::PredecessorChanged>(event) ||
                      std::holds_alternative<chord::SuccessorsChanged>(event);
    if (neighbours) replicas_.ring_changed();
  });
  membership_.before_leave([this](std::function<void(bool)> done) {
    replicas_.leave([this, done = std::move(done)](bool all) {
      if (!all) kernel_.log(LogLevel::warning, "not every record was handed over before leaving");
      done(all);
    });
  });
}

void Service::status_field(const std::string& name, StatusField read) {
  for (auto& [known, field] : status_) {
    if (known == name) {
      field = std::move(read);
      return;
    }
  }
  status_.emplace_back(name, std::move(read));
}

Output Service::start(const Command& command, Now now) {
  kernel_.begin(now);
  if (started_ == Time::min()) started_ = now.mono;
  if (const auto* up = std::get_if<Up>(&command)) {
    enter(*up);
  } else if (std::holds_alternative<Expelled>(command)) {
    membership_.expel();
  } else {
    membership_.leave();
  }
  return finish();
}

void Service::enter(const Up& up) {
  auto way = Membership::check_way_in(kernel_.store(), up);
  if (!way) return membership_.stay_out(way.error());
  auto remembered = recall_peers(kernel_.store());
  if (!remembered) {
    kernel_.log(LogLevel::error, "cannot read the remembered peers",
                {{"reason", remembered.error().text}});
  }
  replicas_.start();
  membership_.enter(up, remembered ? *remembered : RememberedPeers{});
}

Output Service::receive(Frame frame, Now now) {
  kernel_.begin(now);
  kernel_.receive(std::move(frame));
  return finish();
}

Output Service::link_up(const chord::LinkUp& link, Now now) {
  kernel_.begin(now);
  if (!kernel_.linked(link.peer.id)) ring_log_.link_up(link);
  membership_.on_link(link.dialled.empty() ? link.peer.address : link.dialled);
  kernel_.link_up(link);
  return finish();
}

Output Service::link_down(const Id& peer, const Error& why, Now now) {
  kernel_.begin(now);
  ring_log_.link_down(peer, why);
  kernel_.link_down(peer);
  return finish();
}

Output Service::unreachable(const PeerRef& peer, const Error& why, Now now) {
  kernel_.begin(now);
  ring_log_.unreachable(peer, why);
  membership_.on_trouble(peer.address, why);
  kernel_.unreachable(peer);
  return finish();
}

Output Service::refused_as_older(const PeerRef& by, const std::string& later_at, Now now) {
  kernel_.begin(now);
  kernel_.refused_as_older(by, later_at);
  return finish();
}

Output Service::written(std::uint64_t token, Result<void> result, Now now) {
  kernel_.begin(now);
  kernel_.written(token, std::move(result));
  return finish();
}

Output Service::http_request(ExchangeId exchange, const HttpRequest& request, Now now) {
  kernel_.begin(now);
  api_.handle(exchange, request);
  return finish();
}

Output Service::http_closed(ExchangeId exchange, Now now) {
  kernel_.begin(now);
  api_.closed(exchange);
  return finish();
}

Output Service::tick(Now now) {
  kernel_.begin(now);
  kernel_.tick();
  return finish();
}

void Service::pass_ring_events() {
  for (const chord::Event& event : kernel_.take_ring_events()) {
    ring_log_.on_ring(event);
    membership_.on_ring(event);
    for (const RingListener& listener : ring_listeners_) listener(event);
    if (auto told = to_event(event)) kernel_.emit(std::move(*told));
  }
}

Output Service::finish() {
  pass_ring_events();
  kernel_.settle();
  pass_ring_events();
  Output out;
  out.events = kernel_.take_events();
  for (const Event& event : out.events) api_.publish(event);
  Kernel::Sent sent = kernel_.take();
  out.send = std::move(sent.send);
  out.dial = std::move(sent.dial);
  out.close = std::move(sent.close);
  out.writes = std::move(sent.writes);
  out.log = std::move(sent.log);
  out.http = api_.take();
  out.wake_at = kernel_.wake_at();
  out.finished = membership_.state() == Membership::State::left;
  return out;
}

void Service::add_metrics() {
  auto counter = [this](const char* name, const char* help,
                        std::uint64_t Kernel::Counters::*field) {
    metrics_.counter(name, help,
                     [this, field] { return static_cast<double>(kernel_.counters().*field); });
  };
  metrics_.gauge("ring_joined", "1 when this node is a member of the ring",
                 [this] { return membership_.state() == Membership::State::joined ? 1.0 : 0.0; });
  metrics_.gauge("ring_size_estimate",
                 "peers on the ring, judged by the density of the successor list",
                 [this] { return std::round(ring().size_estimate() * 10) / 10; });
  metrics_.gauge("ring_successors", "entries of the successor list",
                 [this] { return static_cast<double>(ring().successors().size()); });
  metrics_.gauge("ring_fingers", "distinct fingers",
                 [this] { return static_cast<double>(ring().fingers().size()); });
  metrics_.gauge("ring_known_peers", "peers that have proved their id and are remembered",
                 [this] { return static_cast<double>(ring().known().size()); });
  metrics_.gauge("remembered_peers", "peers on disk, to come back through after a restart",
                 [this] { return static_cast<double>(membership_.remembered()); });
  metrics_.gauge("requests_open", "requests of services that wait for a reply",
                 [this] { return static_cast<double>(kernel_.open_requests()); });
  counter("requests_sent_total", "requests of services sent", &Kernel::Counters::asked);
  counter("requests_answered_total", "of these, answered", &Kernel::Counters::answered);
  counter("requests_failed_total", "of these, failed with their link", &Kernel::Counters::failed);
  counter("requests_expired_total", "of these, not answered in time", &Kernel::Counters::expired);
  counter("requests_served_total", "requests of peers handled", &Kernel::Counters::served);
  counter("requests_refused_total", "requests of peers refused", &Kernel::Counters::refused);
  metrics_.counter("messages_unknown_total", "messages that only later versions know", [this] {
    return static_cast<double>(kernel_.counters().unknown + ring().unknown_messages());
  });
  counter("lookups_total", "lookups of services and users", &Kernel::Counters::lookups);
  counter("lookups_failed_total", "of these, failed", &Kernel::Counters::lookups_failed);
  counter("lookup_contacts_total", "peers asked in these lookups",
          &Kernel::Counters::lookup_contacts);
  counter("writes_total", "batches written to the store", &Kernel::Counters::writes);
  counter("writes_failed_total", "of these, failed", &Kernel::Counters::writes_failed);
  metrics_.gauge("records", "records this node keeps for the ring",
                 [this] { return static_cast<double>(replicas_.table().total().items); });
  metrics_.gauge("record_bytes", "bytes of these",
                 [this] { return static_cast<double>(replicas_.table().total().bytes); });
  metrics_.gauge("record_memory_bytes", "memory these take, of at most store.size", [this] {
    return static_cast<double>(ItemTable::footprint(replicas_.table().total()));
  });
  auto held = [this](const char* name, const char* help,
                     std::uint64_t ItemHolder::Counters::*field) {
    metrics_.counter(name, help,
                     [this, field] { return static_cast<double>(replicas_.counters().*field); });
  };
  held("records_stored_total", "records taken, newer versions of known ones included",
       &ItemHolder::Counters::stored);
  held("records_refused_total", "records refused", &ItemHolder::Counters::refused);
  held("records_forged_total", "of these, for a signature that does not fit",
       &ItemHolder::Counters::forged);
  metrics_.counter("record_requests_refused_total",
                   "requests about records refused: too many, or of no concern to the asker",
                   [this] { return static_cast<double>(replicas_.refused_peers()); });
  metrics_.counter("sync_bytes_total", "bytes that comparing records with replicas took",
                   [this] { return static_cast<double>(replicas_.sync().bytes_moved()); });
  held("records_full_total", "of these, for want of room", &ItemHolder::Counters::full);
  metrics_.histogram("request_duration_seconds",
                     "time until a peer answered a request of a service", kernel_.reply_times());
  metrics_.histogram("put_duration_seconds", "time until records were stored on the ring, or not",
                     replicas_.put_times());
  metrics_.counter("http_requests_total", "requests to the API",
                   [this] { return static_cast<double>(api_.requests()); });
}

}  // namespace beckon::service
