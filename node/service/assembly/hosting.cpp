// SPDX-License-Identifier: MIT
#include "node/service/assembly/hosting.h"

namespace beckon::service {

Result<std::unique_ptr<Hosting>> Hosting::open(Service& service, const Overlay& overlay,
                                               const Signer& signer, const Options& options) {
  auto out = std::make_unique<Hosting>(service, schema_of(overlay), overlay, signer, options);
  if (auto loaded = out->load(); !loaded) return loaded.error();
  return out;
}

Hosting::Hosting(Service& service, profile::Schema schema, const Overlay& overlay,
                 const Signer& signer, const Options& options)
    : service_(service),
      schema_(std::move(schema)),
      overlay_tag_(tag_of(overlay.id())),
      genuine_(overlay.salt, signer),
      index_rules_(genuine_),
      mailbox_rules_(overlay.id(), signer),
      users_(service.kernel(), signer, schema_, options.users),
      search_(service.kernel(), service.replicas(), users_, schema_, overlay.salt, signer, genuine_,
              options.search),
      mail_(service.kernel(), service.replicas(), users_, signer, overlay.id(), options.mail) {
  service.rules().add(index_rules_);
  service.rules().add(mailbox_rules_);
  // Who can be found can be reached by address, too.
  search_.publisher().on_published([this](const UserId& id) { mail_.locators().ensure(id); });
  serve_frames();
  hear_ring();
  service.metrics().histogram("find_duration_seconds", "time a search took",
                              search_.finder().times());
  service.metrics().histogram("letter_duration_seconds",
                              "time until a letter was with the recipient's host or in a mailbox",
                              mail_.courier().trip_times());
}

Result<void> Hosting::load() {
  if (auto done = users_.load(); !done) return done;
  if (auto done = mail_.load(); !done) return done;
  if (users_.me() != nullptr) return {};
  auto me = users_.create(empty_profile(), [this](const Result<void>& stored) {
    if (!stored)
      service_.kernel().log(LogLevel::error, "the first user was not stored",
                            {{"reason", stored.error().text}});
  });
  if (!me) return me.error();
  return {};
}

std::string Hosting::address_of(const User& user) const {
  return to_text(PersonAddress{.key = user.key, .overlay = overlay_tag_});
}

Result<PersonRef> Hosting::at_address(std::string_view text) const {
  auto address = read_person_address(text);
  if (!address) return address.error();
  if (address->overlay != overlay_tag_) {
    return invalid("this address belongs to another overlay than this node");
  }
  return PersonRef{.key = address->key};
}

void Hosting::serve_frames() {
  for (int type = 0x21; type < 0x100; type += 2) {
    auto byte = static_cast<std::uint8_t>(type);
    if (Search::handles(byte)) {
      service_.kernel().serve(byte, [this](const Request& request) { search_.handle(request); });
    }
    if (Mail::handles(byte)) {
      service_.kernel().serve(byte, [this](const Request& request) { mail_.handle(request); });
    }
  }
}

void Hosting::hear_ring() {
  service_.on_ring_event([this](const chord::Event& event) {
    bool neighbours = std::holds_alternative<chord::PredecessorChanged>(event) ||
                      std::holds_alternative<chord::SuccessorsChanged>(event);
    if (neighbours) search_.ring_changed();
    const auto* mode = std::get_if<chord::ModeChanged>(&event);
    if (mode == nullptr || mode->to != chord::Mode::member) return;
    search_.joined();
    mail_.joined();
  });
}

}  // namespace beckon::service
