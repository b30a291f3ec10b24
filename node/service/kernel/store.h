// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace beckon::service {

/// The durable tables of a node. Values are stored as verbatim bytes in their own bounded formats;
/// whoever reads them back decodes them as strictly as if a peer had sent them.
enum class Table : std::uint8_t {
  meta = 1,  // epoch, own identity counters
  peers,     // known and passive peers
  items,     // replicated records this node keeps for the ring
  users,     // hosted users: keys, profile, version
  contacts,
  inbox,
  outbox,
  calls,
  claims,  // who holds which keys, and what this disk has promised about it
};

struct Mutation {
  Table table{};
  Bytes key{};
  std::optional<Bytes> value{};  // none erases the key
};

/// Durable state: ordered key-value tables with atomic batches. SQLite in the daemon, memory (with
/// faults on request) in the simulator; one contract test for both.
class Store {
 public:
  using Visit = std::function<bool(ByteView key, ByteView value)>;  // false stops the scan

  virtual ~Store() = default;
  virtual Result<void> commit(
      const std::vector<Mutation>& batch) = 0;  // all or none, durable on success
  virtual Result<std::optional<Bytes>> get(Table table, ByteView key) const = 0;
  virtual Result<void> scan(Table table, ByteView from, const Visit& visit) const = 0;  // key order
};

}  // namespace beckon::service
