#include "node/service/routes/user_json.h"

#include "base/json.h"
#include "profile/person/profile_json.h"

namespace beckon::service {

const UserFacts::Known& UserFacts::known(const User& user) {
  std::size_t stamp = std::hash<std::string>{}(user.profile + '\n' + user.published_profile);
  auto [place, fresh] = known_.try_emplace(user.id());
  Known& known = place->second;
  if (!fresh && known.stamp == stamp) return known;
  known = {.stamp = stamp, .records = publisher_.record_count(user)};
  auto profile = profile::parse_profile(schema_, user.profile);
  auto names = profile ? profile->values("name") : std::span<const profile::Value>{};
  if (!names.empty()) known.name = names.front().shown;
  return known;
}

Json UserFacts::of(const User& user) {
  const Known& facts = known(user);
  return {{"id", user.id().hex()},
          {"name", facts.name},
          {"published", user.published},
          {"version", user.version},
          {"records", facts.records}};
}

}  // namespace beckon::service
