// SPDX-License-Identifier: MIT
#include "base/status.h"

#include <doctest/doctest.h>

#include <string>

using namespace beckon;

TEST_SUITE_BEGIN("base/status");

TEST_CASE("every status is an error with words, and none of them goes back as a success") {
  for (std::uint8_t s = 1; s <= last_status; ++s) {
    Error error = to_error(static_cast<Status>(s));
    CHECK_FALSE(error.text.empty());
    CHECK(error.text == to_text(static_cast<Status>(s)));
    CHECK(kind_of(error.code).status != Status::ok);
    CHECK(to_error(kind_of(error.code).status).code == error.code);
  }
}

TEST_CASE("a status of a later version is a failure that may pass") {
  Error error = to_error(static_cast<Status>(200));
  CHECK(error.code == ErrorCode::unavailable);
  CHECK(error.text == "a status that this version does not know");
}

TEST_CASE("each kind of error has its status for peers and for users of the API") {
  struct Case {
    ErrorCode code;
    Status status;
    int http;
  };
  for (const Case& c : {Case{ErrorCode::invalid, Status::malformed, 400},
                        {ErrorCode::not_found, Status::not_found, 404},
                        {ErrorCode::refused, Status::forbidden, 403},
                        {ErrorCode::unavailable, Status::unavailable, 503},
                        {ErrorCode::conflict, Status::too_old, 409},
                        {ErrorCode::internal, Status::storage, 500}}) {
    CAPTURE(c.http);
    CHECK(kind_of(c.code).status == c.status);
    CHECK(kind_of(c.code).http == c.http);
  }
}

TEST_SUITE_END();
