#pragma once

#include <memory>

#include "node/io/identity.h"
#include "node/io/uv.h"
#include "node/service/invite.h"

namespace beckon::io {

/// Asks an inviting node for admission: connects, proves our key, checks that the answering node is
/// the invite's and belongs to its overlay, hands the secret over, and returns the overlay file,
/// its id checked, with our credential. Runs a loop of its own until done or `timeout`: for the
/// moment before a node starts. `kind` renew asks for a later end of the credential `self` holds.
Result<service::Enrolment> enrol(
    const Identity& self, const service::Invite& invite,
    Duration timeout = std::chrono::seconds(10),
    service::EnrolRequest::Kind kind = service::EnrolRequest::Kind::join);

}  // namespace beckon::io
