// SPDX-License-Identifier: MIT
#pragma once

#include "base/rng.h"
#include "node/service/items/author_item.h"
#include "node/service/items/replica_messages.h"
#include "tests/world/fast_signer.h"

namespace beckon::test {

inline const service::OverlayId test_overlay = sha256(as_bytes("overlay of the tests"));

/// Somebody who writes author records, numbered by version.
class Author {
 public:
  Author(std::uint64_t number, const Signer& signer) : signer_(signer) {
    ByteWriter out;
    out.u64(number);
    seed_ = sha256(out.bytes());
  }

  PublicKey key() const { return signer_.public_key(seed_); }
  service::Id ring(std::uint8_t topic = 1) const {
    return service::author_record_key(test_overlay, topic, key());
  }
  service::ItemKey item_key(std::uint8_t topic = 1) const {
    return {ring(topic), service::ItemKind::author_item, chord::Id::of_digest(sha256(key()))};
  }
  service::AuthorItem record(std::uint64_t seq, WallTime now, std::string_view payload) const {
    service::AuthorItem record{.topic = 1, .author = key(), .seq = seq, .issued = now};
    record.life = std::chrono::hours(24);
    record.payload.assign(as_bytes(payload).begin(), as_bytes(payload).end());
    return record;
  }
  service::RawItem raw_item(const service::AuthorItem& record) const {
    return {ring(record.topic), service::ItemKind::author_item,
            service::sign_author_record(record, test_overlay, seed_, signer_)};
  }
  service::RawItem raw_item(std::uint64_t seq, WallTime now, std::string_view payload) const {
    return raw_item(record(seq, now, payload));
  }
  const SecretSeed& seed() const { return seed_; }

 private:
  const Signer& signer_;
  SecretSeed seed_{};
};

}  // namespace beckon::test
