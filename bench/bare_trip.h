#pragma once

#include <cstddef>
#include <vector>

namespace beckon::bench {

/// Microseconds of each of `count` round trips of 200 bytes over one bare TLS connection on
/// loopback, one at a time, server and client on a thread each: the yardstick of a machine's
/// moment.
std::vector<double> bare_round_trips(std::size_t count);

}  // namespace beckon::bench
