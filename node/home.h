// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "config/paths.h"
#include "node/io/authority.h"
#include "node/io/identity.h"
#include "node/service/admission/overlay.h"

namespace beckon {

/// What a home holds of a node: who it is and which overlay it belongs to. Files in the state
/// folder: node.key, overlay.json (absent: the built-in open overlay), credential, revocations and
/// authority.node, the id of the node to ask for renewals (closed overlays), puzzle (open ones that
/// ask for one), authority/ (on the founder).
struct Home {
  config::Paths paths{};
  io::Identity identity{};
  service::Overlay overlay{};
  std::optional<service::Revocations> revocations{};
  std::optional<chord::Id> authority_node{};
  std::optional<io::Authority> authority{};
};

/// Reads them, making the key when there is none. A closed overlay without a valid credential is
/// an error that says how to get one.
Result<Home> load_home(const config::Paths& paths, WallTime now);

/// Joins by an invite: asks the inviter for the overlay file and, in a closed overlay, a
/// credential, and keeps both; a credential at hand will do if the invite was used already. Returns
/// addresses to join through. A home that belongs to another overlay already is left alone; one
/// whose node neither met a peer nor published anything belongs to none.
Result<std::vector<std::string>> accept_invite(const config::Paths& paths, const std::string& text,
                                               WallTime now);

/// Founds an overlay in this home: authority, overlay file, and in a closed one this node's own
/// credential.
Result<service::Overlay> create_overlay(const config::Paths& paths,
                                        const io::Authority::NewOverlay& wanted, WallTime now);

Result<void> keep_credential(const config::Paths& paths, const service::Credential& credential);
Result<void> keep_revocations(const config::Paths& paths, const service::Revocations& list);
Result<void> keep_overlay(const config::Paths& paths, const service::Overlay& overlay);

}  // namespace beckon
