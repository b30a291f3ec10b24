// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <unordered_set>

#include "base/hash.h"
#include "profile/index/record.h"

namespace beckon::service {

/// Whether records were signed by their owners. Checking a signature costs more than all else that
/// is done with a record, and a node meets the same bytes a dozen times: under every key it keeps,
/// and again whenever somebody is found. So what was found genuine is remembered by the hash of all
/// its bytes; one memory serves what is stored here and what is found elsewhere. Nothing is
/// believed for where it came from. Two generations, the older dropped when the newer is full.
class GenuineRecords {
 public:
  struct Options {
    std::size_t remembered = 65536;  // in a generation; about 10 MB when both are full
  };

  GenuineRecords(const profile::Salt& salt, const Signer& signer)
      : GenuineRecords(salt, signer, Options{}) {}
  GenuineRecords(const profile::Salt& salt, const Signer& signer, Options options)
      : salt_(salt), signer_(signer), options_(options) {}
  GenuineRecords(const GenuineRecords&) = delete;
  GenuineRecords& operator=(const GenuineRecords&) = delete;

  bool check(const profile::Record& record, const Digest& digest);  // digest of its encoding
  bool check(ByteView record);

  std::size_t checked() const { return checked_; }  // signatures, not questions

 private:
  /// Digests are as good as random, those of genuine records above all.
  struct FirstBytes {
    std::size_t operator()(const Digest& digest) const {
      std::size_t out = 0;
      std::memcpy(&out, digest.data(), sizeof out);
      return out;
    }
  };
  using Digests = std::unordered_set<Digest, FirstBytes>;

  bool remembers(const Digest& digest) const;

  profile::Salt salt_;
  const Signer& signer_;
  Options options_;
  Digests newer_{};
  Digests older_{};
  std::size_t checked_ = 0;
};

}  // namespace beckon::service
