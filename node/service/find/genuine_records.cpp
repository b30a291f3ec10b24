// SPDX-License-Identifier: MIT
#include "node/service/find/genuine_records.h"

namespace beckon::service {

bool GenuineRecords::remembers(const Digest& digest) const {
  return newer_.contains(digest) || older_.contains(digest);
}

bool GenuineRecords::check(const profile::Record& record, const Digest& digest) {
  if (remembers(digest)) return true;
  ++checked_;
  if (!profile::verify_record(salt_, signer_, record)) return false;
  if (newer_.size() >= options_.remembered) older_ = std::exchange(newer_, {});
  newer_.insert(digest);
  return true;
}

bool GenuineRecords::check(ByteView bytes) {
  Digest digest = sha256(bytes);
  if (remembers(digest)) return true;
  auto record = profile::decode_record(bytes);
  return record && check(*record, digest);
}

}  // namespace beckon::service
