// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "profile/person/profile.h"

namespace beckon::service {

/// A hosted user's profile.json and what the overlay's schema reads in it, read once.
struct HostedProfile {
  std::string text = "{}";  // as it stands on disk
  /// An error only if the schema is another one than the text was written under.
  Result<profile::Profile> read = profile::Profile();
  std::string card = "{}";  // what others may see, as JSON
};

/// The first name in it, whoever may see it; empty if there is none.
std::string first_name(const HostedProfile& profile);

/// Shared, because it never changes and is large: a user's draft is what was published until it is
/// edited, and users are copied with every change.
using ProfilePtr = std::shared_ptr<const HostedProfile>;

ProfilePtr empty_profile();
ProfilePtr no_profile();  // of who published nothing: an empty text, which cannot be read
ProfilePtr hosted(const profile::Schema& schema, std::string text);
ProfilePtr hosted(const profile::Schema& schema, const profile::Profile& profile);

}  // namespace beckon::service
