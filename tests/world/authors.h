#pragma once

#include "base/rng.h"
#include "node/service/items/author_record.h"
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
    return {ring(topic), service::ItemKind::author_record, chord::Id::of_digest(sha256(key()))};
  }
  service::AuthorRecord record(std::uint64_t seq, WallTime now, std::string_view payload) const {
    service::AuthorRecord record{.topic = 1, .author = key(), .seq = seq, .issued = now};
    record.life = std::chrono::hours(24);
    record.payload.assign(as_bytes(payload).begin(), as_bytes(payload).end());
    return record;
  }
  service::Parcel parcel(const service::AuthorRecord& record) const {
    return {ring(record.topic), service::ItemKind::author_record,
            service::sign_author_record(record, test_overlay, seed_, signer_)};
  }
  service::Parcel parcel(std::uint64_t seq, WallTime now, std::string_view payload) const {
    return parcel(record(seq, now, payload));
  }
  const SecretSeed& seed() const { return seed_; }

 private:
  const Signer& signer_;
  SecretSeed seed_{};
};

}  // namespace beckon::test
