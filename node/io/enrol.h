// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "node/io/identity.h"
#include "node/io/uv.h"
#include "node/service/admission/invite.h"

namespace beckon::io {

/// Asks an inviting node for admission: connects, proves our key, checks that the answering node is
/// the invite's and belongs to its overlay, hands the secret over, and returns the overlay file,
/// its id checked, with our credential. Runs a loop of its own until done or `timeout`: for the
/// moment before a node starts.
Result<service::Enrolment> enrol(const Identity& self, const service::Invite& invite,
                                 Duration timeout = std::chrono::seconds(10));

}  // namespace beckon::io
