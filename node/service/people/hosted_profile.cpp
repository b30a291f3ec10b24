// SPDX-License-Identifier: MIT
#include "node/service/people/hosted_profile.h"

#include "profile/person/profile_json.h"

namespace beckon::service {

std::string first_name(const HostedProfile& profile) {
  auto names = profile.read ? profile.read->values("name") : std::span<const profile::Value>{};
  return names.empty() ? std::string() : names.front().shown;
}

ProfilePtr empty_profile() { return std::make_shared<HostedProfile>(); }

ProfilePtr no_profile() {
  return std::make_shared<HostedProfile>(
      HostedProfile{.text = {}, .read = invalid("nothing is published")});
}

ProfilePtr hosted(const profile::Schema& schema, std::string text) {
  auto read = profile::parse_profile(schema, text);
  std::string card = read ? profile::card_json(schema, *read) : "{}";
  return std::make_shared<HostedProfile>(
      HostedProfile{std::move(text), std::move(read), std::move(card)});
}

ProfilePtr hosted(const profile::Schema& schema, const profile::Profile& profile) {
  return std::make_shared<HostedProfile>(HostedProfile{
      profile::profile_json(schema, profile), profile, profile::card_json(schema, profile)});
}

}  // namespace beckon::service
